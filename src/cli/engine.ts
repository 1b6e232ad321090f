import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { CrawlSettings } from '../config/crawl-settings.ts'
import type { Account } from '../core/account.ts'
import type { ImportedProfile, Profile, ProfileDraft, ProfileUrd } from '../core/profile.ts'
import type { BackupReport, CopyProgress, RestoreReport } from '../core/reports/backup-report.ts'
import type { CrawlResult, CrawlSnapshot } from '../core/reports/crawl-report.ts'
import type { ExportProgress, ExportReport, ExportRequest } from '../core/reports/export-report.ts'
import type { GcItem, GcProgress, GcReport } from '../core/reports/gc-report.ts'
import type {
  CompareRequest,
  DiffReport,
  HistoryReport,
  HistoryRequest,
  ShowReport,
} from '../core/reports/history-report.ts'
import type { ImportReport } from '../core/reports/import-report.ts'
import type {
  PreviewProgress,
  PreviewReport,
  PreviewRequest,
  ProfileImportReport,
  ProfileQueryResult,
} from '../core/reports/profile-report.ts'
import type { IndexProgress, SearchReport, SearchRequest } from '../core/reports/search-report.ts'
import type { StatusReport } from '../core/reports/status-report.ts'
import type { VerifyProgress, VerifyReport } from '../core/reports/verify-report.ts'
import type { Removed, UserDraft } from '../services/accounts/users.ts'
import type { ImportHooks } from '../services/import/copy.ts'
import type { NodeReport } from '../store/contracts/nodes.ts'

/** What the commands need of the rest of the program. The composition root supplies it. */
export type Engine = {
  /** URI schemes that can be watched. */
  readonly schemes: readonly string[]
  crawl(settings: CrawlSettings, hooks: CrawlHooks, target: Target): Promise<CrawlResult>
  up(target: Target, hooks: UpHooks): Promise<void>
  /** Server, scheduler and delivery of a cluster, until the signal. */
  serve(target: Target, hooks: Omit<UpHooks, 'onAnnotated'>): Promise<void>
  /** Crawls and annotates for a cluster, until the signal. */
  worker(target: Target, hooks: WorkerHooks): Promise<void>
  /** Where a cluster is watched and steered. */
  control(target: Target): Promise<ClusterControl>
  /** Which steps of the schema the shared store has. */
  schema(target: Target): Promise<SchemaReport>
  /** Applies the steps that are missing. Returns their numbers. */
  migrate(target: Target): Promise<number[]>
  /** Spreads the tables of the crawl over the servers of a Citus cluster. Returns their names. */
  distribute(target: Target): Promise<string[]>
  /** Copies all of a data folder into a shared store. */
  importFolder(folder: string, store: string, hooks: ImportHooks): Promise<ImportReport>
  status(target: Target): Promise<StatusReport>
  gc(request: GcRequest, hooks: GcHooks): Promise<GcReport>
  verify(
    target: Target,
    onProgress: (progress: VerifyProgress) => void,
    options: { repair: boolean },
  ): Promise<VerifyReport>
  backup(target: Target, file: string, hooks: BackupHooks): Promise<BackupReport>
  restore(file: string, target: Target, hooks: RestoreHooks): Promise<RestoreReport>
  search(target: Target, request: SearchRequest, hooks: SearchHooks): Promise<SearchReport>
  history(target: Target, url: string, request: HistoryRequest): Promise<HistoryReport>
  show(target: Target, address: string): Promise<ShowReport>
  diff(target: Target, url: string, request: CompareRequest): Promise<DiffReport>
  diffPage(report: DiffReport): Promise<string>
  export(target: Target, request: ExportRequest, hooks: ExportHooks): Promise<ExportReport>
  importProfiles(target: Target, profiles: readonly ImportedProfile[]): Promise<ProfileImportReport>
  /** Of one owner, or of all for null. */
  exportProfiles(target: Target, owner: string | null): Promise<AsyncIterable<Profile>>
  exportUrds(target: Target, owner: string | null): Promise<AsyncIterable<ProfileUrd>>
  queryProfiles(target: Target, xpath: string, owner: string | null): Promise<ProfileQueryResult>
  addUser(target: Target, draft: UserDraft): Promise<Account>
  listUsers(target: Target): Promise<Account[]>
  /** Ends all sessions of the account. */
  setPassword(target: Target, email: string, password: string): Promise<Account>
  removeUser(target: Target, email: string): Promise<Removed>
  /** One report for each, in their order; nothing is stored. */
  previewProfiles(
    target: Target,
    profiles: readonly ProfileDraft[],
    request: PreviewRequest,
    hooks: PreviewHooks,
  ): Promise<PreviewReport[]>
}

/**
 * Where the work is done: in a data folder, or in the shared store where there is one. The configuration says how URLs are named, and
 * so which ones are one document.
 */
export type Target = { dataDir: string; store: string | null; config: Config }

export type SearchHooks = { onProgress(progress: IndexProgress): void; onWarning(message: string): void }

export type PreviewHooks = {
  onProgress(progress: PreviewProgress & { profile: number }): void
  /** Aborted when what was found so far is enough. */
  signal: AbortSignal
}

export type ExportHooks = {
  onProgress(progress: ExportProgress): void
  /** Aborted when the export shall end and leave nothing behind. */
  signal: AbortSignal
}

export type GcRequest = Target & { dryRun: boolean }

export type GcHooks = {
  onProgress(progress: GcProgress): void
  /** Each thing that goes, as it goes. */
  onItem(item: GcItem): void
  onWarning(message: string): void
  /** Aborted when what is begun shall be finished and nothing else. */
  signal: AbortSignal
}

export type UpHooks = {
  /** Aborted when what is in flight shall be finished and kept. */
  signal: AbortSignal
  log: Logger
  onAnnotated(ids: readonly number[]): void
  /** The server answers. */
  onListening(target: ListeningTarget): void
  /** Who is made administrator where there is no account yet. */
  administrator: Administrator | null
}

export type WorkerHooks = {
  /** Aborted when what is in flight shall be finished and kept. */
  signal: AbortSignal
  log: Logger
  /** It has its place in the cluster. */
  onJoined(node: { id: string; name: string }): void
}

/** A cluster at one moment. Times are ages by the clock of the store. */
export type ClusterSnapshot = {
  nodes: NodeReport[]
  /** Partitions that nobody holds at the moment. */
  freePartitions: number
  paused: boolean
  /** More is new than the annotation can take. */
  held: boolean
  /** Who leads the scheduler; empty where nobody does. */
  leader: string
  run: { id: number; finished: boolean } | null
  queued: number
  seen: number
  hosts: number
  /** Versions that wait for annotation. */
  tasks: number
}

export type ClusterControl = {
  snapshot(): Promise<ClusterSnapshot>
  /** By id or by a name that only one has; returns the id. */
  drain(node: string, draining: boolean): Promise<string>
  pause(paused: boolean): Promise<void>
  close(): Promise<void>
}

export type SchemaReport = {
  steps: { id: number; name: string; appliedAt: string | null }[]
  server: string
  citus: boolean
}

/** `setupUrl`: where the first account is made; null where there is one. */
export type ListeningTarget = { url: string; setupUrl: string | null }

export type Administrator = { email: string; password: string }

export type CrawlHooks = {
  /** About five times a second. */
  onProgress(snapshot: CrawlSnapshot): void
  /** Aborted when the crawl shall finish what is in flight, save and return. */
  signal: AbortSignal
  log: Logger
}

export type BackupHooks = {
  force: boolean
  /** Somebody replaces archive files: who it is. */
  onWaiting(text: string): void
  onProgress(progress: CopyProgress): void
  /** Aborted when all that was begun shall go. */
  signal: AbortSignal
}

export type RestoreHooks = Pick<BackupHooks, 'onProgress' | 'signal'>
