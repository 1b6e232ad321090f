/**
 * What modules were handed and have not checkpointed yet, and their checkpoints. Pages are in it before their requests are done, so nothing
 * is lost by a crash; they leave it when all modules have a checkpoint behind them.
 *
 * A process has a place of its own for as long as the journal is open: on a data folder there is one, on a shared store another process
 * that starts takes over the lowest place that is free, with all that is left in it.
 */
export type ModuleJournal = {
  /** Takes a place. `run` is the crawl's; 0 for a service, which goes on for ever. What other crawls left behind is dropped. */
  open(run: number): Promise<JournalContent>
  /** All or nothing. Repeating it is harmless: where a connection broke, nobody knows whether it was done. */
  append(pages: readonly JournalPage[]): Promise<void>
  /** Replaces the checkpoint of the module, and drops pages up to `dropTo`. */
  save(checkpoint: ModuleCheckpoint, dropTo: number): Promise<void>
  /** Drops pages up to a number. */
  drop(dropTo: number): Promise<void>
  /** The crawl is over: nothing is kept of it. */
  clear(): Promise<void>
  /** Gives the place back. */
  close(): Promise<void>
}

export type JournalContent = { checkpoints: ModuleCheckpoint[]; pages: JournalPage[] }

export type JournalPage = {
  /** Grows. */
  seq: number
  /** JSON. */
  answer: string
  /** Null where there is none, or the archive has it. */
  body: Uint8Array | null
}

export type ModuleCheckpoint = {
  module: string
  /** The last page that is part of it. */
  seq: number
  /** JSON: what is reported about the module. */
  report: string
  /** Null for a module without state. */
  state: Uint8Array | null
}
