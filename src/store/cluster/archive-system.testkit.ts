import { partitionOf } from '../../core/partition.ts'
import { defaultOptions, type OpenShard, type StoreEngine, type StoreSystem } from '../conformance/engine.testkit.ts'
import type { DocumentStore } from '../documents.ts'
import { createClusterDocuments } from './documents.ts'
import { createClusterObjects } from './objects.ts'
import { type ClusterPool, openPool } from './pool.ts'
import { createDatabase } from './postgres.testkit.ts'
import { createClusterVersions } from './versions.ts'

/** A database whose partitions are all held under epoch 1 by whoever asks, without any frontier. */
export type ArchiveSystem = StoreSystem & {
  pool: ClusterPool
  address: string
  /** Another process, with connections of its own; closed with the system. */
  another(epoch?: number): { pool: ClusterPool; documents: DocumentStore }
}

const unused = (): never => {
  throw new Error('there is no frontier here')
}

export async function createArchiveSystem({ shards } = defaultOptions): Promise<ArchiveSystem> {
  const { pool, address, destroy } = await createDatabase()
  await pool.query(`UPDATE leases SET epoch = 1, holder = 'test', until = now() + interval '1 hour'`)
  const others: ClusterPool[] = []
  function another(epoch = 1): { pool: ClusterPool; documents: DocumentStore } {
    const own = openPool({ address, maxConnections: 4, name: 'another' })
    others.push(own)
    return { pool: own, documents: createClusterDocuments({ pool: own, epochOf: () => epoch }) }
  }
  return {
    pool,
    address,
    another,
    async open() {
      return Array.from({ length: shards }, (): OpenShard => {
        const { pool: own, documents } = another()
        const frontier = new Proxy({} as OpenShard['frontier'], { get: unused })
        return { frontier, documents, objects: createClusterObjects(own), versions: createClusterVersions(own) }
      })
    },
    close: async () => {},
    kill: async () => {},
    leaveHalfWritten: async () => {},
    hostOf(shard, n) {
      for (let number = 0, left = n; ; number++) {
        const host = `host${number}.example`
        if (partitionOf(host) % shards === shard && left-- === 0) return host
      }
    },
    leases: { acquire: unused },
    withRuns: unused,
    async destroy() {
      await Promise.all(others.map((each) => each.close()))
      await destroy()
    },
  }
}

export const archiveEngine: StoreEngine = { name: 'cluster', hasNoFiles: true, create: createArchiveSystem }
