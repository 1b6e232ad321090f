import { partitionOf } from '../../../core/partition.ts'
import type { DocumentStore } from '../../contracts/documents.ts'
import { openPool, type PostgresPool } from '../connection/pool.ts'
import { createPostgresDocuments } from '../documents/documents.ts'
import { createDatabase } from '../testkit/postgres.testkit.ts'

/** A database whose partitions are all held under epoch 1, by whoever asks, without any frontier. */
export type ArchiveSystem = {
  pool: PostgresPool
  /** Another process, with connections of its own; closed with the system. */
  another(epoch?: number): { pool: PostgresPool; documents: DocumentStore }
  /** A host in a partition that leaves `shard` when divided by two. */
  hostOf(shard: number): string
  destroy(): Promise<void>
}

export async function createArchiveSystem(): Promise<ArchiveSystem> {
  const { pool, address, destroy } = await createDatabase()
  await pool.query(`UPDATE leases SET epoch = 1, holder = 'test', until = now() + interval '1 hour'`)
  const others: PostgresPool[] = []
  return {
    pool,
    another(epoch = 1) {
      const own = openPool({ address, maxConnections: 4, name: 'another' })
      others.push(own)
      return { pool: own, documents: createPostgresDocuments({ pool: own, epochOf: () => epoch }) }
    },
    hostOf(shard) {
      for (let number = 0; ; number++)
        if (partitionOf(`host${number}.example`) % 2 === shard) return `host${number}.example`
    },
    async destroy() {
      await Promise.all(others.map((each) => each.close()))
      await destroy()
    },
  }
}
