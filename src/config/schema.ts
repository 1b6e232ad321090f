import { crawlSettings } from './schema-crawl.ts'
import { objectSettings } from './schema-objects.ts'
import { partSettings } from './schema-parts.ts'
import { bytes, duration, integer, number, type Setting } from './setting.ts'

const requestBudget = (about: string) =>
  ({
    kind: 'string',
    default: 'none',
    pattern: /^(?:none|[1-9]\d{0,9}\/[hd])$/,
    expected: 'a number of requests per hour or day, such as 500/h or 10000/d, or none',
    about,
  }) as const

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
  'network.nameservers': {
    kind: 'nameservers',
    default: [],
    about:
      "Name servers the crawler asks, instead of this machine's own. Names in the hosts file, names without a dot and `.local` names are still resolved by the system. Each machine of a cluster has its own.",
  },
  'files.roots': {
    kind: 'list',
    default: [],
    pattern: /^\/[^\p{Cc}]{0,4000}$/u,
    expected: 'a list of absolute paths of folders',
    about:
      'Folders whose files may be watched, by `file:` URLs. Every user can read all files in them that the program can read. Each machine of a cluster has its own.',
  },
  'credentials.key': {
    kind: 'string',
    default: '',
    pattern: /^(?:[0-9a-f]{64}|[A-Za-z0-9+/_-]{43}=?|\/[^\p{Cc}]{1,500})?$/iu,
    expected: '64 hexadecimal digits, the absolute path of a file with them, or empty',
    secret: true,
    about:
      'Key that stored credentials of users are encrypted with: 64 hexadecimal digits (`openssl rand -hex 32`), or the absolute path of a file with them. Without it, a data folder has its own in `secret.key`; on PostgreSQL there are no credentials without it, and all machines of a cluster need the same.',
  },
  'mail.server': {
    kind: 'string',
    default: '',
    pattern: /^(?:smtps?:\/\/[^\s/?#]{1,500}(?:\/?(?:\?tls=no)?)?)?$/i,
    expected: 'smtps://user:password@mail.example.org or smtp://host:port, or empty',
    secret: true,
    about:
      'Mail server that messages to users are sent through: `smtps://user:password@host:465`, or `smtp://host:587`, which changes to TLS where the server offers it. Without one, users need a mail server of their own.',
  },
  'mail.from': {
    kind: 'string',
    default: '',
    pattern: /^(?:[^\s@<>(),;:"\\[\]]{1,64}@[^\s@<>(),;:"\\[\]]{1,253})?$/,
    expected: 'an email address, or empty',
    about: 'Address that mail of this service comes from.',
  },
  'delivery.allow': {
    kind: 'cidrs',
    default: [],
    about:
      'Private, loopback or reserved networks that messages may be delivered to, in addition to `network.allow`. All others are blocked.',
  },
  'delivery.commands': {
    kind: 'list',
    default: [],
    pattern: /^\/[^\p{Cc}]{1,500}$/u,
    expected: 'a list of absolute paths',
    about: 'Programs that command channels of administrators may run.',
  },
  'server.host': {
    kind: 'string',
    default: '127.0.0.1',
    pattern: /^[^\s/]{1,253}$/,
    expected: 'a host name or an address',
    about: 'Address the server listens on. To expose it beyond this machine, put it behind a TLS proxy.',
  },
  'server.port': integer(7070, [0, 65_535], 'Port the server listens on; 0 picks a free one.'),
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
  'server.maxBody': bytes('4MB', ['16KB', '256MB'], 'Maximum size of a request body.'),
  'server.requestsPerMinute': integer(
    6000,
    [10, 10_000_000],
    'Requests per minute for each user, or for each address without a signed-in user.',
  ),
  'server.maxConnections': integer(
    5000,
    [10, 1_000_000],
    'Maximum number of open connections. At the limit, idle ones are closed to make room.',
  ),
  'server.connectionsPerAddress': integer(
    500,
    [2, 1_000_000],
    'The same for each client address, except trusted proxies.',
  ),
  'server.maxStreams': integer(5000, [1, 1_000_000], 'Maximum number of open event streams.'),
  'server.maxProfiles': integer(
    20_000,
    [1, 1_000_000],
    'Maximum number of profiles per user. `erace profile import` ignores it.',
  ),
  'server.maxSources': integer(20_000, [1, 10_000_000], 'Maximum number of sources per user, over all profiles.'),
  'server.sessionAge': duration('30d', ['1m', '365d'], 'Sessions end after this long without use.'),
  'schedule.minEvery': duration(
    '30s',
    ['100ms', '365d'],
    'Shortest check interval of a source; shorter ones are raised to it.',
  ),
  'schedule.policy': {
    kind: 'choice',
    default: 'value',
    choices: ['value', 'first-in', 'earliest-deadline', 'weighted-fair'],
    about:
      'How checks are shared out. `value`: sources that change often and that many wait for are checked more often, within their `every` and `everyMax`, and levels have their shares. The others keep to intervals, and say only in which order due sources are checked.',
  },
  'schedule.budget': requestBudget(
    'Requests that all source checks together may make per hour or per day, such as `500/h` or `10000/d`; `none` for no limit. With a budget, all of it is spent where it is worth most; promised intervals that it cannot hold are reported.',
  ),
  'schedule.goldBudget': requestBudget('The same for each gold user.'),
  'schedule.silverBudget': requestBudget('The same for each silver user.'),
  'schedule.bronzeBudget': requestBudget('The same for each bronze user.'),
  'schedule.goldShare': integer(16, [1, 1000], 'Share of the checks for gold users when there are too many due.'),
  'schedule.silverShare': integer(4, [1, 1000], 'Share of the checks for silver users.'),
  'schedule.bronzeShare': integer(1, [1, 1000], 'Share of the checks for bronze users.'),
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
  'schedule.perUserPerSecond': number(
    20,
    [0.001, 100_000],
    'Source checks started per second for one user, with bursts of up to ten seconds; one user gets at most half of the concurrent checks.',
  ),
  'schedule.perHostPerSecond': number(
    10,
    [0.001, 100_000],
    'Source checks started per second for one host, with at most a tenth of the concurrent checks. `crawl.delay` limits the requests for pages.',
  ),
  'schedule.checksPerSecond': integer(
    50,
    [1, 100_000],
    'Source checks started per second, to avoid a burst after downtime.',
  ),
  'schedule.maxChecks': integer(1000, [1, 1_000_000], 'Concurrent source checks.'),
  'schedule.maxPages': integer(
    10_000,
    [1, 100_000_000],
    'Maximum number of pages per source check; further links are not followed.',
  ),
  'annotate.processors': integer(
    1,
    [1, 16],
    'Threads that match new versions against profiles. One handles a few hundred pages per second; more share the documents.',
  ),
  'cluster.name': {
    kind: 'string',
    default: '',
    pattern: /^[\w.@-]{0,100}$/,
    expected: 'up to 100 letters, digits and . _ - @',
    about: 'Name of this process in lists; empty means the host name.',
  },
  'cluster.lease': duration(
    '15s',
    ['2s', '10m'],
    'Other workers take over the partitions of a worker after this long without a heartbeat. Must be the same in all processes of a cluster.',
  ),
  'cluster.connections': integer(
    6,
    [4, 100],
    'Connections to the shared store per thread. A crawling thread needs four: to read, write, listen and send heartbeats.',
  ),
  ...objectSettings,
  ...crawlSettings,
  'robots.maxEntries': integer(50_000, [1, 10_000_000], 'Number of hosts whose robots.txt rules are kept in memory.'),
  'robots.maxAge': duration('24h', ['1s', '30d'], 'How long a robots.txt is cached.'),
  'dns.maxEntries': integer(100_000, [1, 10_000_000], 'Number of host names whose addresses are kept in memory.'),
  'dns.minTtl': duration('60s', ['0', '1d'], 'Minimum time an address is cached, even if its TTL is shorter.'),
  'dns.maxTtl': duration('24h', ['0', '30d'], 'Maximum time an address is cached, even if its TTL is longer.'),
  'dns.negativeTtl': duration('5m', ['0', '1d'], 'How long a failed lookup is cached.'),
  'dns.concurrency': integer(64, [1, 10_000], 'Concurrent DNS lookups.'),
  'browser.executable': {
    kind: 'string',
    default: '',
    pattern: /^(?:\/[^\p{Cc}]{1,500})?$/u,
    expected: 'an absolute path, or empty',
    about: 'Chromium that opens pages that need a browser; empty means the one that is installed.',
  },
  'browser.cdp': {
    kind: 'string',
    default: '',
    pattern: /^(?:(?:https?|wss?):\/\/[^\s#]{1,500})?$/,
    expected: 'an http, https, ws or wss URL, or empty',
    secret: true,
    about:
      'Address of a Chromium that runs elsewhere (DevTools protocol), such as `http://127.0.0.1:9222`, instead of starting one. Its memory is not limited.',
  },
  'browser.maxPages': integer(
    2,
    [1, 100],
    'Pages open in browsers at a time, in all threads of a process; each has its own browser.',
  ),
  'browser.timeout': duration('30s', ['1s', '10m'], 'Time for a page to load and for its steps.'),
  'browser.memory': bytes('1GB', ['128MB', '64GB'], 'A browser that takes more memory than this is ended.'),
  'browser.keepFor': duration('1m', ['0', '1d'], 'How long an unused browser is kept running.'),
  'archive.maxFile': bytes('100MB', ['64KB', '10GB'], 'Size at which a WARC file is closed and a new one started.'),
  'archive.collectEvery': duration(
    '10m',
    ['1s', '7d'],
    'How often `erace up` and a cluster collect garbage: what `retention` no longer keeps, and bodies of superseded versions that matter to no one. It runs at low priority, and less often where it takes long: at most a tenth of the time.',
  ),
  'archive.compress': { kind: 'boolean', default: true, about: 'Compress closed WARC files in the background.' },
  'search.index': {
    kind: 'boolean',
    default: true,
    about: 'Index the text of new versions in the background while the crawl is idle; `erace search` indexes the rest.',
  },
  'frontier.seenCache': integer(262_144, [0, 100_000_000], 'Number of known URLs cached in memory, as fingerprints.'),
  'frontier.buffer': integer(
    20_000,
    [100, 10_000_000],
    'Number of queued requests kept in memory; the others stay on disk.',
  ),
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
  ...partSettings,
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
