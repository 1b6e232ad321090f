/** What was fetched. Each table has its partition first in every key. */
export const archiveSchema = `
SELECT 1
`
