import type { AccountStore } from './accounts/accounts.ts'
import type { ServerSecretStore } from './accounts/server-secrets.ts'
import type { SessionStore } from './accounts/sessions.ts'
import type { SetupStore } from './accounts/setup.ts'
import type { SignInFailureStore } from './accounts/sign-in-failures.ts'
import type { TokenStore } from './accounts/tokens.ts'
import type { AnnotationStore } from './annotations.ts'
import type { ChannelStore } from './channels.ts'
import type { CollectionRunStore } from './collection-runs.ts'
import type { CrawlStore } from './crawls.ts'
import type { CredentialStore } from './credentials.ts'
import type { DeliveryStore } from './deliveries.ts'
import type { FrontierView } from './frontier-view.ts'
import type { GraphView } from './graph-view.ts'
import type { HostView } from './host-view.ts'
import type { InboxStore } from './inbox.ts'
import type { ModuleJournal } from './module-journal.ts'
import type { ObjectStore } from './objects.ts'
import type { ProfileStore } from './profiles.ts'
import type { RequestCountStore } from './request-counts.ts'
import type { VersionStore } from './versions.ts'
import type { WalkStore } from './walks.ts'
import type { WatchStore } from './watches.ts'

/** All stores of one engine, opened for one thread. The composition passes it to services, server and commands. */
export type StoreSet = {
  /** Secret seed of the URL fingerprints. */
  readonly seed: readonly [number, number]
  accounts: AccountStore
  sessions: SessionStore
  tokens: TokenStore
  signInFailures: SignInFailureStore
  setup: SetupStore
  serverSecrets: ServerSecretStore
  /** Null if a single process serves. */
  requestCounts: RequestCountStore | null
  profiles: ProfileStore
  watches: WatchStore
  crawls: CrawlStore
  inbox: InboxStore
  annotations: AnnotationStore
  channels: ChannelStore
  credentials: CredentialStore
  /** File with the key of credentials; null if the key has to be configured. */
  readonly keyFile: string | null
  deliveries: DeliveryStore
  versions: VersionStore
  /** For a process with modules; each call creates a new one. */
  moduleJournal(): ModuleJournal
  objects: ObjectStore
  collectionRuns: CollectionRunStore
  frontier: FrontierView
  hosts: HostView
  graph: GraphView
  walks: WalkStore
  countKept(): Promise<KeptCounts>
  readDisk(): Promise<DiskUse>
  /** Throws if the store does not respond. */
  check(): Promise<void>
  close(): Promise<void>
}

/** `freeBytes` is null if unknown. */
export type DiskUse = { archiveFiles: number; archiveBytes: number; databaseBytes: number; freeBytes: number | null }

/** Number of stored items. Safe during writes, so it may be slightly out of date. */
export type KeptCounts = { documents: number; versions: number; annotations: number; profiles: number; sources: number }
