import { formatCount, formatSize } from '../kit/strings.ts'

/** The texts of the activity page, and the formats of its numbers. */
export const strings = {
  title: 'Activity',
  lead: "What's being fetched, how well it's going, and why.",
  adminsOnly: 'Crawl statistics are available to administrators. For the state of your own sources, see Watches.',
  loading: 'Loading statistics',
  explain: {
    title: 'Explain an address',
    label: 'Why was this fetched, or not?',
    example: 'https://example.org/news',
    submit: 'Explain',
    errorTitle: "Can't explain this address",
    errorHint: 'Enter a full address, starting with http:// or https://.',
    document: 'Open document',
    verdicts: {
      fetched: 'fetched',
      queued: 'queued',
      refused: 'blocked',
      failed: 'failed',
      'not-covered': 'not covered',
      unknown: 'unknown',
    },
    yes: 'yes: ',
    no: 'no: ',
    notKnown: 'unknown: ',
  },
  charts: { pages: 'Pages', bytes: 'Bytes', queue: 'Queue', queued: 'queued', tasks: 'to process', errors: 'Errors' },
  totals: {
    sources: 'Sources',
    profiles: 'Profiles',
    documents: 'Documents',
    versions: 'Versions',
    annotations: 'Annotations',
    fetched: 'Fetched since start',
    inFlight: 'In progress',
    archive: 'Archive',
    databases: 'Databases',
    free: 'Free disk space',
    unknown: 'unknown',
  },
  setAside: {
    title: (count: number) =>
      count === 1 ? "1 version couldn't be processed" : `${formatCount(count)} versions couldn't be processed`,
    about: 'They were set aside after three attempts. Everything else continues.',
    retry: 'Try again',
    retried: (count: number) =>
      count === 1 ? 'Trying 1 version again' : `Trying ${formatCount(count)} versions again`,
  },
  channels: {
    failing: (count: number) =>
      count === 1 ? '1 delivery channel is failing' : `${formatCount(count)} delivery channels are failing`,
    about: (waiting: number) =>
      waiting === 1 ? '1 change waits to be delivered.' : `${formatCount(waiting)} changes wait to be delivered.`,
  },
  freshness: {
    title: 'Freshness',
    none: 'No budget is set (schedule.budget): every source is checked as often as its owners ask.',
    broken:
      'The budget is too small for the intervals people asked for; those sources are checked less often than promised.',
    used: 'Budget used',
    usedOf: (used: number, budget: number) =>
      `${formatCount(used)} of ${formatCount(budget)} requests a day (${Math.round((100 * used) / budget)} %)`,
    requests: (used: number) => `${formatCount(used)} requests a day`,
    what: 'Estimate',
    now: 'Now',
    doubled: 'With twice the budget',
    fresh: 'Sources up to date',
    delay: 'Delay until a change is noticed',
    level: (level: string, sources: number) =>
      `Delay, ${level} (${sources === 1 ? '1 source' : `${formatCount(sources)} sources`})`,
  },
  collection: {
    title: 'Clean-up',
    about: 'Removes versions that retention no longer keeps. Unread, starred and pinned versions stay.',
    never: 'Not run yet',
    last: 'Last run',
    duration: 'Took',
    result: 'Result',
    running: 'running',
    removed: (versions: number, bytes: number) =>
      versions === 0
        ? 'nothing to remove'
        : `${formatCount(versions)} ${versions === 1 ? 'version' : 'versions'} removed (${formatSize(bytes)})`,
    interrupted: 'interrupted; continues with the next run',
    failed: (error: string) => `failed: ${error}`,
    seconds: (seconds: number) => `${seconds.toFixed(1)} s`,
  },
  pause: {
    pause: 'Pause crawl',
    resume: 'Resume crawl',
    title: 'Pause the crawl?',
    body: 'Requests in progress finish, then no node starts another until you resume. Nothing is lost: checks that fall due wait.',
    paused: 'Crawl paused',
    resumed: 'Crawl resumed',
  },
  crawls: {
    title: 'Crawls',
    start: 'Start a crawl',
    empty: 'Fetch a whole site once, without watching it. Everybody finds it in their search.',
    more: 'Show earlier crawls',
    stop: 'Stop',
    stopping: 'stopping',
    states: {
      waiting: 'waiting',
      running: 'running',
      finished: 'finished',
      limit: 'page limit reached',
      stopped: 'stopped',
      refused: 'refused',
    },
    moreSeeds: (count: number) => `and ${formatCount(count)} more`,
    by: (who: string) => `started by ${who}`,
    hosts: 'the hosts of the seeds',
    restricted: (pattern: string) => `addresses matching ${pattern}`,
    deep: (links: number) =>
      links === 0 ? 'only the seeds' : links === 1 ? '1 link deep' : `${formatCount(links)} links deep`,
    upTo: (pages: number) => `up to ${formatCount(pages)} ${pages === 1 ? 'page' : 'pages'}`,
    progress: 'Share of its pages',
    counts: {
      fetched: 'Fetched',
      stored: 'New versions',
      queued: 'Queued',
      unchanged: 'Unchanged',
      duplicates: 'Duplicates',
      failed: 'Failed',
      skipped: 'Skipped',
    },
    seeds: 'Start at',
    seedsHint: 'One address per line.',
    example: 'https://example.org/',
    depth: 'Link depth',
    depthHint: 'Leave empty for no limit.',
    maxPages: 'Page limit',
    maxPagesHint: 'Leave empty for no limit.',
    restrict: 'Only addresses matching',
    restrictHint: 'A regular expression. Leave empty for the hosts you start at.',
    restrictExample: '^https://example\\.org/docs/',
    note: 'Everybody with an account can see what is fetched. Watched sources go first, and hosts are asked no faster than for watches.',
    submit: 'Start crawl',
    started: 'Crawl started',
  },
  nodes: {
    title: 'Nodes',
    loading: 'Loading nodes',
    table: 'Nodes and their statistics',
    node: 'Node',
    state: 'State',
    partitions: 'Partitions',
    pages: 'Pages',
    queue: 'Queue',
    errors: 'Errors',
    refused: 'Rejected',
    memory: 'Memory',
    lastSeen: 'Last seen',
    roles: { all: 'all-in-one', server: 'server', worker: 'worker', crawl: 'crawl' },
    states: {
      running: { word: 'running', title: 'Working normally' },
      waiting: { word: 'waiting', title: 'Something keeps failing and is retried; see its last error' },
      draining: { word: 'draining', title: 'Handing over its partitions and taking no new ones' },
      paused: { word: 'paused', title: 'Not fetching: the crawl is paused, or the store accepts no writes' },
      behind: { word: 'late', title: 'Its heartbeats are late' },
      lost: { word: 'lost', title: 'No heartbeat for longer than a lease: other nodes have taken over its work' },
    },
    drain: 'Drain',
    undoDrain: 'Undo drain',
    drainTitle: (name: string) => `Drain ${name}?`,
    drainConfirm: (name: string) => `Drain ${name}`,
    drainBody: (partitions: number) =>
      `It finishes work in progress, hands its ${formatCount(partitions)} partitions to the other nodes and takes no new ones until you undo this. Drain a node before you take its machine down.`,
    draining: (name: string) => `Draining ${name}`,
    undone: (name: string) => `${name} is taking work again`,
    single: 'A single process does all the work. If that gets too slow, move everything to PostgreSQL with',
    migrateCommand: 'erace migrate --from DIR --to postgres://…',
    thenStart: ', then start',
    serveCommand: 'erace serve --store postgres://…',
    andWorkers: 'and as many',
    workerCommand: 'erace worker --store postgres://…',
    anyMachine: 'processes as you need, on any machine.',
    noWorker: 'No worker is running, so nothing is fetched. Start one with',
    noWorkerEnd: 'on this machine or any other that can reach the database.',
  },
  levels: {
    title: 'Service levels',
    table: 'Deadlines met per service level',
    level: 'Service level',
    names: { gold: 'Gold', silver: 'Silver', bronze: 'Bronze' },
    onTime: 'On time',
    checks: 'Checks',
    waiting: 'Waiting',
    overdue: 'Overdue',
  },
  hosts: {
    title: 'Hosts',
    find: 'Find a host',
    example: 'example.org',
    emptyTitle: 'No hosts',
    empty: 'Hosts appear here as soon as a watch is checked.',
    noMatch: 'No host name contains that text.',
    more: 'More hosts',
    host: 'Host',
    health: 'Health',
    queued: 'Queued',
    failures: 'Consecutive failures',
    documents: 'Documents',
    failing: 'Failing',
    next: 'Next request',
    anyTime: 'any time',
    healths: {
      fine: { word: 'healthy', title: 'Responding normally' },
      slow: { word: 'in trouble', title: 'Not found, failing or slow at its last requests' },
      resting: { word: 'backing off', title: 'Failed recently; no requests for a while' },
      'given-up': { word: 'given up', title: 'Failed repeatedly; the next check tries once more' },
    },
  },
  graph: {
    title: 'Crawl graph',
    show: 'Show graph',
    loading: 'Drawing',
    limit: 'Show at most',
    pages: (count: number) => `${formatCount(count)} pages`,
    host: 'Only this host',
    allHosts: 'all hosts',
    emptyTitle: 'Nothing to draw',
    empty: 'Fetched pages and the links between them appear here.',
    emptyHost: 'Nothing is stored for this host.',
    states: { fetched: 'fetched', redirect: 'redirect', gone: 'gone', failed: 'failed' },
    more: 'more pages exist than are shown',
    list: 'Pages as a list',
    label: (pages: number, links: number) => `${formatCount(pages)} pages and ${formatCount(links)} links between them`,
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    reset: 'Reset view',
  },
}

export function formatRate(value: number): string {
  return `${value < 10 ? value.toFixed(1) : formatCount(value)}/s`
}

export function formatSizeRate(bytes: number): string {
  return `${formatSize(bytes)}/s`
}

/** A percentage, but never "100 %" while something is missing. */
export function formatShare(part: number, total: number): string {
  if (total === 0) return '–'
  const percent = (100 * part) / total
  return `${part === total ? 100 : Math.min(99.9, Math.floor(percent * 10) / 10)} %`
}

/** Null for a lag of a minute or more: a point in time is more useful then. */
export function formatLag(ms: number): string | null {
  return ms < 60_000 ? `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s` : null
}
