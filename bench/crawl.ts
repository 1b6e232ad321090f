import { spawnSync } from 'node:child_process'
import { folderBytes, type Measured, measureCommand, withFolder } from './measure.ts'
import type { OriginStats } from './origin/server.ts'
import { type Origin, startOrigin } from './origin/start.ts'
import { type BenchOptions, type BenchTable, numbersOf } from './table.ts'
import { findTool, type Tool, type ToolRun } from './tools.ts'

/**
 * The same web crawled by eRACE and its peers, one after another on the same machine. The origin counts the documents
 * (distinct pages requested), never the tool; the best of all rounds and settings counts.
 */
type Outcome = {
  label: string
  tool: Tool
  measured: Measured
  stats: OriginStats
  storedBytes: number
  perSecond: number
}

type Settings = {
  rounds: number
  slowPages: number
  again: boolean
  run: Pick<ToolRun, 'fetchers' | 'perHost' | 'threads'>
}

export const optionNames = [
  'pages',
  'hosts',
  'seed',
  'peers',
  'rounds',
  'slow-pages',
  'fetchers',
  'per-host',
  'threads',
  'again',
]

export async function run({ roots, values }: BenchOptions): Promise<BenchTable> {
  const number = numbersOf(values)
  const settings: Settings = {
    rounds: number('rounds', 1),
    slowPages: number('slow-pages', 3000),
    again: values.again !== 'no',
    run: { fetchers: number('fetchers', 128), perHost: number('per-host', 8), threads: number('threads', 2) },
  }
  const peers = (values.peers ?? 'wget2,scrapy,crawlee').split(',').filter((name) => name !== '' && name !== 'none')
  const contestants = ['erace', ...peers].map(findTool)
  const origin = await startOrigin({
    pages: number('pages', 20_000),
    hosts: number('hosts', 8),
    seed: number('seed', 1),
    roots,
  })
  try {
    return await compare(origin, contestants, settings)
  } finally {
    await origin.close()
  }
}

async function compare(origin: Origin, contestants: Tool[], settings: Settings): Promise<BenchTable> {
  const notes = [
    `${origin.documents} documents, ${Math.round(origin.bodyBytes / origin.documents)} bytes on average, on ${origin.hosts.length} hosts`,
  ]
  const best = new Map<string, Outcome>()
  await warmUp(origin, settings)
  for (let round = 0; round < settings.rounds; round++)
    for (const tool of contestants) {
      const reason = round === 0 ? await tool.missing() : undefined
      if (reason !== undefined) {
        notes.push(`${tool.name} was skipped: ${reason}`)
        contestants = contestants.filter((other) => other !== tool)
        continue
      }
      for (const setting of tool.settings({ origin, maxPages: 0, ...settings.run }))
        for (const outcome of await runTool(origin, tool, setting, settings)) keepBetter(best, outcome)
    }
  notes.push(...[...best.values()].flatMap((outcome) => outcomeNotes(outcome, origin, settings)))
  return { name: 'crawl', columns, rows: [...best.values()].map(row), stats: stats(best), notes }
}

/** The first start after a change compiles the modules, which must not be measured. */
async function warmUp(origin: Origin, settings: Settings): Promise<void> {
  await withFolder((folder) => {
    const command = findTool('erace').command({ origin, folder, maxPages: 0, ...settings.run }, settings.run.fetchers)
    return measureCommand({ ...command, args: [...command.args, '--max-pages', '10'] })
  })
}

function runTool(origin: Origin, tool: Tool, setting: number, settings: Settings): Promise<Outcome[]> {
  return withFolder((folder) => runToolIn(folder, origin, tool, setting, settings))
}

async function runToolIn(folder: string, origin: Origin, tool: Tool, setting: number, settings: Settings) {
  const maxPages = tool.slow ? Math.min(settings.slowPages, origin.documents) : origin.documents
  const command = tool.command({ origin, folder, maxPages, ...settings.run }, setting)
  async function once(label: string): Promise<Outcome> {
    // Do not pay for data that the previous run left to be written to disk.
    spawnSync('sync')
    await origin.reset()
    const measured = await measureCommand(command)
    const stats = await origin.stats()
    const seconds = tool.slow && maxPages < origin.documents ? stats.spanSeconds : measured.seconds
    const outcome = {
      label,
      tool,
      measured,
      stats,
      storedBytes: folderBytes(folder),
      perSecond: stats.distinct / seconds,
    }
    process.stderr.write(`${label}: ${stats.distinct} documents, ${outcome.perSecond.toFixed(0)}/s\n`)
    return outcome
  }
  const first = await once(`${tool.name} (${setting})`)
  // Only eRACE crawls the unchanged web again, with conditional requests: the peers store no validators.
  return tool.name === 'erace' && settings.again ? [first, await once(`${tool.name} (${setting}), again`)] : [first]
}

function keepBetter(best: Map<string, Outcome>, outcome: Outcome): void {
  const before = best.get(outcome.label)
  if (before === undefined || before.perSecond < outcome.perSecond) best.set(outcome.label, outcome)
}

const columns = [
  'tool',
  'documents',
  'seconds',
  'documents/s',
  'CPU s',
  'CPU ms/doc',
  'peak MB',
  'stored MB',
  'repeats',
  'connections',
  'origin µs/req',
]

function row({ label, measured, stats, storedBytes, perSecond }: Outcome): (string | number)[] {
  return [
    label,
    stats.distinct,
    measured.seconds,
    perSecond,
    measured.cpuSeconds,
    (measured.cpuSeconds / Math.max(1, stats.distinct)) * 1000,
    Math.round(measured.peakRssBytes / 1e6),
    Math.round(storedBytes / 1e6),
    stats.duplicates,
    Math.max(0, ...Object.values(stats.maxConnections)),
    (stats.cpuSeconds / Math.max(1, stats.requests)) * 1e6,
  ]
}

function outcomeNotes({ label, tool, measured, stats }: Outcome, origin: Origin, settings: Settings): string[] {
  const notes: string[] = []
  if (measured.exitCode !== 0) notes.push(`${label} ended with exit code ${measured.exitCode}`)
  if (tool.slow && settings.slowPages < origin.documents)
    notes.push(
      `${label} crawled ${settings.slowPages} pages, timed from its first to its last request, without its start-up`,
    )
  else if (stats.distinct < origin.documents)
    notes.push(`${label} missed ${origin.documents - stats.distinct} of ${origin.documents} documents`)
  return notes
}

function stats(best: Map<string, Outcome>): Record<string, number> {
  const outcomes = [...best.values()]
  const fastest = (name: string, again = false): Outcome | undefined =>
    outcomes
      .filter(({ tool, label }) => tool.name === name && label.endsWith('again') === again)
      .sort((a, b) => b.perSecond - a.perSecond)[0]
  const result: Record<string, number> = {}
  const ours = fastest('erace')
  for (const name of ['wget2', 'scrapy', 'crawlee'] as const) {
    const peer = fastest(name)
    if (peer === undefined) continue
    result[`${name}PerSecond`] = peer.perSecond
    if (ours !== undefined) result[`ratioTo${name[0]!.toUpperCase()}${name.slice(1)}`] = ours.perSecond / peer.perSecond
  }
  if (ours !== undefined) {
    const again = fastest('erace', true)
    if (again !== undefined) result.ratioAgainToFirst = again.perSecond / ours.perSecond
    result.documentsPerSecond = ours.perSecond
    result.cpuMsPerDocument = (ours.measured.cpuSeconds / Math.max(1, ours.stats.distinct)) * 1000
    result.peakRssMb = ours.measured.peakRssBytes / 1e6
  }
  return result
}
