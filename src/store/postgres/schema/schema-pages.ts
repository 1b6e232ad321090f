/**
 * `taken` of a node's figures is how many pages of the run it has taken altogether, less those it gave back: what is said twice is
 * counted once. Versions that the collector has marked are few among very many, and are looked for by their mark.
 */
export const pagesSchema = `
ALTER TABLE run_figures ADD COLUMN taken bigint NOT NULL DEFAULT 0;
CREATE INDEX versions_leaving ON versions (partition, id) WHERE leaving;
`
