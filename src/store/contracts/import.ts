/**
 * Import of a data folder into a shared store, as rows, so that neither engine has to know the other. Rows have the columns and ids of
 * the shared store; how they are read and written is up to each engine.
 */

/** In this order; what is under way between two of them is never needed by the other. */
export const importKinds = [
  'runs',
  'accounts',
  'sessions',
  'tokens',
  'failures',
  'credentials',
  'watches',
  'crawls',
  'profiles',
  'urds',
  'checks',
  'hosts',
  'seen',
  'queue',
  'robots',
  'documents',
  'links',
  'versions',
  'bodies',
  'tasks',
  'reached',
  'prices',
  'noise',
  'unmuted',
  'holds',
  'annotations',
  'also_at',
  'channels',
  'outbox',
  'messages',
  'stories',
  'story_bands',
  'story_splits',
] as const

export type ImportKind = (typeof importKinds)[number]

/** 64-bit numbers are passed as strings. */
export type ImportValue = number | string | boolean | Buffer | null

export type ImportRow = Record<string, ImportValue>

/** The key of the last row of a portion. It is stored as JSON, hence the types. */
export type ImportCursor = readonly (number | string)[]

export type ImportPortion = {
  rows: ImportRow[]
  /** Start of the next portion; null if this was the last. */
  after: ImportCursor | null
}

/** Facts about the whole folder. */
export type ImportFacts = {
  /** Secret seed of the URL fingerprints. */
  seed: readonly [number, number]
  /** The current run of the frontier. */
  run: number
  /** Whether every shard was closed cleanly: if not, hosts may have been requested a moment before. */
  clean: boolean
  /** Hash of the key of the set-up link, in hexadecimal. */
  setup: string | null
  revisions: { profiles: number; accounts: number }
  /** The highest id ever assigned, per sequence. */
  highest: Record<CountedTable, number>
}

/** `ids` are documents, versions and tasks, before their partition is added. */
export type CountedTable = 'ids' | 'accounts' | 'sessions' | 'tokens' | 'watches' | 'crawls' | 'urds' | 'annotations'

/** Source of the rows. Reading changes nothing. */
export type ImportSource = {
  /** Identifies the folder; stays the same until the next crawl into it. */
  readonly identity: string
  facts(): ImportFacts
  /** Approximate number of rows of a kind, for progress. */
  count(kind: ImportKind): number
  /**
   * Rows after a cursor, in key order. With `content`, versions have the bytes of their record in the column of that name, and are
   * `lost` if those can't be read.
   */
  read(kind: ImportKind, after: ImportCursor | null, options: { content: boolean }): Promise<ImportPortion>
  /** The version with this id in the shared store, as `read` returns it with `content`. */
  readVersion(id: number): Promise<ImportRow | null>
  close(): void
}

/** Progress of an import. Stored in the shared store and updated in the same transaction as the rows it covers. */
export type ImportState = {
  /** Grows with each portion: an unexpected number means that another process is importing. */
  n: number
  source: string
  /** `settling`: all rows are written, derived data is not. */
  phase: 'copying' | 'settling' | 'checking' | 'done'
  kind: ImportKind
  after: ImportCursor | null
  /** Rows of this kind so far. */
  rows: number
  /** Number of rows of each kind in the folder that were checked. */
  checked: Partial<Record<ImportKind, number>>
  bytes: number
  bodies: number
  ms: number
  faults: string[]
  faultCount: number
}

/** A portion that is ready to be written. */
export type PackedPortion = {
  bytes: number
  /** Writes the portion and the new state in one transaction. Idempotent: a repetition finds its own state. */
  write(before: ImportState, after: ImportState): Promise<void>
}

/** Destination of the rows. */
export type ImportTarget = {
  /** Returns the state of this import, creating it in an empty store. Refuses any other store that is not empty, or is in use. */
  begin(source: string, facts: ImportFacts): Promise<ImportState>
  mark(): Promise<ImportState | null>
  /** Prepares a portion; writes nothing yet. */
  pack(kind: ImportKind, rows: readonly ImportRow[]): Promise<PackedPortion>
  /** Writes the state alone. */
  note(before: ImportState, after: ImportState): Promise<void>
  /** Sets sequences, counters and all else derived from the rows, so that the store can continue from there. */
  settle(facts: ImportFacts, before: ImportState, after: ImportState): Promise<void>
  /** Indexes of rows that are missing or differ. */
  compare(kind: ImportKind, rows: readonly ImportRow[]): Promise<number[]>
  /** Indexes of versions that refer to a body that is not stored as theirs. */
  strays(versions: readonly ImportRow[]): Promise<number[]>
  /** Faults in derived data, such as counts. */
  checkDerived(): Promise<string[]>
  count(kind: ImportKind): Promise<number>
  close(): Promise<void>
}
