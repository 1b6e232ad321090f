import { archiveSchema } from './schema-archive.ts'
import { frontierSchema } from './schema-frontier.ts'
import { accountsSchema } from './schema-people.ts'
import { pagesSchema, rolesSchema } from './schema-roles.ts'

/** A step of the schema. What was applied anywhere is never edited: a change is a new step. */
export type PostgresMigration = { id: number; name: string; sql: string }

/** In this order. The tables of the first two can be distributed by their partition. */
export const postgresMigrations: readonly PostgresMigration[] = [
  { id: 1, name: 'partitions and their leases, the frontier, nodes', sql: frontierSchema },
  { id: 2, name: 'documents, versions, bodies, tasks', sql: archiveSchema },
  { id: 3, name: 'accounts, profiles, watches, annotations, inbox', sql: accountsSchema },
  { id: 4, name: 'what the roles of a cluster tell each other', sql: rolesSchema },
  { id: 5, name: 'pages that nodes have taken, versions that are leaving', sql: pagesSchema },
]
