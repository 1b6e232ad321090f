/** Ids of everything: `nextval('ids') * 256 + partition`. */
export const frontierSchema = `
CREATE SEQUENCE ids AS bigint
`
