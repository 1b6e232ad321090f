import type { Damage } from '../../archive/verify/verify.ts'
import type { StoreStatus } from '../../core/reports/status-report.ts'
import type { VerifyFault } from '../../core/reports/verify-report.ts'
import type { SearchIndex } from '../../store/contracts/search.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'

/**
 * What a command does with its target: read it, change it, or create it if it's missing (a data folder only; the schema of a shared
 * store is applied by `erace migrate` and by the roles).
 */
export type Purpose = 'read' | 'change' | 'create'

/** The stores of one target for one command, on either engine; `close` closes all of them. */
export type TargetStores = StoreSet & {
  readStatus(): Promise<StoreStatus>
  /** The highest version id, up to which the index has to go. */
  newestVersion(): Promise<number>
  /** Opens the full-text index; the caller must close it. */
  openSearch(): Promise<SearchIndex>
  /** Deletes the index: it is rebuilt from the kept versions. */
  removeSearch(): Promise<void>
  /** Adds repair advice to an error of the index. */
  explainSearchError(error: unknown): unknown
  /** Faults of the store itself: damaged files, dangling references. */
  findFaults(): Promise<VerifyFault[]>
  /** Keeps out other writers during a repair. Throws if there is one. */
  whileAlone<T>(work: () => Promise<T>): Promise<T>
  /** Forgets content that can't be read; the next crawl fetches it again. */
  giveUp(damage: readonly Damage[]): Promise<Repair>
}

export type Repair = { lost: { count: number; urls: string[] }; forgottenFiles: number }
