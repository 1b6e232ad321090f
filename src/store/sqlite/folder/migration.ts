/** A step of a schema, numbered from 1. Once released it is never edited; a change is a new step. */
export type Migration = { id: number; name: string; sql: string }
