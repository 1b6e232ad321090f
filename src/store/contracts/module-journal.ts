/**
 * Checkpoints of modules, and the pages handed to them since. Pages are appended before their requests are marked done, so a crash loses
 * none; they are dropped when all modules have a later checkpoint.
 *
 * A process has its own slot while the journal is open. A data folder has one slot; on a shared store, a starting process takes the
 * lowest free slot, with everything left in it.
 */
export type ModuleJournal = {
  /** Takes a slot. `run` is the crawl's; 0 for a service, which runs indefinitely. A crawl drops what other crawls left behind. */
  open(run: number): Promise<JournalContent>
  /** All or nothing. Idempotent, since it is unknown whether it succeeded if the connection broke. */
  append(pages: readonly JournalPage[]): Promise<void>
  /** Replaces the checkpoint of the module, and drops pages up to `dropTo`. */
  save(checkpoint: ModuleCheckpoint, dropTo: number): Promise<void>
  /** Drops pages up to a number. */
  drop(dropTo: number): Promise<void>
  /** Removes everything, when the crawl is over. */
  clear(): Promise<void>
  /** Releases the slot. */
  close(): Promise<void>
}

export type JournalContent = { checkpoints: ModuleCheckpoint[]; pages: JournalPage[] }

export type JournalPage = {
  /** Increasing. */
  seq: number
  /** JSON. */
  answer: string
  /** Null if there is none, or it is in the archive. */
  body: Uint8Array | null
}

export type ModuleCheckpoint = {
  module: string
  /** The last page it covers. */
  seq: number
  /** The module's report, as JSON. */
  report: string
  /** Null for a module without state. */
  state: Uint8Array | null
}
