import { type TInteger, type TSchema, Type } from 'typebox'
import { type SkipReason, skipReasons } from '../../core/reports/crawl-report.ts'
import { crawlLimits } from '../../services/crawls/read-crawl.ts'
import { serviceLevels } from './accounts.ts'
import { listOf, MaybeTime, oneOf, pageQuery, Time } from './common.ts'

/** Crawl statistics at one point in time. */
export const Stats = Type.Object({
  at: Time,
  pagesPerSecond: Type.Number(),
  bytesPerSecond: Type.Number(),
  errorsPerSecond: Type.Number(),
  queued: Type.Integer(),
  inFlight: Type.Integer(),
  activeHosts: Type.Integer(),
  restingHosts: Type.Integer(),
  tasks: Type.Integer({ description: 'Versions waiting to be processed' }),
})
const Level = Type.Object({
  level: oneOf(serviceLevels),
  met: Type.Integer({ description: 'Checks started before their deadline' }),
  missed: Type.Integer(),
  queued: Type.Integer(),
  overdue: Type.Integer(),
})
const maybe = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()])
const count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) })

const LevelDelay = Type.Object({ sources: Type.Integer(), delayMs: Type.Number() })
const Freshness = Type.Object({
  fresh: Type.Number({ description: 'Expected share of sources that are as they were last seen' }),
  delayMs: Type.Number({ description: 'Expected time from a change to the check that finds it, by who waits for it' }),
  levels: Type.Object({ gold: LevelDelay, silver: LevelDelay, bronze: LevelDelay }),
})
const Budget = Type.Object(
  {
    budgetPerDay: maybe(Type.Number({ description: 'Requests; null for no budget' })),
    usedPerDay: Type.Number({ description: 'Requests of the last 24 hours, or at that pace since the start' }),
    plannedPerDay: Type.Number(),
    holds: Type.Boolean({ description: 'Every source can be checked as often as promised' }),
    now: Freshness,
    doubled: Freshness,
  },
  { description: 'How checks are shared out; `doubled` is what twice the budget would give' },
)

/** One crawl in the service, with the counts of `erace crawl --json`. */
export const CrawlJob = Type.Object({
  id: Type.Integer(),
  state: oneOf(['waiting', 'running', 'finished', 'limit', 'stopped', 'refused'], {
    description:
      '`finished`: nothing was left to fetch; `limit`: it fetched as many pages as it may; `refused`: see `reason`',
  }),
  reason: Type.String({ description: 'Why it was refused' }),
  stopping: Type.Boolean({ description: 'Someone asked to stop it; requests in progress finish' }),
  seeds: Type.Array(Type.String()),
  moreSeeds: count('Seeds that are not listed'),
  depth: maybe(count()),
  restrict: maybe(Type.String()),
  maxPages: maybe(count()),
  askedBy: Type.String(),
  askedAt: Time,
  startedAt: MaybeTime,
  endedAt: MaybeTime,
  fetched: count('Responses read'),
  stored: count('New versions'),
  unchanged: count(),
  duplicates: count(),
  failed: count(),
  redirects: count(),
  skipped: Type.Object(
    Object.fromEntries(skipReasons.map((reason) => [reason, count()])) as Record<SkipReason, TInteger>,
  ),
  links: count(),
  seen: count('Addresses met so far'),
  queued: count('Requests left'),
  bytes: count(),
  seconds: Type.Number(),
  perSecond: Type.Number(),
  finished: Type.Boolean({ description: 'Nothing is left to be fetched' }),
})
export const CrawlRequest = Type.Object(
  {
    seeds: Type.Array(Type.String({ minLength: 1, maxLength: 20_000 }), { minItems: 1, maxItems: crawlLimits.seeds }),
    depth: Type.Optional(
      maybe(Type.Integer({ minimum: 0, maximum: crawlLimits.depth, description: 'Links to follow from a seed' })),
    ),
    restrict: Type.Optional(
      maybe(
        Type.String({
          minLength: 1,
          maxLength: crawlLimits.restrictLength,
          description: 'Regular expression for the addresses to fetch; otherwise those on the hosts of the seeds',
        }),
      ),
    ),
    maxPages: Type.Optional(maybe(Type.Integer({ minimum: 1, maximum: crawlLimits.pages }))),
  },
  { additionalProperties: false },
)
export const CrawlParams = Type.Object({ id: Type.Integer({ minimum: 1, maximum: 2 ** 40 }) })

const Collection = Type.Object({
  startedAt: Time,
  state: oneOf(['running', 'finished', 'interrupted', 'failed'], {
    description: 'An interrupted collection is continued by the next one',
  }),
  seconds: Type.Number(),
  versions: Type.Integer({ description: 'Versions removed or left without a body' }),
  bytes: Type.Integer({ description: 'Size of their records' }),
  freedBytes: Type.Integer({ description: 'Disk space freed by rewriting archive files' }),
  error: Type.Union([Type.String(), Type.Null()]),
})
export const Crawl = Type.Object({
  now: Stats,
  series: Type.Array(Stats, { description: 'The last ten minutes, oldest first' }),
  totals: Type.Object({
    fetched: Type.Integer(),
    stored: Type.Integer(),
    unchanged: Type.Integer(),
    failed: Type.Integer(),
    bytes: Type.Integer(),
    documents: Type.Integer(),
    versions: Type.Integer(),
    annotations: Type.Integer(),
    profiles: Type.Integer(),
    sources: Type.Integer(),
  }),
  levels: Type.Array(Level),
  freshness: maybe(Budget),
  paused: Type.Union([Type.String(), Type.Null()], {
    description: 'Why fetching is paused, e.g. a full disk; null while it runs',
  }),
  isPaused: Type.Boolean({ description: 'An administrator paused it' }),
  setAside: Type.Object(
    {
      count: Type.Integer(),
      latest: Type.Array(Type.Object({ url: Type.String(), reason: Type.String(), at: Time })),
    },
    { description: 'Versions that could not be processed in three attempts' },
  ),
  channels: Type.Object(
    { channels: Type.Integer(), failing: Type.Integer(), waiting: Type.Integer() },
    { description: 'Delivery channels of all users; `waiting`: annotations that have not left' },
  ),
  crawls: Type.Array(CrawlJob, { description: 'Crawls that administrators started, the newest first' }),
  disk: Type.Object({
    archiveBytes: Type.Integer(),
    databaseBytes: Type.Integer(),
    freeBytes: Type.Union([Type.Integer(), Type.Null()]),
  }),
  lastCollection: Type.Union([Collection, Type.Null()], {
    description: 'The last time that retention removed old versions; null if it never did',
  }),
})

export const CrawlChanges = Type.Object({ paused: Type.Boolean() }, { additionalProperties: false })
export const RetriedTasks = Type.Object({ retried: Type.Integer() })
export const CrawlState = Type.Object({ isPaused: Type.Boolean() })

export const Host = Type.Object({
  host: Type.String(),
  health: oneOf(['fine', 'slow', 'resting', 'given-up']),
  queued: Type.Integer(),
  failures: Type.Integer({ description: 'Consecutive failures' }),
  nextAt: MaybeTime,
  documents: Type.Integer(),
  failing: Type.Integer({ description: 'Documents whose last request failed' }),
})
export const HostList = listOf(Host)
export const HostQuery = Type.Object({ q: Type.Optional(Type.String({ maxLength: 200 })), ...pageQuery })

export const GraphQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, default: 1000 })),
  host: Type.Optional(Type.String({ maxLength: 300 })),
})
export const Graph = Type.Object({
  nodes: Type.Array(
    Type.Object({
      document: Type.Integer(),
      url: Type.String(),
      host: Type.String(),
      title: Type.String(),
      status: Type.Integer(),
      state: oneOf(['fetched', 'failed', 'gone', 'redirect']),
    }),
  ),
  edges: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
    description: 'From, to: indexes into `nodes`',
  }),
  more: Type.Boolean(),
})

export const ExplainQuery = Type.Object({ url: Type.String({ minLength: 1, maxLength: 20_000 }) })
/** Steps from the URL to its last outcome, ending at the first that rejects it. */
export const UrlExplanation = Type.Object({
  url: Type.String({ description: 'Normalised URL' }),
  verdict: oneOf(['fetched', 'queued', 'refused', 'failed', 'not-covered', 'unknown']),
  sentence: Type.String(),
  steps: Type.Array(
    Type.Object({ name: Type.String(), ok: Type.Union([Type.Boolean(), Type.Null()]), text: Type.String() }),
  ),
  document: Type.Union([Type.Integer(), Type.Null()]),
})

export const Node = Type.Object({
  id: Type.String(),
  name: Type.String({ description: 'Display name; need not be unique' }),
  role: oneOf(['all', 'server', 'worker', 'crawl']),
  host: Type.String(),
  pid: Type.Integer(),
  startedAt: Time,
  seenAt: Time,
  threads: Type.Integer(),
  partitions: Type.Integer(),
  pagesPerSecond: Type.Number(),
  rssBytes: Type.Integer(),
  queued: Type.Integer(),
  inFlight: Type.Integer(),
  errors: Type.Integer({ description: 'Failed requests since it started' }),
  refused: Type.Integer({ description: 'Writes rejected because they came too late' }),
  lagMs: Type.Integer({ description: 'Time since its last heartbeat' }),
  lastError: Type.String(),
  state: oneOf(['running', 'waiting', 'draining', 'paused', 'behind', 'lost']),
})
export const NodeList = listOf(Node)
export const NodeParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 300 }) })
export const NodeChanges = Type.Object({ draining: Type.Boolean() }, { additionalProperties: false })
