import { crawlSettings } from './schema-crawl.ts'
import type { Setting } from './setting.ts'

/**
 * Every setting of the program. A key names its section and itself (`crawl.delay`); the environment name follows from
 * it (`ERACE_CRAWL_DELAY`). In the `Config` that the program works with, durations end in `Ms` and sizes in `Bytes`:
 * `config.crawl.delayMs`.
 */
export const settings = {
  'network.allow': {
    kind: 'cidrs',
    default: [],
    about: 'Private, loopback or reserved networks that may be fetched from. All others are blocked.',
  },
  'server.host': {
    kind: 'string',
    default: '127.0.0.1',
    pattern: /^[^\s/]{1,253}$/,
    expected: 'a host name or an address',
    about: 'Address the server listens on. To expose it beyond this machine, put it behind a TLS proxy.',
  },
  'server.port': {
    kind: 'integer',
    default: 7070,
    min: 0,
    max: 65_535,
    about: 'Port the server listens on; 0 picks a free one.',
  },
  'server.url': {
    kind: 'string',
    default: '',
    pattern: /^(?:https?:\/\/[^\s?#]{1,300})?$/,
    expected: 'an http(s) URL, or empty',
    about:
      'Public URL of the server, if it differs from host and port. Used in links; with https, cookies are marked secure.',
  },
  'server.trustProxy': {
    kind: 'cidrs',
    default: [],
    about: 'Networks of proxies whose X-Forwarded-For header is trusted.',
  },
  'server.maxBody': {
    kind: 'bytes',
    default: '4MB',
    min: '16KB',
    max: '256MB',
    about: 'Maximum size of a request body.',
  },
  'server.requestsPerMinute': {
    kind: 'integer',
    default: 6000,
    min: 10,
    max: 10_000_000,
    about: 'Requests per minute for each user, or for each address without a signed-in user.',
  },
  'server.maxStreams': {
    kind: 'integer',
    default: 5000,
    min: 1,
    max: 1_000_000,
    about: 'Maximum number of open event streams.',
  },
  'server.maxProfiles': {
    kind: 'integer',
    default: 20_000,
    min: 1,
    max: 1_000_000,
    about: 'Maximum number of profiles per user. `erace profile import` ignores it.',
  },
  'server.maxSources': {
    kind: 'integer',
    default: 20_000,
    min: 1,
    max: 10_000_000,
    about: 'Maximum number of sources per user, over all profiles.',
  },
  'server.sessionAge': {
    kind: 'duration',
    default: '30d',
    min: '1m',
    max: '365d',
    about: 'Sessions end after this long without use.',
  },
  'schedule.minEvery': {
    kind: 'duration',
    default: '30s',
    min: '100ms',
    max: '365d',
    about: 'Shortest check interval of a source; shorter ones are raised to it.',
  },
  'schedule.policy': {
    kind: 'choice',
    default: 'weighted-fair',
    choices: ['first-in', 'earliest-deadline', 'weighted-fair'],
    about: 'Order in which due sources are checked.',
  },
  'schedule.goldShare': {
    kind: 'integer',
    default: 16,
    min: 1,
    max: 1000,
    about: 'Share of the checks for gold users when there are too many due.',
  },
  'schedule.silverShare': {
    kind: 'integer',
    default: 4,
    min: 1,
    max: 1000,
    about: 'Share of the checks for silver users.',
  },
  'schedule.bronzeShare': {
    kind: 'integer',
    default: 1,
    min: 1,
    max: 1000,
    about: 'Share of the checks for bronze users.',
  },
  'schedule.gold': {
    kind: 'list',
    default: [],
    pattern: /^[^\s,]{1,254}$/,
    expected: 'a list of email addresses',
    about: 'Email addresses of gold users; a user in both lists is gold.',
  },
  'schedule.bronze': {
    kind: 'list',
    default: [],
    pattern: /^[^\s,]{1,254}$/,
    expected: 'a list of email addresses',
    about: 'Email addresses of bronze users; users in neither list are silver.',
  },
  'schedule.perUserPerSecond': {
    kind: 'number',
    default: 20,
    min: 0.001,
    max: 100_000,
    about:
      'Source checks started per second for one user, with bursts of up to ten seconds; one user gets at most half of the concurrent checks.',
  },
  'schedule.perHostPerSecond': {
    kind: 'number',
    default: 10,
    min: 0.001,
    max: 100_000,
    about:
      'Source checks started per second for one host, with at most a tenth of the concurrent checks. `crawl.delay` limits the requests for pages.',
  },
  'schedule.checksPerSecond': {
    kind: 'integer',
    default: 50,
    min: 1,
    max: 100_000,
    about: 'Source checks started per second, to avoid a burst after downtime.',
  },
  'schedule.maxChecks': {
    kind: 'integer',
    default: 1000,
    min: 1,
    max: 1_000_000,
    about: 'Concurrent source checks.',
  },
  'schedule.maxPages': {
    kind: 'integer',
    default: 10_000,
    min: 1,
    max: 100_000_000,
    about: 'Maximum number of pages per source check; further links are not followed.',
  },
  'annotate.processors': {
    kind: 'integer',
    default: 1,
    min: 1,
    max: 16,
    about:
      'Threads that match new versions against profiles. One handles a few hundred pages per second; more share the documents.',
  },
  'cluster.name': {
    kind: 'string',
    default: '',
    pattern: /^[\w.@-]{0,100}$/,
    expected: 'up to 100 letters, digits and . _ - @',
    about: 'Name of this process in lists; empty means the host name.',
  },
  'cluster.lease': {
    kind: 'duration',
    default: '15s',
    min: '2s',
    max: '10m',
    about:
      'Other workers take over the partitions of a worker after this long without a heartbeat. Must be the same in all processes of a cluster.',
  },
  'cluster.connections': {
    kind: 'integer',
    default: 6,
    min: 4,
    max: 100,
    about:
      'Connections to the shared store per thread. A crawling thread needs four: to read, write, listen and send heartbeats.',
  },
  ...crawlSettings,
  'robots.maxEntries': {
    kind: 'integer',
    default: 50_000,
    min: 1,
    max: 10_000_000,
    about: 'Number of hosts whose robots.txt rules are kept in memory.',
  },
  'robots.maxAge': {
    kind: 'duration',
    default: '24h',
    min: '1s',
    max: '30d',
    about: 'How long a robots.txt is cached.',
  },
  'dns.maxEntries': {
    kind: 'integer',
    default: 100_000,
    min: 1,
    max: 10_000_000,
    about: 'Number of host names whose addresses are kept in memory.',
  },
  'dns.minTtl': {
    kind: 'duration',
    default: '60s',
    min: '0',
    max: '1d',
    about: 'Minimum time an address is cached, even if its TTL is shorter.',
  },
  'dns.maxTtl': {
    kind: 'duration',
    default: '24h',
    min: '0',
    max: '30d',
    about: 'Maximum time an address is cached, even if its TTL is longer.',
  },
  'dns.negativeTtl': {
    kind: 'duration',
    default: '5m',
    min: '0',
    max: '1d',
    about: 'How long a failed lookup is cached.',
  },
  'dns.concurrency': {
    kind: 'integer',
    default: 64,
    min: 1,
    max: 10_000,
    about: 'Concurrent DNS lookups.',
  },
  'archive.maxFile': {
    kind: 'bytes',
    default: '100MB',
    min: '64KB',
    max: '10GB',
    about: 'Size at which a WARC file is closed and a new one started.',
  },
  'archive.compress': {
    kind: 'boolean',
    default: true,
    about: 'Compress closed WARC files in the background.',
  },
  'search.index': {
    kind: 'boolean',
    default: true,
    about: 'Index the text of new versions in the background while the crawl is idle; `erace search` indexes the rest.',
  },
  'frontier.seenCache': {
    kind: 'integer',
    default: 262_144,
    min: 0,
    max: 100_000_000,
    about: 'Number of known URLs cached in memory, as fingerprints.',
  },
  'frontier.buffer': {
    kind: 'integer',
    default: 20_000,
    min: 100,
    max: 10_000_000,
    about: 'Number of queued requests kept in memory; the others stay on disk.',
  },
  'log.level': {
    kind: 'choice',
    default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    about: 'Lowest level of log lines to write.',
  },
  'log.format': {
    kind: 'choice',
    default: 'auto',
    choices: ['auto', 'json', 'pretty'],
    about: 'One JSON object per line, or readable text; `auto` means readable on a terminal and JSON elsewhere.',
  },
  retention: {
    kind: 'retention',
    default: 'forever',
    about:
      "How long superseded versions are kept: `forever`; a duration such as `90d`, counted from the next version; or any of `{ age: '90d', versions: 10, size: '5GB' }`, where `versions` is per document and `size` is for the whole archive, both including the newest versions. In the environment: `age=90d,versions=10,size=5GB`. The newest version of a document is always kept, and so are versions a recipient has not retrieved yet.",
  },
  sources: {
    kind: 'sources',
    default: [],
    about:
      'Rules for specific sources: `{ match, omit, omitText, retention }`. `match` is a host, a domain (`.example.org`), the start of a URL, or `*`. `omit` (CSS selectors) and `omitText` (regular expressions) name content to ignore when comparing. The first matching rule with a `retention` overrides the global one; its `size` covers all documents it applies to. In the environment: the list as JSON.',
  },
} as const satisfies Record<string, Setting>

export type SettingKey = keyof typeof settings

export const settingKeys = Object.keys(settings) as SettingKey[]

export function environmentName(key: SettingKey): string {
  return `ERACE_${key.replaceAll('.', '_').toUpperCase()}`
}
