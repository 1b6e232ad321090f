/** A step of the schema. What was applied anywhere is never edited: a change is a new step. */
export type PostgresMigration = { id: number; name: string; sql: string }
