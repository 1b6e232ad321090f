import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { CrawlSettings } from '../config/crawl-settings.ts'
import type { Account } from '../core/account.ts'
import type { Profile } from '../core/profile.ts'
import type { ImportedProfile, ProfileDraft, ProfileUrd } from '../core/profile-draft.ts'
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
import type { MoveProgress, MoveReport } from '../core/reports/import-report.ts'
import type { PreviewProgress, PreviewReport, PreviewRequest } from '../core/reports/preview-report.ts'
import type { ProfileImportReport, ProfileQueryResult } from '../core/reports/profile-report.ts'
import type { IndexProgress, SearchReport, SearchRequest } from '../core/reports/search-report.ts'
import type { StatusReport } from '../core/reports/status-report.ts'
import type { VerifyProgress, VerifyReport } from '../core/reports/verify-report.ts'
import type { UserDraft } from '../services/accounts/account-maker.ts'
import type { Removed } from '../services/accounts/users.ts'
import type { NodeReport } from '../store/contracts/nodes.ts'

/** What the commands need of the rest of the program. The composition root supplies it. */
export type Engine = {
  crawl(settings: CrawlSettings, hooks: CrawlHooks, place: Place): Promise<CrawlResult>
  up(place: Place, hooks: UpHooks): Promise<void>
  /** Server, scheduler and delivery of a cluster, until the signal. */
  serve(place: Place, hooks: Omit<UpHooks, 'onAnnotated'>): Promise<void>
  /** Crawls and annotates for a cluster, until the signal. */
  worker(place: Place, hooks: WorkerHooks): Promise<void>
  /** Where a cluster is watched and steered. */
  control(place: Place): Promise<ClusterControl>
  /** Which steps of the schema the shared store has. */
  schema(place: Place): Promise<SchemaReport>
  /** Applies the steps that are missing. Returns their numbers. */
  migrate(place: Place): Promise<number[]>
  /** Spreads the tables of the crawl over the servers of a Citus cluster. Returns their names. */
  distribute(place: Place): Promise<string[]>
  /** Copies all of a data folder into a shared store. */
  moveUp(folder: string, store: string, hooks: MoveHooks): Promise<MoveReport>
  status(place: Place): Promise<StatusReport>
  gc(request: GcRequest, hooks: GcHooks): Promise<GcReport>
  verify(
    place: Place,
    onProgress: (progress: VerifyProgress) => void,
    options: { repair: boolean },
  ): Promise<VerifyReport>
  backup(place: Place, file: string, hooks: BackupHooks): Promise<BackupReport>
  restore(file: string, place: Place, hooks: RestoreHooks): Promise<RestoreReport>
  search(place: Place, request: SearchRequest, hooks: SearchHooks): Promise<SearchReport>
  history(place: Place, url: string, request: HistoryRequest): Promise<HistoryReport>
  show(place: Place, address: string): Promise<ShowReport>
  diff(place: Place, url: string, request: CompareRequest): Promise<DiffReport>
  diffPage(report: DiffReport): Promise<string>
  export(place: Place, request: ExportRequest, hooks: ExportHooks): Promise<ExportReport>
  importProfiles(place: Place, profiles: readonly ImportedProfile[]): Promise<ProfileImportReport>
  /** Of one owner, or of all for null. */
  exportProfiles(place: Place, owner: string | null): Promise<AsyncIterable<Profile>>
  exportUrds(place: Place, owner: string | null): Promise<AsyncIterable<ProfileUrd>>
  queryProfiles(place: Place, xpath: string, owner: string | null): Promise<ProfileQueryResult>
  addUser(place: Place, draft: UserDraft): Promise<Account>
  listUsers(place: Place): Promise<Account[]>
  /** Ends all sessions of the account. */
  setPassword(place: Place, email: string, password: string): Promise<Account>
  removeUser(place: Place, email: string): Promise<Removed>
  /** One report for each, in their order; nothing is stored. */
  previewProfiles(
    place: Place,
    profiles: readonly ProfileDraft[],
    request: PreviewRequest,
    hooks: PreviewHooks,
  ): Promise<PreviewReport[]>
}

/**
 * Where the work is done: in a data folder, or in the shared store where there is one. The configuration says how URLs are named, and
 * so which ones are one document.
 */
export type Place = { dataDir: string; store: string | null; config: Config }

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

export type GcRequest = Place & { dryRun: boolean }

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
  onListening(place: ListeningPlace): void
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
export type ClusterLook = {
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
  look(): Promise<ClusterLook>
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

export type MoveHooks = {
  onProgress(progress: MoveProgress): void
  /** Aborted when it shall end in good order; the same call goes on later. */
  signal: AbortSignal
}

/** `setupUrl`: where the first account is made; null where there is one. */
export type ListeningPlace = { url: string; setupUrl: string | null }

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
