import type { MessagePort } from 'node:worker_threads'
import type { DocumentStore } from '../../contracts/documents.ts'
import type { FrontierStore } from '../../contracts/frontier.ts'
import type { WalkStore } from '../../contracts/walks.ts'
import { createArchiveWriter } from '../archive/archive-writer.ts'
import { createSqliteDocuments } from '../documents/documents.ts'
import { createExchange } from '../frontier/exchange.ts'
import { createSqliteFrontier } from '../frontier/frontier.ts'
import { type ChooseOwner, createHostOwners } from '../frontier/host-owners.ts'
import { createPartitionOwners, type PartitionMemory } from '../frontier/partition-owners.ts'
import { createSqliteWalks } from '../frontier/walks.ts'
import { openDatabase } from './database.ts'
import { paths } from './folder.ts'
import { catalogMigrations } from './schema-catalog.ts'

export type ShardStoreOptions = {
  folder: string
  shard: number
  shards: number
  run: number
  partitions: PartitionMemory
  /** Set if hosts are assigned to shards individually. */
  chooseOwner?: ChooseOwner | null
  ports: readonly (MessagePort | null)[]
  maxUrlsPerHost: number
  /** Most documents are already known: the catalogue will be read as often as written. */
  looksBack?: boolean
  maxFileBytes: number
  now(): number
  fileHeader(fileName: string): Uint8Array
  isWhole?(record: Uint8Array): boolean
  onClosed?(fileId: number): void
  onWarning(message: string): void
}

const MAPPED_BYTES = 64 << 20

export type ShardStore = {
  frontier: FrontierStore
  documents: DocumentStore
  walks: WalkStore
  /** Whether a host belongs to this shard. */
  owns(host: string): boolean
  /** The last process to use it was killed. */
  recovered: boolean
  close(): Promise<void>
}

/** Everything that one shard writes to: its frontier file, its archive file, and its own connection to the catalogue. */
export function openShardStore(options: ShardStoreOptions): ShardStore {
  const { folder, shard, shards, run, maxUrlsPerHost } = options
  const catalog = openDatabase(paths.catalog(folder), {
    migrations: catalogMigrations,
    mustExist: true,
    cacheKib: 4_096,
    ...(options.looksBack === true ? { mappedBytes: MAPPED_BYTES } : {}),
  })
  const archive = createArchiveWriter({ ...options, db: catalog, folder: paths.archive(folder) })
  const byPartition = createPartitionOwners(options.partitions, shards, catalog)
  const ownerOf = createHostOwners(catalog, { shards, byPartition, choose: options.chooseOwner ?? null })
  const frontier = createSqliteFrontier({
    path: paths.frontier(folder, shard),
    run,
    shard,
    ownerOf,
    exchange: createExchange(options.ports),
    maxUrlsPerHost,
  })
  return {
    frontier,
    documents: createSqliteDocuments(catalog, archive),
    walks: createSqliteWalks(catalog),
    owns: (host) => ownerOf(host) === shard,
    recovered: frontier.recoveredOf(0),
    async close() {
      await frontier.close()
      archive.close()
      catalog.close()
    },
  }
}
