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
    about: 'Networks that the address guard lets through although they are private, loopback or reserved.',
  },
  'server.host': {
    kind: 'string',
    default: '127.0.0.1',
    pattern: /^[^\s/]{1,253}$/,
    expected: 'a host name or an address',
    about: 'Where the server listens. Outside this machine it belongs behind a proxy that speaks TLS.',
  },
  'server.port': { kind: 'integer', default: 7070, min: 0, max: 65_535, about: 'Its port; 0 takes a free one.' },
  'server.url': {
    kind: 'string',
    default: '',
    pattern: /^(?:https?:\/\/[^\s?#]{1,300})?$/,
    expected: 'an http(s) URL, or nothing',
    about:
      'Under which address people reach the server, where that is not host and port: for links, and whether cookies are for TLS alone.',
  },
  'server.trustProxy': {
    kind: 'cidrs',
    default: [],
    about: 'Networks of proxies whose word for the address of a caller (X-Forwarded-For) is believed.',
  },
  'server.maxBody': { kind: 'bytes', default: '4MB', min: '16KB', max: '256MB', about: 'Largest body of a request.' },
  'server.requestsPerMinute': {
    kind: 'integer',
    default: 6000,
    min: 10,
    max: 10_000_000,
    about: 'Requests that one user, or one address that nobody is signed in from, may make in a minute.',
  },
  'server.maxStreams': {
    kind: 'integer',
    default: 5000,
    min: 1,
    max: 1_000_000,
    about: 'Streams of live events that may be open at the same time.',
  },
  'server.maxProfiles': {
    kind: 'integer',
    default: 20_000,
    min: 1,
    max: 1_000_000,
    about: 'Profiles that one user may have. What comes by erace profile import is not counted.',
  },
  'server.maxSources': {
    kind: 'integer',
    default: 20_000,
    min: 1,
    max: 10_000_000,
    about: 'Sources that one user may have in all profiles together.',
  },
  'server.sessionAge': {
    kind: 'duration',
    default: '30d',
    min: '1m',
    max: '365d',
    about: 'After so long without use a session ends.',
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
  'cluster.name': {
    kind: 'string',
    default: '',
    pattern: /^[\w.@-]{0,100}$/,
    expected: 'up to 100 letters, digits and . _ - @',
    about: 'What people call this process in lists of a cluster; empty for the name of the machine.',
  },
  'cluster.lease': {
    kind: 'duration',
    default: '15s',
    min: '2s',
    max: '10m',
    about:
      'After so long without a sign of life the partitions of a worker go to others. The same in all processes of a cluster.',
  },
  'cluster.connections': {
    kind: 'integer',
    default: 6,
    min: 4,
    max: 100,
    about:
      'Connections to the shared store that each thread of a process may have. One that crawls needs four: to read, to write, to listen and for its heartbeats.',
  },
  ...crawlSettings,
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
