import { systemClock } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import { partitionOf } from '../../../core/url/partition.ts'
import {
  type DocumentCounts,
  defaultOptions,
  documentCountsSql,
  type OpenShard,
  type StoreEngine,
  type StoreSystem,
  type SystemOptions,
} from '../../conformance/engine.testkit.ts'
import type { SearchEngine, SearchSystem } from '../../conformance/search-suite.testkit.ts'
import type { PartitionGrant } from '../../contracts/cluster/partition-leases.ts'
import type { ObjectBackend } from '../../contracts/object-backend.ts'
import { createPostgresAccounts } from '../accounts/accounts.ts'
import { createPostgresSessions, createPostgresTokens } from '../accounts/credentials.ts'
import { createPostgresProfiles } from '../accounts/profiles.ts'
import { createPostgresRequestCounts } from '../accounts/request-counts.ts'
import { createPostgresServerSecrets, createPostgresSetup, createPostgresSignInFailures } from '../accounts/sign-in.ts'
import { createPostgresCredentials } from '../accounts/source-credentials.ts'
import { createPostgresAnnotations } from '../annotations/annotations.ts'
import { createPostgresCollection } from '../archive/collection.ts'
import { createPostgresCollectionRuns } from '../archive/collection-runs.ts'
import { createPostgresObjects } from '../archive/objects.ts'
import { createPlaceReader } from '../archive/place-reader.ts'
import { createOutsideKeeper, insideKeeper, type RecordKeeper } from '../archive/record-keeper.ts'
import { createSegments } from '../archive/segments.ts'
import { createPostgresKeptCounter } from '../archive/status.ts'
import { createPostgresVersions } from '../archive/versions.ts'
import { createPostgresCrawls } from '../cluster/crawls.ts'
import { createPostgresEvents } from '../cluster/events.ts'
import { createPostgresRuns } from '../cluster/runs.ts'
import { createPostgresWatches } from '../cluster/watches.ts'
import { openPool, type PostgresPool } from '../connection/pool.ts'
import { createPostgresDocuments } from '../documents/documents.ts'
import { createPostgresFrontier, type PostgresFrontier } from '../frontier/frontier.ts'
import { createPostgresFrontierView } from '../frontier/frontier-view.ts'
import { createPostgresGraphView } from '../frontier/graph-view.ts'
import { createPostgresHostView } from '../frontier/host-view.ts'
import { createPostgresWalks } from '../frontier/walks.ts'
import { createPostgresChannels } from '../inbox/channels.ts'
import { createPostgresDeliveries } from '../inbox/deliveries.ts'
import { createPostgresInbox } from '../inbox/inbox.ts'
import { createLeaderLease } from '../leases/leader.ts'
import { createPostgresModuleJournal } from '../modules/module-journal.ts'
import { createPostgresSearchIndex, searchStatements } from '../search/search-index.ts'
import { createDatabase, type TestDatabase } from './postgres.testkit.ts'

/** A separate database whose shards a test opens and closes. Shard n holds the partitions with p mod shards = n. */
export type PostgresSystem = StoreSystem & { database: TestDatabase }

type Opened = { pool: PostgresPool; frontier: PostgresFrontier; close(): Promise<void>; kill(): Promise<void> }

/** Storage of bodies outside of the database. */
export type OutsideBodies = {
  backend: ObjectBackend
  /** Leaves behind what a process killed while writing a body would. */
  leaveHalfWritten(): Promise<void>
}

export const postgresEngine = createPostgresEngine('cluster')

export function createPostgresEngine(name: string, outside: () => OutsideBodies | null = () => null): StoreEngine {
  return {
    name,
    hasNoFiles: true,
    isShared: true,
    create: async (options) => createPostgresSystem(options, undefined, outside() ?? undefined),
    openStores(system, { headerOf = () => '', clock = systemClock } = {}) {
      const { address } = (system as PostgresSystem).database
      const pool = openPool({ address, maxConnections: 2, name: 'stores' })
      return {
        accounts: createPostgresAccounts(pool),
        sessions: createPostgresSessions(pool),
        tokens: createPostgresTokens(pool),
        signInFailures: createPostgresSignInFailures(pool),
        requestCounts: createPostgresRequestCounts(pool),
        serverSecrets: createPostgresServerSecrets(pool),
        setup: createPostgresSetup(pool),
        profiles: createPostgresProfiles(pool),
        watches: createPostgresWatches(pool),
        crawls: createPostgresCrawls(pool),
        inbox: createPostgresInbox(pool),
        annotations: createPostgresAnnotations({ pool }),
        deliveries: createPostgresDeliveries(pool),
        channels: createPostgresChannels(pool),
        credentials: createPostgresCredentials(pool),
        versions: createPostgresVersions(pool),
        collection: createPostgresCollection({
          pool,
          objects: openBodies(pool, outside()).objects,
          headerOf,
          textOf: async () => null,
        }),
        collectionRuns: createPostgresCollectionRuns(pool),
        moduleJournal: () => createPostgresModuleJournal(pool),
        frontier: createPostgresFrontierView(pool),
        hosts: createPostgresHostView({ pool, clock }),
        graph: createPostgresGraphView(pool),
        walks: createPostgresWalks(pool),
        countKept: createPostgresKeptCounter(pool),
        close: () => void pool.close(),
      }
    },
  }
}

/** If `outside` is given, even the smallest record is stored outside. */
export function openBodies(pool: PostgresPool, outside: Pick<OutsideBodies, 'backend'> | null) {
  if (outside === null) return { keeper: insideKeeper, objects: createPostgresObjects(pool) }
  const { backend } = outside
  const segments = createSegments(pool)
  return {
    keeper: createOutsideKeeper({ backend, segments, writer: 'test', clock: systemClock, minBytes: 0 }),
    objects: createPostgresObjects(pool, createPlaceReader({ segments, backends: new Map([[backend.kind, backend]]) })),
  }
}

export async function createPostgresSystem(
  parts: Partial<SystemOptions> = {},
  given?: TestDatabase,
  outside: OutsideBodies | null = null,
): Promise<PostgresSystem> {
  const options = { ...defaultOptions, ...parts }
  const database = given ?? (await createDatabase())
  const opened: Opened[] = []

  async function openShard(run: number, shard: number): Promise<OpenShard> {
    const pool = openPool({ address: database.address, maxConnections: 3, name: `shard ${shard}` })
    const events = createPostgresEvents({ pool })
    const { maxUrlsPerHost } = options
    const frontier = createPostgresFrontier({ pool, events, run, maxUrlsPerHost, pollEveryMs: 0 })
    const grants = await takePartitions(database.pool, shard, options.shards)
    await frontier.add(grants)
    const epochs = new Map(grants.map(({ partition, epoch }) => [partition, epoch]))
    const { keeper, objects } = openBodies(pool, outside)
    opened.push({
      pool,
      frontier,
      async close() {
        await keeper.close()
        await frontier.close()
        await events.close()
        await pool.close()
        await leavePartitions(database.pool, shard, options.shards)
      },
      // Waits for pending reads of the frontier, but writes nothing to the database.
      async kill() {
        await frontier.close()
        await events.close()
        await pool.close()
      },
    })
    return {
      frontier,
      documents: countedDocuments(pool, (partition) => epochs.get(partition) ?? -1, keeper),
      objects,
      versions: createPostgresVersions(pool),
    }
  }

  async function end(how: 'close' | 'kill'): Promise<void> {
    for (const shard of opened.splice(0)) await shard[how]()
  }

  const system: PostgresSystem = {
    database,
    async open(run) {
      const shards: OpenShard[] = []
      for (let shard = 0; shard < options.shards; shard++) shards.push(await openShard(run, shard))
      return shards
    },
    async arrived() {
      await Promise.all(opened.map(({ frontier }) => frontier.look()))
    },
    close: () => end('close'),
    kill: () => end('kill'),
    // A body and its version are written in one transaction: a process killed in the middle leaves nothing.
    leaveHalfWritten: async () => outside?.leaveHalfWritten(),
    hostOf: (shard, n) => hostOfShard(shard, options.shards, n),
    leases: {
      async acquire(holder) {
        const leader = createLeaderLease({ pool: database.pool, name: 'store', holder, clock: systemClock })
        const beat = await leader.beat()
        if (beat.kind === 'follows') throw new AppError('store-locked', `held by ${beat.leader}`)
        return { epoch: beat.epoch, shards: options.shards, release: leader.release }
      },
    },
    withRuns: (work) => work(createPostgresRuns(database.pool)),
    async destroy() {
      await end('kill')
      await database.destroy()
    },
  }
  return system
}

/** Takes partitions even if they are held, as the next holder does once the last lease has expired. */
export async function takePartitions(pool: PostgresPool, shard: number, shards: number): Promise<PartitionGrant[]> {
  return pool.query<PartitionGrant>(
    `UPDATE leases l SET holder = $1, epoch = l.epoch + 1, until = now() + interval '1 hour', clean = false
     FROM leases was WHERE was.partition = l.partition AND l.partition % $3::int = $2::int
     RETURNING l.partition, l.epoch, NOT was.clean AS recovered`,
    [`test/${shard}`, shard, shards],
  )
}

async function leavePartitions(pool: PostgresPool, shard: number, shards: number): Promise<void> {
  const free = 'UPDATE leases SET holder = NULL, until = NULL, clean = true WHERE partition % $2::int = $1::int'
  await pool.query(free, [shard, shards])
}

function hostOfShard(shard: number, shards: number, n: number): string {
  for (let number = 0, left = n; ; number++) {
    const host = `host${number}.example`
    if (partitionOf(host) % shards === shard && left-- === 0) return host
  }
}

/** Only an index; every version counts as kept until it is dropped. */
export async function createSearchSystem(): Promise<SearchSystem> {
  const { pool, destroy } = await createDatabase()
  const dropped = new Set<number>()
  return {
    open: async () =>
      createPostgresSearchIndex({ pool, kept: async (ids) => new Set(ids.filter((id) => !dropped.has(id))) }),
    drop(ids) {
      for (const id of ids) dropped.add(id)
    },
    whileWriting: (work) =>
      pool.transaction(async (tx) => {
        await tx.query(searchStatements.lock)
        await work()
      }),
    destroy,
  }
}

export const postgresSearch: SearchEngine = { name: 'cluster', create: createSearchSystem }

/** A database whose partitions are all held under epoch 1, by any process, without a frontier. */
export type ArchiveSystem = {
  pool: PostgresPool
  /** Simulates another process, with its own connections; closed with the system. */
  another(epoch?: number): { pool: PostgresPool; documents: OpenShard['documents'] }
  /** A host in a partition with p mod 2 = `shard`. */
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
      return { pool: own, documents: countedDocuments(own, () => epoch) }
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

function countedDocuments(
  pool: PostgresPool,
  epochOf: (partition: number) => number,
  keeper: RecordKeeper = insideKeeper,
): OpenShard['documents'] {
  const counts = async () => (await pool.query<DocumentCounts>(documentCountsSql))[0]!
  return { ...createPostgresDocuments({ pool, epochOf, keeper }), counts }
}
