import type { Damage } from '../../archive/verify/verify.ts'
import type { GcFiles } from '../../core/reports/gc-report.ts'
import type { StatusReport } from '../../core/reports/status-report.ts'
import type { VerifyFault } from '../../core/reports/verify-report.ts'
import type { CollectionStore } from '../../store/contracts/collection.ts'
import type { SearchIndex } from '../../store/contracts/search.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'

/**
 * What a command wants of the place it works on: to look, to change what is there, or to make it where it is not there yet (only a
 * data folder is; the schema of a shared store is applied by `erace migrate` and by the roles).
 */
export type Purpose = 'look' | 'change' | 'make'

/** Everything of one place for one command, whichever engine is behind it; `close` gives all of it back. */
export type TargetStores = StoreSet & {
  readStatus(): Promise<StatusReport>
  /** The id that no version is above now: how much there is to be indexed. */
  newestVersion(): Promise<number>
  /** The full text index, to be closed by the caller. */
  openSearch(): Promise<SearchIndex>
  /** Throws the index away: it is made anew from what is kept. */
  removeSearch(): Promise<void>
  /** Says what is to be done about an index that can't be read. */
  explainSearchFault(error: unknown): unknown
  /** What is wrong with the store itself: damaged files, rows that point nowhere. */
  findFaults(): Promise<VerifyFault[]>
  /** Keeps everybody out for so long who would be in the way of a repair. Throws where somebody is. */
  whileAlone<T>(work: () => Promise<T>): Promise<T>
  /** Promises nothing any more that can't be read; the next crawl fetches it again. */
  giveUp(damage: readonly Damage[]): Promise<Repair>
}

export type Repair = { lost: { count: number; urls: string[] }; forgottenFiles: number }

/** Where garbage is collected, and by nobody else meanwhile. */
export type CollectingTarget = {
  collection: CollectionStore
  /** Wall clock of whoever stamps versions there. */
  now(): number
  /** They are gone: the search index is told, where there is one. */
  forget(versionIds: number[]): Promise<void>
  /** Gives back the room of what was collected; not there where the store does so by itself. */
  rewriteFiles?(): Promise<GcFiles>
  close(): Promise<void>
}
