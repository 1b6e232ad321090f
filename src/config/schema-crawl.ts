import { bytes, duration, integer, number, type Setting } from './setting.ts'
import { version } from './version.ts'

/** The `crawl.depth` that means no limit. */
export const NO_DEPTH_LIMIT = 1_000_000

/** A list whose items, and the files they name, are checked before anything starts. */
function listOf(items: string) {
  return {
    kind: 'list',
    default: [],
    pattern: /^@?[^\r\n]{1,4000}$/,
    expected: `a list of ${items}`,
    files: true,
  } as const
}

/** Settings of a crawl: pace, limits, which links are followed and what counts as a change. */
export const crawlSettings = {
  'crawl.seeds': {
    ...listOf('URLs or @FILEs with one URL per line'),
    about:
      'Where a crawl starts when the command line names no seed. A running service crawls them once; up to 10000 there.',
  },
  'crawl.depth': integer(
    NO_DEPTH_LIMIT,
    [0, NO_DEPTH_LIMIT],
    `How many links deep a crawl follows from its seeds; 0 fetches only the seeds, ${NO_DEPTH_LIMIT} means no limit.`,
  ),
  'crawl.mime': {
    ...listOf('media types, each with suffixes or without (`text/html html htm`), or @FILEs such as mime.types'),
    about:
      'Media types to collect, in crawls and for watched sources; without any, documents (HTML, text, XML, JSON, feeds, PDF, DOCX, ODT, EPUB, Markdown, CSV, messages). Suffixes named with a type are followed even if the built-in list ignores them.',
  },
  'crawl.ignore': {
    ...listOf('file suffixes or @FILEs with one suffix per line'),
    about:
      'URLs with these file suffixes are never fetched, not even as a source; without any, links to images, media, fonts, archives, programs, styles and scripts are not followed.',
  },
  'crawl.block': {
    ...listOf('hosts, .domains and URL prefixes, or @FILEs with one of them per line'),
    about: 'URLs that are never fetched, not even as a source.',
  },
  'crawl.delay': duration(
    '1s',
    ['0', '1d'],
    'Delay between the end of one request to a host and the start of the next.',
  ),
  'crawl.delayFactor': number(
    1,
    [0, 100],
    'The delay is at least this many times the duration of the last fetch, so that slow hosts get fewer requests.',
  ),
  'crawl.maxCrawlDelay': duration(
    '30s',
    ['0', '1d'],
    'Upper limit for the Crawl-delay of a robots.txt; longer ones are cut to it.',
  ),
  'crawl.perHost': integer(1, [1, 256], 'Concurrent requests per host.'),
  'crawl.perAddress': integer(8, [1, 4096], 'Concurrent requests per IP address, over all hosts it serves.'),
  'crawl.fetchers': integer(128, [1, 10_000], 'Concurrent requests over all hosts and threads.'),
  'crawl.threads': integer(
    0,
    [0, 256],
    'Threads for crawling; 0 means one per core. Of two, one crawls and the other one scans its pages; a worker of a cluster crawls in both.',
  ),
  'crawl.maxBody': bytes(
    '10MB',
    ['1KB', '1GB'],
    'Maximum body size after decompression; larger bodies are cut and the version is marked as truncated.',
  ),
  'crawl.maxDepth': integer(
    1000,
    [0, 1_000_000],
    'Maximum number of links from a seed; deeper pages are treated as a crawler trap.',
  ),
  'crawl.maxPagesPerHost': integer(1_000_000, [1, 1_000_000_000], 'Maximum number of URLs per host in one crawl.'),
  'crawl.maxUrlLength': integer(2048, [64, 65_536], 'Maximum length of a URL in characters.'),
  'crawl.maxPathSegments': integer(64, [1, 10_000], 'Maximum number of path segments in a URL.'),
  'crawl.maxRepeatedSegments': integer(
    3,
    [1, 1000],
    'How often a path segment may repeat in a URL before it is treated as a crawler trap.',
  ),
  'crawl.maxQueryVariants': integer(
    1000,
    [1, 100_000_000],
    'Maximum number of query strings followed per path of a host.',
  ),
  'crawl.maxRepeatedPages': integer(
    2000,
    [0, 100_000_000],
    'Maximum number of links followed from pages whose content has already occurred on the way to them, per host and content; further ones are treated as a crawler trap.',
  ),
  'crawl.maxLinksPerPage': integer(
    10_000,
    [1, 1_000_000],
    'Maximum number of links taken from a page; further ones are counted and dropped.',
  ),
  'crawl.maxRedirects': integer(10, [0, 100], 'Maximum number of redirects in a row.'),
  'crawl.maxAttempts': integer(3, [1, 100], 'Maximum number of attempts per URL after temporary failures.'),
  'crawl.userAgent': {
    kind: 'string',
    default: `erace/${version}`,
    pattern: /^[A-Za-z][ -~]{0,300}$/,
    expected: 'a product name, preferably followed by /VERSION and (+URL of a page about the crawler)',
    about: 'The User-Agent header; the part before the slash is the name matched in robots.txt files.',
  },
  'crawl.order': {
    kind: 'choice',
    default: 'breadth',
    choices: ['breadth', 'depth', 'shallow', 'random', 'fifo', 'importance', 'focused', 'walk'],
    about:
      "Order within a host's queue: nearest to the seed first (`breadth`), farthest first (`depth`), fewest path segments first (`shallow`), `random`, as they come (`fifo`), most linked to first (`importance`), nearest to a subject first (`focused`), or a random walk (`walk`). See docs/orders.md.",
  },
  'crawl.tables': {
    kind: 'choice',
    default: 'offered',
    choices: ['none', 'offered', 'search', 'first'],
    about:
      "Tables that hosts offer: of links (sitemaps, `NAME.TOL`) and of volatile parts (`NAME.TVI`). Read those that the host names in robots.txt or with a page, and try a table of links once where connections stand idle for want of links (`offered`); also look for sitemaps in the usual places, after some pages of a host (`search`) or before its first page (`first`); or read `none`. Sitemaps are for crawls only; sources of profiles don't use them.",
  },
  'crawl.focus': {
    ...listOf('terms, or @FILEs with one term per line or a profile (.xml)'),
    about:
      'What the order `focused` looks for: words and phrases, each with a weight before it or without (`2.5 solar power`).',
  },
  'crawl.focusExamples': {
    kind: 'string',
    default: '',
    pattern: /^[^\r\n]{0,4000}$/,
    expected: 'the path of a folder',
    about:
      'What the order `focused` learns from: a folder with texts or pages in its folders `wanted` and `others`, up to 1000 files each.',
  },
  'crawl.walkers': integer(1, [1, 64], 'How many random walks the order `walk` makes side by side.'),
  'crawl.walkRestart': number(
    0.15,
    [0, 1],
    'How likely a random walk restarts at a random page instead of following a link.',
  ),
  'crawl.walkSeeds': {
    kind: 'choice',
    default: 'visited',
    choices: ['visited', 'given'],
    about:
      'Where random walks restart: at a seed or any page that was visited so far (`visited`), or at a seed alone (`given`).',
  },
  'crawl.walkSeed': integer(
    0,
    [0, 0x7fffffff],
    'Makes a random walk repeatable: the same number leads to the same choices on the same pages; 0 for other ones each time.',
  ),
  'crawl.respectRobots': { kind: 'boolean', default: true, about: 'Obey robots.txt, meta robots and X-Robots-Tag.' },
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
    about: 'Query parameters to ignore when comparing URLs.',
  },
  'crawl.sortQuery': {
    kind: 'boolean',
    default: false,
    about: 'Treat URLs that differ only in the order of their query parameters as the same.',
  },
  'crawl.lowercasePaths': {
    kind: 'boolean',
    default: false,
    about:
      'Treat URLs that differ only in the case of letters in their path as the same. Wrong for servers that distinguish case.',
  },
  'crawl.collapseSlashes': {
    kind: 'boolean',
    default: true,
    about: 'Treat `//` in the path of a URL as `/`.',
  },
  'crawl.dropIndexNames': {
    kind: 'boolean',
    default: false,
    about:
      'Treat URLs with and without an index file (`index.*`, `default.*`) at their end as the same. These three affect comparison only: requests are sent as the link has them.',
  },
  'crawl.filter': {
    kind: 'filter',
    default: null,
    about:
      'Links to follow, as conditions combined with `all`, `any` and `not`: `{ url }` (a regular expression), `{ host }` (`example.org`, or `.example.org` with all hosts below it), `{ prefix }`, `{ protocol }`, `{ suffix }`, `{ length: { min, max } }`. Others are counted as out of scope. In the environment: JSON.',
  },
  'crawl.compare': {
    kind: 'choice',
    default: 'text',
    choices: ['text', 'bytes'],
    about:
      'What makes a new version of a page with text: a change of the visible `text` or the links, or any change of its `bytes`.',
  },
  'crawl.fullCheckAfter': integer(
    20,
    [0, 1_000_000],
    'Fetch a page in full after this many "not modified" responses in a row, in case the server is wrong. To spread the load, some pages are fetched earlier, after half as many at the earliest. 0 means never.',
  ),
  'crawl.connectTimeout': duration('10s', ['10ms', '10m'], 'Timeout for a connection, including TLS.'),
  'crawl.headerTimeout': duration(
    '20s',
    ['10ms', '10m'],
    'Timeout for the complete response header after the request is sent.',
  ),
  'crawl.stallTimeout': duration('20s', ['10ms', '10m'], 'Timeout between two pieces of a body.'),
  'crawl.totalTimeout': duration(
    '60s',
    ['10ms', '1h'],
    'Timeout for a whole exchange, from its start to the last byte.',
  ),
  'crawl.maxHeader': bytes('64KB', ['1KB', '1MB'], 'Maximum size of a response header.'),
  'crawl.hostFailures': integer(5, [1, 1000], 'Failures in a row after which the crawler backs off from a host.'),
  'crawl.hostRest': duration(
    '5s',
    ['0', '1d'],
    'First back-off of a failing host; each further one is four times as long.',
  ),
  'crawl.hostRestMax': duration('1h', ['0', '7d'], 'Longest back-off of a failing host.'),
  'crawl.hostRests': integer(3, [0, 1000], 'Back-offs in a row after which the crawl abandons a host.'),
} as const satisfies Record<string, Setting>
