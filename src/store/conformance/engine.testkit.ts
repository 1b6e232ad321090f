import type { Clock } from '../../core/clock.ts'
import type { CollectionStore } from '../contracts/collection.ts'
import type { DocumentStore } from '../contracts/documents.ts'
import type { FrontierStore } from '../contracts/frontier.ts'
import type { ArchiveFile, ObjectStore } from '../contracts/objects.ts'
import type { RunStore } from '../contracts/runs.ts'
import type { StoreSet } from '../contracts/store-set.ts'
import type { VersionStore } from '../contracts/versions.ts'

/**
 * What a storage engine brings to be held against the contracts. Each suite asks for a fresh system per test, works
 * with the contracts alone, and knows nothing of what lies behind them.
 */
export type StoreEngine = {
  name: string
  /** Records do not lie behind each other in files. */
  hasNoFiles?: boolean
  /** Several servers share the store, and with it the key of the set-up link. */
  isShared?: boolean
  create(options: SystemOptions): Promise<StoreSystem>
  /** All other stores, beside the shards of a system; each call opens another connection. */
  openStores(system: StoreSystem, options?: OpenOptions): OpenStores
}

export type OpenOptions = {
  /** Of what the sample pages archive. */
  headerOf?(record: Buffer): string
  clock?: Clock
  /** Rows that a view reads at a time, where it reads in portions. */
  portion?: number
}

export type OpenStores = Omit<StoreSet, 'seed' | 'keyFile' | 'objects' | 'readDisk' | 'check' | 'close'> & {
  collection: CollectionStore
  close(): void
}

export type SystemOptions = {
  shards: number
  maxUrlsPerHost: number
  /** Size at which an archive file is closed and the next one begun, where the engine has files. */
  maxFileBytes: number
}

/** One data folder, one set of database schemas: whatever outlives the processes that use it. */
export type StoreSystem = {
  /** Opens every shard for a run, ready to exchange links. Nothing may be open then. */
  open(run: number): Promise<OpenShard[]>
  /** Resolves when every shard has been told what others queued for it; of engines that do not tell it at once. */
  arrived?(): Promise<void>
  /** Closes all shards in good order. */
  close(): Promise<void>
  /** All shards are gone as after `kill -9`: nobody said goodbye. */
  kill(): Promise<void>
  /** Leaves behind what a process that was killed in the midst of storing a body leaves. Nothing may be open then. */
  leaveHalfWritten(): Promise<void>
  /** The nth host that belongs to a shard. */
  hostOf(shard: number, n: number): string
  /** Who may write: `acquire` throws `store-locked` with the present holder's name while another has the lease. */
  readonly leases: { acquire(holder: string): Promise<Lease> }
  /** Who may write must be settled before runs are. */
  withRuns<T>(work: (runs: RunStore) => Promise<T>): Promise<T>
  destroy(): Promise<void>
}

export type OpenShard = {
  frontier: FrontierStore
  documents: DocumentStore & { counts(): Promise<DocumentCounts> }
  objects: ObjectStore
  versions: VersionStore
}

/** Its epoch grows with every change of hands. */
export type Lease = { epoch: number; shards: number; release(): Promise<void> }

/** Rows of the catalogue. */
export type DocumentCounts = { documents: number; versions: number; bodies: number }

export const documentCountsSql = `SELECT (SELECT count(*) FROM documents) AS documents,
  (SELECT count(*) FROM versions) AS versions, (SELECT count(*) FROM bodies) AS bodies`

export const defaultOptions: SystemOptions = { shards: 1, maxUrlsPerHost: 1_000_000, maxFileBytes: 1_000_000 }

/** Gives a test its own system and takes it away again. */
export function withSystem(
  engine: StoreEngine,
  options: Partial<SystemOptions>,
  work: (system: StoreSystem) => Promise<void>,
): () => Promise<void> {
  return async () => {
    const system = await engine.create({ ...defaultOptions, ...options })
    try {
      await work(system)
    } finally {
      await system.destroy()
    }
  }
}

export async function openOne(system: StoreSystem, run = 1): Promise<OpenShard> {
  const [shard] = await system.open(run)
  return shard!
}

export async function openTwo(system: StoreSystem, run = 1): Promise<[OpenShard, OpenShard]> {
  const [first, second] = await system.open(run)
  return [first!, second!]
}

/** The volumes of an engine that has files. */
export async function filesOf(objects: Pick<ObjectStore, 'volumes'>): Promise<ArchiveFile[]> {
  return (await objects.volumes()).filter((volume) => volume.kind === 'file')
}
