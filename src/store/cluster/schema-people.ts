/** What people say, and what is told to them: small beside the crawl, and asked across partitions. */
export const peopleSchema = `
CREATE TABLE facts (name text PRIMARY KEY, value jsonb NOT NULL)
`
