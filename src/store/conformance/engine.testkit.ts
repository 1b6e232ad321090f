import type { Clock } from '../../core/clock.ts'
import type { CollectionStore } from '../contracts/collection.ts'
import type { DocumentStore } from '../contracts/documents.ts'
import type { FrontierStore } from '../contracts/frontier.ts'
import type { ArchiveFile, ObjectStore } from '../contracts/objects.ts'
import type { RunStore } from '../contracts/runs.ts'
import type { StoreSet } from '../contracts/store-set.ts'
import type { VersionStore } from '../contracts/versions.ts'

/**
 * What a storage engine provides to be tested against the contracts. Each suite creates a fresh system per test and uses
 * only the contracts, without knowledge of the implementation.
 */
export type StoreEngine = {
  name: string
  /** Records are not stored consecutively in files. */
  hasNoFiles?: boolean
  /** Several servers share the store, and with it the key of the set-up link. */
  isShared?: boolean
  create(options: SystemOptions): Promise<StoreSystem>
  /** Opens all stores other than the shards of a system; each call opens a new connection. */
  openStores(system: StoreSystem, options?: OpenOptions): OpenStores
}

export type OpenOptions = {
  /** Response header of a sample page's record. */
  headerOf?(record: Buffer): string
  clock?: Clock
  /** Rows per batch, for views that read in batches. */
  portion?: number
}

export type OpenStores = Omit<StoreSet, 'seed' | 'keyFile' | 'objects' | 'readDisk' | 'check' | 'close'> & {
  collection: CollectionStore
  close(): void
}

export type SystemOptions = {
  shards: number
  maxUrlsPerHost: number
  /** Size at which an archive file is closed and the next one begun, if the engine has files. */
  maxFileBytes: number
}

/** One data folder, or one set of database schemas: the state that outlives the processes using it. */
export type StoreSystem = {
  /** Opens every shard for a run, ready to exchange links. No shard may be open. */
  open(run: number): Promise<OpenShard[]>
  /** Resolves when every shard has been notified of what others queued for it; for engines that don't notify at once. */
  arrived?(): Promise<void>
  /** Closes all shards cleanly. */
  close(): Promise<void>
  /** Drops all shards without closing them, as after `kill -9`. */
  kill(): Promise<void>
  /** Leaves behind what a process killed while storing a body would leave. No shard may be open. */
  leaveHalfWritten(): Promise<void>
  /** The nth host that belongs to a shard. */
  hostOf(shard: number, n: number): string
  /** The write lease: `acquire` throws `store-locked` with the current holder's name while another holds it. */
  readonly leases: { acquire(holder: string): Promise<Lease> }
  /** Runs `work` with the store of runs, under the write lease if the engine needs it for runs. */
  withRuns<T>(work: (runs: RunStore) => Promise<T>): Promise<T>
  destroy(): Promise<void>
}

export type OpenShard = {
  frontier: FrontierStore
  documents: DocumentStore & { counts(): Promise<DocumentCounts> }
  objects: ObjectStore
  versions: VersionStore
}

/** The epoch grows with every change of holder. */
export type Lease = { epoch: number; shards: number; release(): Promise<void> }

/** Numbers of rows in the catalogue. */
export type DocumentCounts = { documents: number; versions: number; bodies: number }

export const documentCountsSql = `SELECT (SELECT count(*) FROM documents) AS documents,
  (SELECT count(*) FROM versions) AS versions, (SELECT count(*) FROM bodies) AS bodies`

export const defaultOptions: SystemOptions = { shards: 1, maxUrlsPerHost: 1_000_000, maxFileBytes: 1_000_000 }

/** Creates a system for a test and destroys it afterwards. */
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
