import type { Setting } from './setting.ts'
import { version } from './version.ts'

/**
 * Every setting of the program. A key names its section and itself (`crawl.delay`); the environment name follows from
 * it (`ERACE_CRAWL_DELAY`). In the `Config` that the program works with, durations end in `Ms` and sizes in `Bytes`:
 * `config.crawl.delayMs`.
 */
export const settings = {
  'network.allow': {
    kind: 'cidrs',
    default: [],
    about: 'Networks that the address guard lets through although they are private, loopback or reserved.',
  },
  'schedule.minEvery': {
    kind: 'duration',
    default: '30s',
    min: '100ms',
    max: '365d',
    about: 'Shortest interval between two checks of a source; what is shorter is raised to it.',
  },
  'schedule.policy': {
    kind: 'choice',
    default: 'weighted-fair',
    choices: ['first-in', 'earliest-deadline', 'weighted-fair'],
    about: 'Which of the sources that are due is checked first.',
  },
  'schedule.goldShare': {
    kind: 'integer',
    default: 16,
    min: 1,
    max: 1000,
    about: 'Share of checks for users of the service level gold when not all can be made in time.',
  },
  'schedule.silverShare': {
    kind: 'integer',
    default: 4,
    min: 1,
    max: 1000,
    about: 'The same for silver.',
  },
  'schedule.bronzeShare': {
    kind: 'integer',
    default: 1,
    min: 1,
    max: 1000,
    about: 'The same for bronze.',
  },
  'schedule.gold': {
    kind: 'list',
    default: [],
    pattern: /^[^\s,]{1,254}$/,
    expected: 'a list of e-mail addresses of users',
    about: 'Users of the service level gold, by their e-mail addresses; who is in both lists is gold.',
  },
  'schedule.bronze': {
    kind: 'list',
    default: [],
    pattern: /^[^\s,]{1,254}$/,
    expected: 'a list of e-mail addresses of users',
    about: 'Users of the service level bronze; all who are in neither list are silver.',
  },
  'schedule.perUserPerSecond': {
    kind: 'number',
    default: 20,
    min: 0.001,
    max: 100_000,
    about:
      'Checks of sources begun in a second on behalf of one user, after a burst of ten seconds; one user has at most half of the checks under way.',
  },
  'schedule.perHostPerSecond': {
    kind: 'number',
    default: 10,
    min: 0.001,
    max: 100_000,
    about:
      'The same for sources on one host, with at most a tenth of the checks under way. How fast a host is asked for pages is for the delay of the crawl to say.',
  },
  'schedule.checksPerSecond': {
    kind: 'integer',
    default: 50,
    min: 1,
    max: 100_000,
    about: 'Checks of sources begun in a second, so that nothing bursts after a stop.',
  },
  'schedule.maxChecks': {
    kind: 'integer',
    default: 1000,
    min: 1,
    max: 1_000_000,
    about: 'Checks of sources under way at the same time.',
  },
  'schedule.maxPages': {
    kind: 'integer',
    default: 10_000,
    min: 1,
    max: 100_000_000,
    about: 'Pages that one check of a source may come to; further links are not followed.',
  },
  'annotate.processors': {
    kind: 'integer',
    default: 1,
    min: 1,
    max: 16,
    about:
      'Threads that hold new versions against the interests of profiles. One does some hundred pages a second; more share the documents among them.',
  },
  'crawl.delay': {
    kind: 'duration',
    default: '1s',
    min: '0',
    max: '1d',
    about: 'Pause between the end of one request to a host and the start of the next.',
  },
  'crawl.delayFactor': {
    kind: 'number',
    default: 1,
    min: 0,
    max: 100,
    about:
      'The pause is at least this many times the duration of the last fetch, so that a slow host is asked less often.',
  },
  'crawl.maxCrawlDelay': {
    kind: 'duration',
    default: '30s',
    min: '0',
    max: '1d',
    about: 'Longest Crawl-delay of a robots.txt that is honoured; a longer one counts as this.',
  },
  'crawl.perHost': {
    kind: 'integer',
    default: 1,
    min: 1,
    max: 256,
    about: 'Requests to one host at the same time.',
  },
  'crawl.perAddress': {
    kind: 'integer',
    default: 8,
    min: 1,
    max: 4096,
    about: 'Requests to one IP address at the same time, whatever number of hosts it serves.',
  },
  'crawl.fetchers': {
    kind: 'integer',
    default: 128,
    min: 1,
    max: 10_000,
    about: 'Requests under way at the same time, over all hosts and threads.',
  },
  'crawl.threads': {
    kind: 'integer',
    default: 0,
    min: 0,
    max: 256,
    about: 'Worker threads that crawl; 0 means one for each core.',
  },
  'crawl.maxBody': {
    kind: 'bytes',
    default: '10MB',
    min: '1KB',
    max: '1GB',
    about:
      'Largest body that is read, counted after decompression; the rest is cut off and the version marked as truncated.',
  },
  'crawl.maxDepth': {
    kind: 'integer',
    default: 1000,
    min: 0,
    max: 1_000_000,
    about: 'Links followed in a row from a seed before a site is taken for a trap.',
  },
  'crawl.maxPagesPerHost': {
    kind: 'integer',
    default: 1_000_000,
    min: 1,
    max: 1_000_000_000,
    about: 'URLs of one host that are accepted in one crawl.',
  },
  'crawl.maxUrlLength': {
    kind: 'integer',
    default: 2048,
    min: 64,
    max: 65_536,
    about: 'Characters of the longest URL that is followed.',
  },
  'crawl.maxPathSegments': {
    kind: 'integer',
    default: 64,
    min: 1,
    max: 10_000,
    about: 'Path segments of the deepest URL that is followed.',
  },
  'crawl.maxRepeatedSegments': {
    kind: 'integer',
    default: 3,
    min: 1,
    max: 1000,
    about: 'How often one path segment may occur in a URL before it is taken for a trap.',
  },
  'crawl.maxQueryVariants': {
    kind: 'integer',
    default: 1000,
    min: 1,
    max: 100_000_000,
    about: 'Different query strings that are followed for one path of a host.',
  },
  'crawl.maxLinksPerPage': {
    kind: 'integer',
    default: 10_000,
    min: 1,
    max: 1_000_000,
    about: 'Links of one page that are looked at; those behind are counted and dropped.',
  },
  'crawl.maxRedirects': {
    kind: 'integer',
    default: 10,
    min: 0,
    max: 100,
    about: 'Redirects followed in a row.',
  },
  'crawl.maxAttempts': {
    kind: 'integer',
    default: 3,
    min: 1,
    max: 100,
    about: 'How often a URL is tried when the failure may pass.',
  },
  'crawl.userAgent': {
    kind: 'string',
    default: `erace/${version}`,
    pattern: /^[A-Za-z][ -~]{0,300}$/,
    expected: 'a product name, best followed by /VERSION and (+URL of a page about the crawler)',
    about: 'The User-Agent header; the part before the slash is the name that robots.txt files are searched for.',
  },
  'crawl.order': {
    kind: 'choice',
    default: 'breadth',
    choices: ['breadth', 'depth', 'shallow', 'random'],
    about:
      "Order within a host's queue: nearest to the seed first (`breadth`), farthest first (`depth`), fewest path segments first (`shallow`), or `random`.",
  },
  'crawl.respectRobots': {
    kind: 'boolean',
    default: true,
    about: 'Whether robots.txt, meta robots and X-Robots-Tag are obeyed.',
  },
  'crawl.trackingParameters': {
    kind: 'list',
    default: [
      'utm_source',
      'utm_medium',
      'utm_campaign',
      'utm_term',
      'utm_content',
      'utm_id',
      'gclid',
      'dclid',
      'fbclid',
      'msclkid',
    ],
    pattern: /^[^\s,&=#?]{1,128}$/,
    expected: 'a list of names of query parameters',
    about: 'Query parameters that are left out when two URLs are compared.',
  },
  'crawl.sortQuery': {
    kind: 'boolean',
    default: false,
    about: 'Whether URLs that differ only in the order of their query parameters are taken for the same.',
  },
  'crawl.compare': {
    kind: 'choice',
    default: 'text',
    choices: ['text', 'bytes'],
    about:
      'What makes a new version of a page that has text: a change of the visible `text`, or any change of its `bytes`.',
  },
  'crawl.fullCheckAfter': {
    kind: 'integer',
    default: 20,
    min: 0,
    max: 1_000_000,
    about:
      'Answers "not modified" in a row after which a page is fetched whole, since servers err; at the earliest after half as many, so that pages come due one by one. 0 means never.',
  },
  'crawl.connectTimeout': {
    kind: 'duration',
    default: '10s',
    min: '10ms',
    max: '10m',
    about: 'Longest wait for a connection, TLS included.',
  },
  'crawl.headerTimeout': {
    kind: 'duration',
    default: '20s',
    min: '10ms',
    max: '10m',
    about: 'Longest wait for the whole response header once the request is sent.',
  },
  'crawl.stallTimeout': {
    kind: 'duration',
    default: '20s',
    min: '10ms',
    max: '10m',
    about: 'Longest silence within a body.',
  },
  'crawl.totalTimeout': {
    kind: 'duration',
    default: '60s',
    min: '10ms',
    max: '1h',
    about: 'Longest duration of one exchange from its start to the last byte.',
  },
  'crawl.maxHeader': {
    kind: 'bytes',
    default: '64KB',
    min: '1KB',
    max: '1MB',
    about: 'Largest response header.',
  },
  'crawl.hostFailures': {
    kind: 'integer',
    default: 5,
    min: 1,
    max: 1000,
    about: 'Failures in a row after which a host is left to rest.',
  },
  'crawl.hostRest': {
    kind: 'duration',
    default: '5s',
    min: '0',
    max: '1d',
    about: 'First rest of a failing host; each further one is four times as long.',
  },
  'crawl.hostRestMax': {
    kind: 'duration',
    default: '1h',
    min: '0',
    max: '7d',
    about: 'Longest rest of a failing host.',
  },
  'crawl.hostRests': {
    kind: 'integer',
    default: 3,
    min: 0,
    max: 1000,
    about: 'Rests without a success in between after which a host is given up for this crawl.',
  },
  'robots.maxEntries': {
    kind: 'integer',
    default: 50_000,
    min: 1,
    max: 10_000_000,
    about: 'Hosts whose robots.txt rules are held in memory.',
  },
  'robots.maxAge': {
    kind: 'duration',
    default: '24h',
    min: '1s',
    max: '30d',
    about: 'How long a robots.txt is used before it is fetched again.',
  },
  'dns.maxEntries': {
    kind: 'integer',
    default: 100_000,
    min: 1,
    max: 10_000_000,
    about: 'Host names whose addresses are held in memory.',
  },
  'dns.minTtl': {
    kind: 'duration',
    default: '60s',
    min: '0',
    max: '1d',
    about: 'An address is used at least this long, however short its time to live.',
  },
  'dns.maxTtl': {
    kind: 'duration',
    default: '24h',
    min: '0',
    max: '30d',
    about: 'An address is used at most this long, however long its time to live.',
  },
  'dns.negativeTtl': {
    kind: 'duration',
    default: '5m',
    min: '0',
    max: '1d',
    about: 'How long a name without an address is remembered as such.',
  },
  'dns.concurrency': {
    kind: 'integer',
    default: 64,
    min: 1,
    max: 10_000,
    about: 'Name look-ups under way at the same time.',
  },
  'archive.maxFile': {
    kind: 'bytes',
    default: '100MB',
    min: '64KB',
    max: '10GB',
    about: 'Size at which a WARC file is closed and the next one begun.',
  },
  'archive.compress': {
    kind: 'boolean',
    default: true,
    about: 'Whether closed WARC files are compressed in the background.',
  },
  'search.index': {
    kind: 'boolean',
    default: true,
    about:
      'Whether the texts of new versions are indexed in the background while the crawl has little to do; `erace search` does what is left.',
  },
  'frontier.seenCache': {
    kind: 'integer',
    default: 262_144,
    min: 0,
    max: 100_000_000,
    about: 'Fingerprints of known URLs held in memory in front of the disk.',
  },
  'frontier.buffer': {
    kind: 'integer',
    default: 20_000,
    min: 100,
    max: 10_000_000,
    about: 'Queued requests held in memory; the others wait on disk.',
  },
  'log.level': {
    kind: 'choice',
    default: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    about: 'Least weight of a log line that is written.',
  },
  'log.format': {
    kind: 'choice',
    default: 'auto',
    choices: ['auto', 'json', 'pretty'],
    about: 'One JSON object a line, or readable text; `auto` is readable on a terminal and JSON elsewhere.',
  },
  retention: {
    kind: 'retention',
    default: 'forever',
    about:
      "How long versions are kept that are no longer the newest of their document: `forever`; a duration such as `90d`, counted from the next version; or `{ age: '90d', versions: 10, size: '5GB' }`, any of them, where `versions` counts those of each document and `size` all bytes in the archive, the newest versions included. In the environment: `age=90d,versions=10,size=5GB`. The newest version of a document stays, and so does what somebody has not retrieved yet.",
  },
  sources: {
    kind: 'sources',
    default: [],
    about:
      'Rules for some sources: `{ match, omit, omitText, retention }`. `match` is a host, a domain (`.example.org`), the beginning of a URL, or `*`; `omit` are CSS selectors and `omitText` regular expressions of what changes without meaning anything; of the matching rules the first with a `retention` counts instead of the one for all, and its `size` is that of all documents that come under it. In the environment: the list as JSON.',
  },
} as const satisfies Record<string, Setting>

export type SettingKey = keyof typeof settings

export const settingKeys = Object.keys(settings) as SettingKey[]

export function environmentName(key: SettingKey): string {
  return `ERACE_${key.replaceAll('.', '_').toUpperCase()}`
}
