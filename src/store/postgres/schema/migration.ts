/** A step of the schema. What was applied anywhere is never edited: a change is a new step. */
export type ClusterMigration = { id: number; name: string; sql: string }
