/** Tables of the crawl. Each has its partition first in every key, so that they can be distributed by it. */
export const crawlSchema = `
CREATE SEQUENCE ids AS bigint
`
