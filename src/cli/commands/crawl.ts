import { readCrawlLists, readSeeds, readTextFile } from '../../config/crawl-lists.ts'
import type { CrawlSettings } from '../../config/crawl-settings.ts'
import { omitRulesOf } from '../../config/source-rules.ts'
import type { ValidationError } from '../../config/validation-errors.ts'
import { isAppError } from '../../core/errors.ts'
import { createPattern } from '../../core/pattern/pattern.ts'
import type { CrawlResult } from '../../core/reports/crawl-report.ts'
import { createOmitRules, type OmitRule } from '../../core/text/omit-rules.ts'
import { focusTermsOfProfile } from '../args/focus-profile.ts'
import { allowNetOption } from '../args/network-option.ts'
import { wholeNumber } from '../args/values.ts'
import { type Command, type CommandContext, exitCodes, type Option, type OptionValues, spelling } from '../command.ts'
import { createInterrupt, finishingRequests } from '../interrupt.ts'
import { closingTable } from '../output/closing-table.ts'
import { createProgressLine, createStatisticsLog } from '../output/crawl-progress.ts'
import { createStatusLine } from '../output/status-line.ts'

export const crawlOptions: readonly Option[] = [
  {
    name: 'depth',
    argument: 'N',
    about: 'how many links deep to follow from the seeds; 0 fetches only the seeds (default: no limit)',
  },
  {
    name: 'restrict',
    argument: 'REGEX',
    about: 'crawl only URLs matching this regular expression (default: the hosts of the seeds)',
  },
  { name: 'max-pages', argument: 'N', about: 'stop after this many pages; run the same command again to continue' },
  { name: 'fetchers', argument: 'N', setting: 'crawl.fetchers', about: 'concurrent requests' },
  { name: 'threads', argument: 'N', setting: 'crawl.threads', about: 'worker threads; 0 means one per core' },
  { name: 'per-host', argument: 'N', setting: 'crawl.perHost', about: 'concurrent requests per host' },
  {
    name: 'delay',
    argument: 'MS',
    setting: 'crawl.delay',
    about: 'delay between requests to the same host (500, 2s, 1m)',
  },
  {
    name: 'host-rules',
    argument: 'FILE',
    about: 'rules that map equivalent hosts: startsWith(), endsWith(), synonym() lines',
  },
  { name: 'mime', argument: 'FILE', about: "media types to collect, one per line, or Apache's mime.types" },
  { name: 'ignore', argument: 'FILE', about: 'file suffixes never to fetch, one per line' },
  { name: 'block', argument: 'FILE', about: 'hosts, .domains and URL prefixes never to fetch, one per line' },
  { name: 'max-body', argument: 'BYTES', setting: 'crawl.maxBody', about: 'maximum body size (5MB, 64KiB)' },
  { name: 'user-agent', argument: 'S', setting: 'crawl.userAgent', about: 'User-Agent header to send' },
  allowNetOption,
  {
    name: 'no-robots',
    setting: 'crawl.respectRobots',
    flagValue: false,
    about: 'ignore robots.txt; only for your own sites',
  },
  {
    name: 'lowercase-paths',
    setting: 'crawl.lowercasePaths',
    flagValue: true,
    about: 'treat URLs that differ only in the case of their path as the same',
  },
  {
    name: 'drop-index-names',
    setting: 'crawl.dropIndexNames',
    flagValue: true,
    about: 'treat URLs with and without index.* or default.* at their end as the same',
  },
  {
    name: 'keep-slashes',
    setting: 'crawl.collapseSlashes',
    flagValue: false,
    about: "don't treat // in a path as /",
  },
  {
    name: 'omit',
    argument: 'SELECTOR',
    repeatable: true,
    about: 'CSS selector of page parts to ignore when comparing (.banner, #clock)',
  },
  {
    name: 'omit-text',
    argument: 'REGEX',
    repeatable: true,
    about: 'regular expression of text to ignore when comparing',
  },
  {
    name: 'no-index',
    setting: 'search.index',
    flagValue: false,
    about: 'do not index text during the crawl; erace search does it later',
  },
  {
    name: 'tables',
    argument: 'WHEN',
    setting: 'crawl.tables',
    about: 'use the tables that sites offer (see erace augment): offered, first (probe before the first page) or none',
  },
  {
    name: 'order',
    argument: 'ORDER',
    setting: 'crawl.order',
    about: 'crawl order: breadth, depth, shallow, random, fifo, importance, focused or walk',
  },
  {
    name: 'focus',
    argument: 'TERMS',
    setting: 'crawl.focus',
    about: 'what --order focused looks for: terms with commas between them, @FILE of terms or @PROFILE.xml',
  },
  {
    name: 'walkers',
    argument: 'N',
    setting: 'crawl.walkers',
    about: 'random walks side by side with --order walk',
  },
]

export const command: Command = {
  name: 'crawl',
  group: 'Crawl',
  summary:
    'crawl now and keep every page; resumes an interrupted crawl, rechecks a finished one; in the folder of a running erace up, that one crawls',
  usage: 'SEED… | @FILE',
  options: crawlOptions,
  examples: [
    { line: 'erace crawl https://example.org/', about: 'a whole site' },
    { line: 'erace crawl @seeds.txt --depth 2 --max-pages 10000', about: 'two links deep, from a list of seeds' },
    {
      line: "erace crawl https://example.org/docs/ --restrict '^https://example\\.org/docs/' --json",
      about: 'one part of a site, result as JSON',
    },
    { line: 'erace crawl file:///srv/docs/ ftp://ftp.example.org/pub/', about: 'a folder, and one of an FTP server' },
    {
      line: 'erace crawl https://example.org/ --order focused --focus "solar power,wind" --max-pages 500',
      about: 'pages about a subject first',
    },
    { line: 'erace crawl https://example.org/ --order walk --max-pages 1000', about: 'a random walk of 1000 steps' },
    { line: 'erace crawl http://intranet.local/ --allow-net 10.0.0.0/8 --delay 100', about: 'an intranet' },
  ],
  async prepare(context, errors) {
    return prepareCrawl(context, { seeds: context.positionals, restrict: 'restrict', hostRules: 'host-rules' }, errors)
  },
}

/** Options for speed and order. A running service that takes over the crawl decides these. */
const decidedByService: readonly string[] = [
  'fetchers',
  'threads',
  'per-host',
  'delay',
  'order',
  'focus',
  'walkers',
  'tables',
  'allow-net',
  'no-index',
]
/** Options that a running service supports for each crawl that it takes over. */
const knownToService: readonly string[] = ['depth', 'restrict', 'restrictto', 'max-pages', 'start']

function optionsInService({ options }: CommandContext, command: readonly Option[]) {
  const given = command.filter(({ name }) => options.flag(name) && !knownToService.includes(name))
  const isIgnored = ({ name }: Option): boolean => decidedByService.includes(name)
  return {
    refused: given.filter((option) => !isIgnored(option)).map(spelling),
    ignored: given.filter(isIgnored).map(spelling),
  }
}

/** The differences between the command lines that start a crawl. */
type CrawlWords = {
  seeds: readonly string[]
  /** The place to report for a missing seed. */
  seedPlace?: string
  /** Names of options. */
  restrict: string
  hostRules: string
  dashes?: string
  options?: readonly Option[]
}

export async function prepareCrawl(
  context: CommandContext,
  words: CrawlWords,
  errors: ValidationError[],
): Promise<() => Promise<number>> {
  const settings = await readSettings(context, words, errors)
  const inService = optionsInService(context, words.options ?? crawlOptions)
  return () => run(context, settings, inService)
}

async function readSettings(
  context: CommandContext,
  words: CrawlWords,
  errors: ValidationError[],
): Promise<CrawlSettings> {
  const { options, cwd, config, dataDir } = context
  const { seeds, seedPlace = 'SEED', restrict, hostRules, dashes = '--' } = words
  const file = async (name: string, prefix = '--'): Promise<string | null> => {
    const path = options.text(name)
    return path === undefined ? null : readTextFile(path, { cwd, place: `${prefix}${name} ${path}`, errors })
  }
  // Each list on the command line overrides that of the configuration.
  const configured = await readCrawlLists(config, errors, focusTermsOfProfile)
  const { mimeTypes, ignoreTypes, blockList } = configured.files
  if (config.crawl.order === 'walk' && options.text('max-pages') === undefined)
    errors.push({
      place: '--order walk',
      message: 'a random walk has no end: give --max-pages, the number of its steps',
    })
  if (seeds.length === 0 && config.crawl.seeds.length === 0)
    errors.push({ place: seedPlace, message: 'give at least one URL, or @FILE with one URL per line' })
  return {
    folder: dataDir,
    config,
    seeds:
      seeds.length === 0
        ? configured.seeds
        : await readSeeds(seeds, { cwd, allSchemes: config.parts.protocols.length > 0, errors }),
    depth: wholeNumber(options, 'depth', [0], errors) ?? configured.depth,
    restrict: regularExpression(options.text(restrict), dashes + restrict, errors),
    maxPages: wholeNumber(options, 'max-pages', [1], errors),
    omit: [...omitRulesOf(config.sources), ...omitRules(options, errors)],
    focus: configured.focus ?? null,
    files: {
      mimeTypes: (await file('mime')) ?? mimeTypes,
      ignoreTypes: (await file('ignore')) ?? ignoreTypes,
      blockList: (await file('block')) ?? blockList,
      hostRules: await file(hostRules, dashes),
    },
  }
}

function regularExpression(source: string | undefined, place: string, errors: ValidationError[]): string | null {
  if (source === undefined) return null
  if (source === '') {
    errors.push({ place, message: 'is empty and would match every URL; . does so on purpose' })
    return null
  }
  try {
    createPattern(source)
    return source
  } catch (error) {
    if (!isAppError(error)) throw error
    errors.push({ place, message: error.message })
    return null
  }
}

function omitRules(options: OptionValues, errors: ValidationError[]): OmitRule[] {
  const rules: OmitRule[] = []
  const add = (name: string, rule: OmitRule): void => {
    try {
      createOmitRules([rule])
      rules.push(rule)
    } catch (error) {
      if (!isAppError(error)) throw error
      errors.push({ place: `--${name}`, message: error.message })
    }
  }
  for (const selector of options.all('omit')) add('omit', { match: '*', selectors: [selector], patterns: [] })
  for (const source of options.all('omit-text')) add('omit-text', { match: '*', selectors: [], patterns: [source] })
  return rules
}

async function run(
  context: CommandContext,
  settings: CrawlSettings,
  inService: ReturnType<typeof optionsInService>,
): Promise<number> {
  const { io, clock, quiet, engine } = context
  const line = createStatusLine(io.stderr)
  const log = await context.createLog(line.sink)
  const showsLine = io.stderr.isTTY === true && !quiet
  const onProgress = showsLine
    ? createProgressLine({ line, clock, maxPages: settings.maxPages })
    : createStatisticsLog({ log, clock })
  let handedOver: number | null = null
  const interrupt = createInterrupt({
    io,
    clock,
    onFirst() {
      if (!quiet) line.sink.write(handedOver === null ? finishingRequests('crawl') : goesOnInService(handedOver))
    },
  })
  const onHandedOver = (id: number): void => {
    handedOver = id
  }
  try {
    const result = await engine.crawl(
      settings,
      { onProgress, signal: interrupt.signal, log, inService: { ...inService, onHandedOver } },
      context.target,
    )
    line.clear()
    printResult(context, result)
    return result.interrupted ? exitCodes.interrupted : hasOnlyFailed(result) ? exitCodes.failed : exitCodes.done
  } finally {
    line.clear()
    interrupt.dispose()
  }
}

/** Nothing was read: every seed failed. */
function hasOnlyFailed({ stored, unchanged, duplicates, failed }: CrawlResult): boolean {
  return failed > 0 && stored + unchanged + duplicates === 0
}

function goesOnInService(id: number): string {
  return `erace crawl: the running service goes on with crawl ${id}; stop it under Activity, or with DELETE /api/v1/crawl/${id}\n`
}

function printResult({ io, json }: CommandContext, result: CrawlResult): void {
  io.stdout.write(json ? `${JSON.stringify(result)}\n` : closingTable(result))
}
