// Written by `node scripts/ui-types.ts` from src/server/schemas; do not edit.

export type Annotation = {
  id: number
  kind: 'new' | 'changed' | 'gone' | 'back'
  at: string
  url: string
  source: string
  title: string
  profile: { id: string; name: string }
  relevance: number
  urgency: number
  backlog: boolean
  read: boolean
  starred: boolean
  archived: boolean
  summary: MarkedText
  explanation: Record<string, unknown>
  alsoAt: string[]
  document: number
  version: number
  n: number
  format: string
  size: number
  expiresAt: string | null
}
export type AnnotationQuery = { format?: 'json' | 'xml' | 'wml' | 'text'; part?: number }
export type BulkMarked = { changed: number; ids: number[]; more: boolean }
export type BulkMarks = { read?: boolean; starred?: boolean; archived?: boolean; ids?: number[] }
export type BulkSourceMarks = { paused?: boolean; muted?: boolean; ids?: number[] }
export type BulkSources = { ids?: number[] }
export type BulkSourcesDone = { changed: number; ids: number[] }
export type Check = { at: string; outcome: string; status: number; changed: number; tookMs: number }
export type CheckResult = { result: 'asked' | 'out-already' | 'paused' | 'unknown' }
export type Crawl = {
  now: Stats
  series: Stats[]
  totals: {
    fetched: number
    stored: number
    unchanged: number
    failed: number
    bytes: number
    documents: number
    versions: number
    annotations: number
    profiles: number
    sources: number
  }
  levels: { level: 'gold' | 'silver' | 'bronze'; met: number; missed: number; queued: number; overdue: number }[]
  paused: string | null
  isPaused: boolean
  disk: { archiveBytes: number; databaseBytes: number; freeBytes: number | null }
}
export type CrawlChanges = { paused: boolean }
export type CrawlState = { isPaused: boolean }
export type Diff = {
  url: string
  document: number
  from: Version
  to: Version
  ignoring: number
  profiles: { id: string; name: string }[]
  compared: 'text' | 'source' | 'bytes'
  form: 'lines' | 'words'
  equal: boolean
  coarse: boolean
  lines: { added: number; removed: number }
  words: { added: number; removed: number }
  hunks: {
    fromLine: number
    fromCount: number
    toLine: number
    toCount: number
    pieces: { kind: 'same' | 'removed' | 'added'; text: string }[]
  }[]
}
export type DiffQuery = {
  from?: number
  to?: number
  form?: 'lines' | 'words'
  context?: number
  raw?: boolean
  ignoreSpace?: boolean
  ignored?: 'hide' | 'show'
  format?: 'json' | 'patch' | 'page'
}
export type Document = {
  id: number
  url: string
  host: string
  title: string
  firstAt: string
  checkedAt: string
  outcome: string
  status: number
  location: string
  current: Version | null
}
export type DocumentList = { items: Document[]; next: string | null }
export type DocumentQuery = { url?: string; limit?: number; cursor?: string }
export type Email = string
export type EventQuery = { crawl?: '0' | '1' }
export type ExplainQuery = { url: string }
export type Explanation = Record<string, unknown>
export type Graph = {
  nodes: {
    document: number
    url: string
    host: string
    title: string
    status: number
    state: 'fetched' | 'failed' | 'gone' | 'redirect'
  }[]
  edges: [number, number][]
  more: boolean
}
export type GraphQuery = { limit?: number; host?: string }
export type Host = {
  host: string
  health: 'fine' | 'slow' | 'resting' | 'given-up'
  queued: number
  failures: number
  nextAt: string | null
  documents: number
  failing: number
}
export type HostList = { items: Host[]; next: string | null }
export type HostQuery = { q?: string; limit?: number; cursor?: string }
export type Id = number
export type IdParams = { id: number }
export type InboxCounts = {
  unread: number
  all: number
  starred: number
  archived: number
  failing: number
  profiles: { id: string; name: string; unread: number; all: number; starred: number; archived: number }[]
}
export type InboxFilterQuery = {
  state?: 'unread' | 'all' | 'starred' | 'archived'
  profile?: string
  q?: string
  urgency?: number
  upTo?: number
}
export type InboxQuery = InboxFilterQuery & {
  limit?: number
  cursor?: string
  format?: 'json' | 'xml' | 'wml' | 'text'
}
export type Link = { url: string; document: number | null }
export type LinkList = { items: Link[]; next: string | null }
export type Mark = [number, number]
export type MarkedText = { text: string; marks: [number, number][] }
export type Marks = { read?: boolean; starred?: boolean; archived?: boolean }
export type MaybeTime = string | null
export type Me = User & { timeZone: string; shortcuts: boolean }
export type MeChanges = { name?: string; timeZone?: string; shortcuts?: boolean }
export type NewToken = Token & { token: string }
export type Node = {
  id: string
  name: string
  role: 'all' | 'server' | 'worker' | 'crawl'
  host: string
  pid: number
  startedAt: string
  seenAt: string
  threads: number
  partitions: number
  pagesPerSecond: number
  rssBytes: number
  queued: number
  inFlight: number
  errors: number
  refused: number
  lagMs: number
  lastError: string
  state: 'running' | 'draining' | 'paused' | 'behind' | 'lost'
}
export type NodeChanges = { draining: boolean }
export type NodeList = { items: Node[]; next: string | null }
export type NodeParams = { id: string }
export type Nothing = null
export type Password = string
export type PasswordChange = { current: string; password: string }
export type Preview = {
  documents: number
  matched: number
  covered: boolean
  examples: PreviewExample[]
  nearMisses: PreviewExample[]
  end: 'all' | 'count' | 'time'
  tookMs: number
}
export type PreviewExample = {
  url: string
  document: number
  version: number
  n: number
  at: string
  title: string
  relevance: number
  summary: MarkedText
  explanation: Record<string, unknown>
}
export type Problem = { error: { code: string; message: string; details?: { place: string; message: string }[] } }
export type Profile = {
  id: string
  name: string
  paused: boolean
  sources: {
    uri: string
    every: string
    everyMax?: string
    depth: number
    scope: string | { pattern: string }
    process: 'filter' | 'track' | 'archive'
    window?: { zone: string; days: number[]; from: string; to: string }
  }[]
  interests: {
    keywords: { key: string; weight: number }[]
    exclude: string[]
    expression: string
    threshold: number
    stemming: string
    scorer: string
    ignore: string[]
  }
  urgency: number
  amount: 'summary' | 'full'
  delivery: { channels: string[]; cadence: string }
}
export type ProfileBody = Record<string, unknown>
export type ProfileId = string
export type SearchHit = {
  url: string
  document: number
  version: number
  n: number
  at: string
  title: string
  titleMarks: [number, number][]
  snippet: MarkedText
  score: number
}
export type SearchQuery = { q: string; limit?: number; cursor?: string }
export type SearchResult = {
  items: SearchHit[]
  next: string | null
  facets: {
    sources: { host: string; count: number }[]
    times: { period: 'day' | 'week' | 'month' | 'year' | 'older'; count: number }[]
  }
  tookMs: number
}
export type SessionItem = {
  id: number
  createdAt: string
  seenAt: string
  expiresAt: string
  agent: string
  address: string
  current: boolean
}
export type SessionState = { user: Me; via: 'session' | 'token' }
export type Setup = { key: string; email: string; password: string; name?: string }
export type SetupState = { needed: boolean }
export type SignIn = { email: string; password: string }
export type Source = {
  id: number
  uri: string
  host: string
  title: string
  profile: { id: string; name: string }
  process: 'filter' | 'track' | 'archive'
  every: string
  depth: number
  scope: string
  paused: boolean
  muted: boolean
  state:
    | 'paused'
    | 'checking'
    | 'queued'
    | 'not-yet'
    | 'blocked-by-robots'
    | 'blocked-by-site'
    | 'sign-in-failed'
    | 'not-found'
    | 'failing'
    | 'refused'
    | 'unsupported'
    | 'nothing-matched'
    | 'empty'
    | 'changed'
    | 'unchanged'
  message: string
  since: string | null
  failing: boolean
  lastCheckedAt: string | null
  lastChangedAt: string | null
  nextCheckAt: string | null
  why: string
  status: number
  outcome: string
  unread: number
  document: number | null
}
export type SourceDetail = Source & { checks: Check[] }
export type SourceFilterQuery = { state?: 'all' | 'unread' | 'failing' | 'paused'; profile?: string; q?: string }
export type SourceImport = { text: string; format?: 'auto' | 'list' | 'opml'; every?: string }
export type SourceImported = {
  added: number
  profiles: { id: string; name: string }[]
  skipped: { line: number; text: string; why: string }[]
}
export type SourceList = {
  items: Source[]
  next: string | null
  counts: { all: number; unread: number; failing: number; paused: number; matching: number }
}
export type SourceMarks = { paused?: boolean; muted?: boolean }
export type SourceQuery = {
  state?: 'all' | 'unread' | 'failing' | 'paused'
  profile?: string
  q?: string
  limit?: number
  cursor?: string
}
export type Stats = {
  at: string
  pagesPerSecond: number
  bytesPerSecond: number
  errorsPerSecond: number
  queued: number
  inFlight: number
  activeHosts: number
  restingHosts: number
  tasks: number
}
export type Time = string
export type Token = {
  id: number
  name: string
  scopes: ('read' | 'write' | 'admin')[]
  createdAt: string
  usedAt: string | null
  expiresAt: string | null
}
export type TokenDraft = { name: string; scopes?: ('read' | 'write' | 'admin')[]; expiresAt?: string | null }
export type UrlExplanation = {
  url: string
  verdict: 'fetched' | 'queued' | 'refused' | 'failed' | 'not-covered' | 'unknown'
  sentence: string
  steps: { name: string; ok: boolean | null; text: string }[]
  document: number | null
}
export type User = {
  id: number
  email: string
  name: string
  role: 'user' | 'administrator'
  level: 'gold' | 'silver' | 'bronze'
  disabled: boolean
  createdAt: string
}
export type UserChanges = {
  name?: string
  role?: 'user' | 'administrator'
  level?: 'gold' | 'silver' | 'bronze'
  disabled?: boolean
  password?: string
}
export type UserDraft = {
  email: string
  password: string
  name?: string
  role?: 'user' | 'administrator'
  level?: 'gold' | 'silver' | 'bronze'
}
export type Version = {
  id: number
  n: number
  document: number
  url: string
  reason: 'new' | 'changed' | 'gone' | 'back'
  firstSeenAt: string
  lastSeenAt: string
  status: number
  type: string
  size: number
  title: string
  digest: string
  etag: string
  lastModified: string
  truncated: string
  address: string
  location: string
  body: 'kept' | 'dropped' | 'lost' | 'none'
}
export type VersionList = { items: Version[]; next: string | null }
