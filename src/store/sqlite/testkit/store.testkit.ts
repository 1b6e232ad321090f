import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { systemClock } from '../../../core/clock.ts'
import { partitionCount, partitionOf } from '../../../core/url/partition.ts'
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
import { createSqliteAccounts } from '../accounts/accounts.ts'
import { createSqliteSessions, createSqliteTokens } from '../accounts/credentials.ts'
import { createSqliteProfiles } from '../accounts/profiles.ts'
import { createSqliteServerSecrets, createSqliteSetup, createSqliteSignInFailures } from '../accounts/sign-in.ts'
import { createSqliteCredentials } from '../accounts/source-credentials.ts'
import { createSqliteObjects } from '../archive/objects.ts'
import { createSqliteCollection } from '../documents/collection.ts'
import { createSqliteCollectionRuns } from '../documents/collection-runs.ts'
import { createSqliteVersions } from '../documents/versions.ts'
import { type Database, openDatabase } from '../folder/database.ts'
import { type DataFolder, openCatalogForReading, openFolder, paths, readFacts } from '../folder/folder.ts'
import { catalogMigrations } from '../folder/schema-catalog.ts'
import { openShardStore, type ShardStore } from '../folder/shard-store.ts'
import { createSqliteKeptCounter } from '../folder/status.ts'
import { createSqliteCrawls } from '../frontier/crawls.ts'
import { createSqliteFrontierView } from '../frontier/frontier-view.ts'
import { createSqliteGraphView } from '../frontier/graph-view.ts'
import { createSqliteHostView } from '../frontier/host-view.ts'
import { createSqliteWalks } from '../frontier/walks.ts'
import { createSqliteWatches } from '../frontier/watches.ts'
import { createSqliteAnnotations } from '../inbox/annotations.ts'
import { createSqliteChannels } from '../inbox/channels.ts'
import { createSqliteDeliveries } from '../inbox/deliveries.ts'
import { createSqliteInbox } from '../inbox/inbox.ts'
import { createSqliteModuleJournal } from '../modules/module-journal.ts'
import { openSqliteSearchIndex } from '../search/search-index.ts'

/** A data folder in the temporary folder, with shards opened and closed by the test. */
export type SqliteSystem = StoreSystem & { folder: string; warnings: string[]; closedFiles: number[]; now: number }

export const sqliteEngine: StoreEngine = {
  name: 'embedded',
  create: async (options) => createSqliteSystem(options),
  openStores(system, { headerOf = () => '', clock = systemClock, portion } = {}) {
    const { folder } = system as SqliteSystem
    const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
    const objects = createSqliteObjects(db, paths.archive(folder))
    const hosts = createSqliteHostView({ folder, db, clock, ...(portion === undefined ? {} : { portion }) })
    const frontier = createSqliteFrontierView(folder, readFacts(db)?.shards ?? 0)
    return {
      accounts: createSqliteAccounts(db),
      sessions: createSqliteSessions(db),
      tokens: createSqliteTokens(db),
      signInFailures: createSqliteSignInFailures(db),
      requestCounts: null,
      serverSecrets: createSqliteServerSecrets(db),
      setup: createSqliteSetup(db),
      profiles: createSqliteProfiles(db),
      watches: createSqliteWatches(db),
      crawls: createSqliteCrawls(db),
      inbox: createSqliteInbox(db),
      annotations: createSqliteAnnotations(db),
      deliveries: createSqliteDeliveries(db),
      channels: createSqliteChannels(db),
      credentials: createSqliteCredentials(db),
      versions: createSqliteVersions(db),
      collection: createSqliteCollection({ db, objects, headerOf, textOf: async () => null }),
      collectionRuns: createSqliteCollectionRuns(db),
      moduleJournal: () => createSqliteModuleJournal(db),
      frontier,
      hosts,
      graph: createSqliteGraphView(db),
      walks: createSqliteWalks(db),
      countKept: createSqliteKeptCounter(db),
      close() {
        frontier.close()
        hosts.close()
        db.close()
      },
    }
  },
}

type Opened = { folder: DataFolder; shards: { store: ShardStore; reader: Database }[]; ports: MessagePort[] }

export function createSqliteSystem(
  parts: Partial<SystemOptions> = {},
  folder = mkdtempSync(join(tmpdir(), 'erace-store-')),
): SqliteSystem {
  const options = { ...defaultOptions, ...parts }
  let opened: Opened | null = null

  function take(holder: string): DataFolder {
    return openFolder({ folder, holder, shards: options.shards, lockWaitMs: 0 })
  }

  function openShard(run: number, shard: number, ports: readonly (MessagePort | null)[]) {
    const store = openShardStore({
      ...options,
      folder,
      shard,
      run,
      partitions: fixedPartitions(options.shards),
      ports,
      now: () => system.now,
      fileHeader: (name) => Buffer.from(`[${name}]`),
      onClosed: (fileId) => system.closedFiles.push(fileId),
      onWarning: (message) => system.warnings.push(message),
    })
    return { store, reader: openCatalogForReading(folder) }
  }

  const system: SqliteSystem = {
    folder,
    warnings: [],
    closedFiles: [],
    now: Date.UTC(2026, 0, 1),
    async open(run) {
      const held = take('test')
      opened = { folder: held, shards: [], ports: [] }
      const ways = connect(options.shards)
      opened.ports = ways.flat().filter((port) => port !== null)
      try {
        for (let shard = 0; shard < options.shards; shard++) opened.shards.push(openShard(run, shard, ways[shard]!))
      } catch (error) {
        await system.kill()
        throw error
      }
      return opened.shards.map(
        ({ store, reader }): OpenShard => ({
          ...store,
          documents: {
            ...store.documents,
            counts: async () => reader.prepare(documentCountsSql).get() as DocumentCounts,
          },
          objects: createSqliteObjects(reader, paths.archive(folder)),
          versions: createSqliteVersions(reader),
        }),
      )
    },
    async close() {
      if (opened === null) return
      const { shards, folder: held } = opened
      opened = null
      for (const { store, reader } of shards) {
        reader.close()
        await store.close()
      }
      await held.close()
    },
    async kill() {
      if (opened === null) return
      // The connections stay open but unused, so that the files look as a killed process leaves them.
      for (const port of opened.ports) port.close()
      await opened.folder.close()
      opened = null
    },
    async leaveHalfWritten() {
      const archive = paths.archive(folder)
      for (const name of readdirSync(archive)) appendFileSync(join(archive, name), '<http://half.example/>half a rec')
    },
    hostOf: (shard, n) => hostOfShard(shard, options.shards, n),
    leases: {
      async acquire(holder) {
        const { lease, close } = take(holder)
        return { ...lease, release: close }
      },
    },
    async withRuns(work) {
      const held = take('test')
      try {
        return await work(held.runs)
      } finally {
        await held.close()
      }
    },
    async destroy() {
      await system.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return system
}

/** A channel between each pair of shards: `ways[a][b]` is the port from shard a to shard b. */
function connect(shards: number): (MessagePort | null)[][] {
  const ways = Array.from({ length: shards }, () => new Array<MessagePort | null>(shards).fill(null))
  for (let a = 0; a < shards; a++) {
    for (let b = a + 1; b < shards; b++) {
      const { port1, port2 } = new MessageChannel()
      ways[a]![b] = port1
      ways[b]![a] = port2
    }
  }
  return ways
}

/** Predictable owners for tests. */
function fixedPartitions(shards: number): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(4 * (partitionCount + 1))
  new Int32Array(memory).forEach((_, partition, table) => {
    table[partition] = partition % shards
  })
  return memory
}

function hostOfShard(shard: number, shards: number, n: number): string {
  for (let number = 0, left = n; ; number++) {
    const host = `host${number}.example`
    if (partitionOf(host) % shards === shard && left-- === 0) return host
  }
}

/** An index in the temporary folder; every version counts as kept until it is dropped. */
export function createSearchSystem(): SearchSystem & { path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'erace-search-'))
  const path = join(folder, 'search.db')
  const dropped = new Set<number>()
  return {
    path,
    open: async () =>
      openSqliteSearchIndex({ path, kept: async (ids) => new Set(ids.filter((id) => !dropped.has(id))) }),
    drop(ids) {
      for (const id of ids) dropped.add(id)
    },
    async whileWriting(work) {
      const writer = new DatabaseSync(path)
      try {
        writer.exec('BEGIN IMMEDIATE')
        await work()
      } finally {
        writer.close()
      }
    },
    destroy: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

export const sqliteSearch: SearchEngine = { name: 'embedded', create: async () => createSearchSystem() }
