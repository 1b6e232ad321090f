import type { ClusterMigration } from './migrate.ts'
import { crawlSchema } from './schema-crawl.ts'
import { peopleSchema } from './schema-people.ts'

/** In this order. The crawl tables are those that can be distributed by their partition. */
export const clusterMigrations: readonly ClusterMigration[] = [
  { id: 1, name: 'crawl: leases, frontier, documents, versions, bodies', sql: crawlSchema },
  { id: 2, name: 'people: accounts, profiles, watches, annotations, inbox', sql: peopleSchema },
]
