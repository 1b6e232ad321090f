/**
 * A data folder on its way into a shared store, as rows that neither engine has to know the other for. Rows have the columns of
 * the shared store, and ids as they are there; where they come from and how they are written is each engine's own matter.
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

/** Numbers of 64 bits travel as texts. */
export type ImportValue = number | string | boolean | Buffer | null

export type ImportRow = Record<string, ImportValue>

/** The key of the last row of a portion. It is kept in the store, so it has only what JSON has. */
export type ImportCursor = readonly (number | string)[]

export type ImportPortion = {
  rows: ImportRow[]
  /** Where the next portion begins; null when this was the last. */
  after: ImportCursor | null
}

/** What is true of the whole folder. */
export type ImportFacts = {
  /** Secret seed of the URL fingerprints. */
  seed: readonly [number, number]
  /** The run that the frontier is in. */
  run: number
  /** Whether every shard came to its end by itself: else hosts may have been asked a moment before. */
  clean: boolean
  /** Hash of the key of the set-up link, in hexadecimal. */
  setup: string | null
  revisions: { profiles: number; accounts: number }
  /** The highest numbers that were ever given out, by what they count. */
  highest: Record<CountedTable, number>
}

/** `ids` are documents, versions and tasks, before their partition is added. */
export type CountedTable = 'ids' | 'accounts' | 'sessions' | 'tokens' | 'watches' | 'crawls' | 'urds' | 'annotations'

/** Where rows come from. Reading changes nothing. */
export type ImportSource = {
  /** The same for one folder until the next crawl into it; tells folders apart. */
  readonly identity: string
  facts(): ImportFacts
  /** Rows of a kind, roughly: for progress. */
  count(kind: ImportKind): number
  /**
   * Rows behind a place, in the order of their keys. With `content`, versions have the bytes of their record in the column of that name, and are
   * lost where those can't be read.
   */
  read(kind: ImportKind, after: ImportCursor | null, options: { content: boolean }): Promise<ImportPortion>
  /** The version with this id in the shared store, as `read` gives it with its content. */
  readVersion(id: number): Promise<ImportRow | null>
  close(): void
}

/** How far a move has come. Kept in the shared store, and changed together with the rows that it speaks of. */
export type ImportState = {
  /** Grows with each portion: another number means another process is importing. */
  n: number
  source: string
  /** `settling`: all rows are there, what follows from them is not. */
  phase: 'copying' | 'settling' | 'checking' | 'done'
  kind: ImportKind
  after: ImportCursor | null
  /** Rows of this kind so far. */
  rows: number
  /** Rows of each kind in the folder, as they were checked. */
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
  /** Everything of the portion together with the mark, once: a repetition finds its own mark. */
  write(before: ImportState, after: ImportState): Promise<void>
}

/** Where rows go to. */
export type ImportTarget = {
  /** The mark of this source, which is set where the store is empty; refuses a store that is not, or is in use. */
  begin(source: string, facts: ImportFacts): Promise<ImportState>
  mark(): Promise<ImportState | null>
  /** Nothing is written yet. */
  pack(kind: ImportKind, rows: readonly ImportRow[]): Promise<PackedPortion>
  /** The mark alone. */
  note(before: ImportState, after: ImportState): Promise<void>
  /** Sequences, counters and all else that follows from the rows, so that the store goes on from there. */
  settle(facts: ImportFacts, before: ImportState, after: ImportState): Promise<void>
  /** Places of rows that are not there, or not the same. */
  compare(kind: ImportKind, rows: readonly ImportRow[]): Promise<number[]>
  /** Places of versions that refer to a body that is not kept as theirs. */
  strays(versions: readonly ImportRow[]): Promise<number[]>
  /** Faults of what was derived from rows: counts and the like. */
  checkDerived(): Promise<string[]>
  count(kind: ImportKind): Promise<number>
  close(): Promise<void>
}
