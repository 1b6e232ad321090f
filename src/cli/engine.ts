import type { Readable, Writable } from 'node:stream'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { CrawlSettings } from '../config/crawl-settings.ts'
import type { Account } from '../core/account.ts'
import type { ImportedProfile, Profile, ProfileDraft, ProfileUrd } from '../core/profile.ts'
import type { AciImportReport, AciImportRequest } from '../core/reports/aci-report.ts'
import type { AugmentProgress, AugmentReport } from '../core/reports/augment-report.ts'
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
import type { MoveProgress, MoveReport } from '../core/reports/move-report.ts'
import type {
  PreviewProgress,
  PreviewReport,
  PreviewRequest,
  ProfileImportReport,
  ProfileQueryResult,
  QueryRequest,
} from '../core/reports/profile-report.ts'
import type { IndexProgress, SearchReport, SearchRequest } from '../core/reports/search-report.ts'
import type { SimulationReport, SimulationRequest } from '../core/reports/simulation-report.ts'
import type { StatsProgress, StatsReport } from '../core/reports/stats-report.ts'
import type { StatusReport } from '../core/reports/status-report.ts'
import type { VerifyProgress, VerifyReport } from '../core/reports/verify-report.ts'
import type { Removed, UserDraft } from '../services/accounts/users.ts'
import type { AddedChannel, ChannelKind } from '../services/channels/channel-service.ts'
import type { OwnedChannel, TextDraft } from '../services/channels/operator-channels.ts'
import type { TestResult } from '../services/channels/sending.ts'
import type { CredentialsInput } from '../services/credentials/credential-service.ts'
import type { OwnedCredentials } from '../services/credentials/operator-credentials.ts'
import type { ImportHooks } from '../services/import/copy.ts'
import type { ProtocolAbilities } from '../services/profiles/protocols.ts'
import type { NodeReport } from '../store/contracts/cluster/nodes.ts'
import type { Aci } from '../xml/aci/aci.ts'

/** The rest of the program, as the commands see it. The composition root supplies it. */
export type Engine = {
  /** Protocols that can be watched, by URI scheme. */
  abilities(config: Config): Promise<ProtocolAbilities>
  crawl(settings: CrawlSettings, hooks: CrawlHooks, target: Target): Promise<CrawlResult>
  up(target: Target, hooks: UpHooks): Promise<void>
  /** Server, scheduler and delivery of a cluster; runs until the signal. */
  serve(target: Target, hooks: Omit<UpHooks, 'onAnnotated'>): Promise<void>
  /** Crawls and matches for a cluster; runs until the signal. */
  worker(target: Target, hooks: WorkerHooks): Promise<void>
  /** Serves an MCP client until it closes its end or the signal is given. */
  mcp(source: McpSource, hooks: McpHooks): Promise<void>
  /** To monitor and control a cluster. */
  control(target: Target): Promise<ClusterControl>
  /** Lists the migrations of the shared store. */
  schema(target: Target): Promise<SchemaReport>
  /** Applies missing migrations. Returns their numbers. */
  migrate(target: Target): Promise<number[]>
  /** Distributes the crawl tables over the servers of a Citus cluster. Returns their names. */
  distribute(target: Target): Promise<string[]>
  /** Copies a whole data folder into a shared store. */
  importFolder(folder: string, store: string, hooks: ImportHooks, config?: Config): Promise<ImportReport>
  /** Moves the bodies of a shared store to the configured object store. The cluster may keep running. */
  moveObjects(target: Target, hooks: MoveHooks): Promise<MoveReport>
  status(target: Target): Promise<StatusReport>
  /** Counts all documents, and reads a sample of their current versions; 0 for all. */
  stats(target: Target, request: { sample: number }, hooks: StatsHooks): Promise<StatsReport>
  /** Simulates other budgets and policies on the history of the watched sources. */
  simulate(target: Target, request: SimulationRequest, signal: AbortSignal): Promise<SimulationReport>
  /** Retries versions that were set aside. Returns their number. */
  retryTasks(target: Target): Promise<number>
  /** Writes the tables of a static site. */
  augment(request: AugmentOptions, onProgress: (progress: AugmentProgress) => void): Promise<AugmentReport>
  gc(request: GcRequest, hooks: GcHooks): Promise<GcReport>
  verify(
    target: Target,
    onProgress: (progress: VerifyProgress) => void,
    options: { repair: boolean },
  ): Promise<VerifyReport>
  /** Checks a WACZ file, written by any program. */
  verifyWacz(file: string, onProgress: (progress: VerifyProgress) => void): Promise<VerifyReport>
  backup(target: Target, file: string, hooks: BackupHooks): Promise<BackupReport>
  restore(file: string, target: Target, hooks: RestoreHooks): Promise<RestoreReport>
  search(target: Target, request: SearchRequest, hooks: SearchHooks): Promise<SearchReport>
  history(target: Target, url: string, request: HistoryRequest): Promise<HistoryReport>
  show(target: Target, address: string, request?: { markdown: boolean }): Promise<ShowReport>
  diff(target: Target, url: string, request: CompareRequest): Promise<DiffReport>
  /** `text`: by lines or words, as in the report. */
  diffPage(report: DiffReport, view: 'changes' | 'text'): Promise<string>
  export(target: Target, request: ExportRequest, hooks: ExportHooks): Promise<ExportReport>
  importProfiles(target: Target, profiles: readonly ImportedProfile[]): Promise<ProfileImportReport>
  /** For one owner, or all when null. */
  exportProfiles(target: Target, owner: string | null): Promise<AsyncIterable<Profile>>
  exportUrds(target: Target, owner: string | null): Promise<AsyncIterable<ProfileUrd>>
  importAcis(target: Target, acis: readonly Aci[], request: AciImportRequest): Promise<AciImportReport>
  query(target: Target, request: QueryRequest): Promise<ProfileQueryResult>
  addUser(target: Target, draft: UserDraft): Promise<Account>
  listUsers(target: Target): Promise<Account[]>
  /** Ends all sessions of the account. */
  setPassword(target: Target, email: string, password: string): Promise<Account>
  removeUser(target: Target, email: string): Promise<Removed>
  /** For the help. */
  channelKinds(): Promise<ChannelKind[]>
  /** Without an owner: for the only account. */
  addChannel(target: Target, draft: TextDraft & { owner: string | null }): Promise<AddedChannel & { owner: string }>
  /** Those of one owner, or of all when null. */
  listChannels(target: Target, owner: string | null): Promise<OwnedChannel[]>
  /** Sends a message now. */
  testChannel(target: Target, id: string): Promise<TestResult>
  /** Also removes it from profiles. */
  removeChannel(target: Target, id: string): Promise<OwnedChannel>
  /** Without an owner: for the only account. */
  addCredentials(
    target: Target,
    draft: CredentialsInput & { name: string; owner: string | null },
  ): Promise<OwnedCredentials>
  /** Those of one owner, or of all when null. */
  listCredentials(target: Target, owner: string | null): Promise<OwnedCredentials[]>
  removeCredentials(target: Target, which: { owner: string | null; name: string }): Promise<OwnedCredentials>
  /** One report per profile, in the same order; stores nothing. */
  previewProfiles(
    target: Target,
    profiles: readonly ProfileDraft[],
    request: PreviewRequest,
    hooks: PreviewHooks,
  ): Promise<PreviewReport[]>
}

/** `base`: URL of the folder on the web, or null. */
export type AugmentOptions = { folder: string; base: string | null; check: boolean }

/**
 * What a command works on: the shared store if there is one, else the data folder. The configuration decides how URLs are
 * normalised, and so which ones are the same document.
 */
export type Target = { dataDir: string; store: string | null; config: Config }

export type MoveHooks = {
  /** Aborted to stop after the current step; the next call continues. */
  signal: AbortSignal
  onProgress(progress: MoveProgress): void
}

export type SearchHooks = { onProgress(progress: IndexProgress): void; onWarning(message: string): void }

export type PreviewHooks = {
  onProgress(progress: PreviewProgress & { profile: number }): void
  /** Aborted to return what was found so far. */
  signal: AbortSignal
}

export type StatsHooks = {
  onProgress(progress: StatsProgress): void
  /** Aborted to return what was counted so far. */
  signal: AbortSignal
}

export type ExportHooks = {
  onProgress(progress: ExportProgress): void
  /** Aborted to end the export and leave no file behind. */
  signal: AbortSignal
}

export type GcRequest = Target & { dryRun: boolean }

export type GcHooks = {
  onProgress(progress: GcProgress): void
  /** Called for each removed item. */
  onItem(item: GcItem): void
  onWarning(message: string): void
  /** Aborted to stop after the current step. */
  signal: AbortSignal
}

export type UpHooks = {
  /** Aborted to finish requests in flight, save and return. */
  signal: AbortSignal
  log: Logger
  onAnnotated(ids: readonly number[]): void
  /** The server is ready. */
  onListening(target: ListeningTarget): void
  /** The administrator to create when there is no account yet. */
  administrator: Administrator | null
}

/** Where an MCP client gets its data: the store, for one owner (null: the only account), or a service that runs elsewhere. */
export type McpSource =
  | { kind: 'store'; target: Target; owner: string | null }
  | { kind: 'service'; url: string; token: string }

export type McpHooks = { signal: AbortSignal; log: Logger; input: Readable; output: Writable }

export type WorkerHooks = {
  /** Aborted to finish requests in flight, save and return. */
  signal: AbortSignal
  log: Logger
  /** The node has joined the cluster. */
  onJoined(node: { id: string; name: string }): void
}

/** A cluster at one moment. Times are ages by the store's clock. */
export type ClusterSnapshot = {
  /** Why the counts of the whole store could not be read; the last known ones are shown. */
  problem: string | null
  nodes: NodeReport[]
  /** Partitions without a lease. */
  freePartitions: number
  paused: boolean
  /** Fetching is throttled until matching catches up. */
  held: boolean
  /** The node that leads the scheduler; empty for none. */
  leader: string
  run: { id: number; finished: boolean } | null
  queued: number
  seen: number
  hosts: number
  /** Versions waiting to be matched. */
  tasks: number
  /** Hosts with the longest queues, longest first. */
  heavyHosts: { host: string; queued: number }[]
}

export type ClusterControl = {
  snapshot(): Promise<ClusterSnapshot>
  /** By id or unique name; returns the id. */
  drain(node: string, draining: boolean): Promise<string>
  pause(paused: boolean): Promise<void>
  close(): Promise<void>
}

export type SchemaReport = {
  steps: { id: number; name: string; appliedAt: string | null }[]
  server: string
  citus: boolean
}

/** `setupUrl` creates the first account; null when there is one. */
export type ListeningTarget = { url: string; setupUrl: string | null }

export type Administrator = { email: string; password: string }

export type CrawlHooks = {
  /** About five times a second. */
  onProgress(snapshot: CrawlSnapshot): void
  /** Backpressure: while the reader of new pages is too far behind those stored, no request is started. Not in a cluster or a service. */
  isBehind?(stored: number): boolean
  /** Aborted to finish requests in flight, save and return. */
  signal: AbortSignal
  log: Logger
  /** For a data folder with a running `erace up`, which takes over the crawl. */
  inService: {
    /** Given options that change which pages are fetched or what is kept of them, which the service can't do for a single crawl. */
    refused: readonly string[]
    /** Given options for speed and order, which the service decides. */
    ignored: readonly string[]
    onHandedOver(id: number): void
  }
}

export type BackupHooks = {
  force: boolean
  /** Another process is replacing archive files; `text` names it. */
  onWaiting(text: string): void
  onProgress(progress: CopyProgress): void
  /** Aborted to remove everything written so far. */
  signal: AbortSignal
}

export type RestoreHooks = Pick<BackupHooks, 'onProgress' | 'signal'> & {
  /** A file with the key of a sealed backup; null for the configured key. */
  keyFile: string | null
}
