import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFiles, folderBytes, type Measured, measureCommand, medianOf, withFolder } from './measure.ts'
import { startServer } from './origin/serve.ts'
import type { OriginStats } from './origin/server.ts'
import type { Origin } from './origin/start.ts'
import { type BenchOptions, type BenchTable, numbersOf } from './table.ts'
import { findTool, type Tool, type ToolRun } from './tools.ts'

/**
 * The same web crawled by eRACE and its peers, in turn on the same machine. The origin counts the documents (distinct
 * pages requested), never the tool. Medians of all rounds are compared, with each peer at its best setting.
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
  'server',
]

export async function run({ roots, values }: BenchOptions): Promise<BenchTable> {
  const number = numbersOf(values)
  const settings: Settings = {
    rounds: number('rounds', 1),
    slowPages: number('slow-pages', 3000),
    again: values.again !== 'no',
    run: { fetchers: number('fetchers', 256), perHost: number('per-host', 8), threads: number('threads', 2) },
  }
  const peers = (values.peers ?? 'wget2,scrapy,crawlee').split(',').filter((name) => name !== '' && name !== 'none')
  const contestants = ['erace', ...peers].map(findTool)
  const origin = await startServer(values.server, {
    pages: number('pages', 20_000),
    hosts: number('hosts', 8),
    seed: number('seed', 1),
    roots,
  })
  try {
    return await withFolder((folder) => compare(folder, origin, contestants, settings))
  } finally {
    await origin.close()
  }
}

async function compare(folder: string, origin: Origin, contestants: Tool[], settings: Settings): Promise<BenchTable> {
  const notes = [
    `${origin.documents} documents, ${Math.round(origin.bodyBytes / origin.documents)} bytes on average, on ${origin.hosts.length} hosts`,
    `medians of ${settings.rounds} rounds in turn; the lowest and highest rate beside them`,
  ]
  const outcomes = new Map<string, Outcome[]>()
  await warmUp(origin, settings)
  const present: Tool[] = []
  for (const tool of contestants) {
    const reason = await tool.missing()
    if (reason === undefined) present.push(tool)
    else notes.push(`${tool.name} was skipped: ${reason}`)
  }
  for (let round = 0; round < settings.rounds; round++)
    // Rotate the order, so that no tool always follows the same one.
    for (const tool of [...present.slice(round % present.length), ...present.slice(0, round % present.length)])
      for (const setting of tool.settings({ origin, maxPages: 0, ...settings.run }))
        for (const outcome of await runTool(folder, origin, tool, setting, settings)) {
          const before = outcomes.get(outcome.label)
          if (before === undefined) outcomes.set(outcome.label, [outcome])
          else before.push(outcome)
        }
  notes.push(...new Set([...outcomes.values()].flat().flatMap((outcome) => outcomeNotes(outcome, origin, settings))))
  const summaries = [...outcomes.values()].map(summaryOf)
  return { name: 'crawl', columns, rows: summaries.map(row), stats: stats(summaries), notes }
}

/** The first start after a change compiles the modules, which must not be measured. */
async function warmUp(origin: Origin, settings: Settings): Promise<void> {
  await withFolder((folder) => {
    const command = findTool('erace').command({ origin, folder, maxPages: 0, ...settings.run }, settings.run.fetchers)
    return measureCommand({ ...command, args: [...command.args, '--max-pages', '10'] })
  })
}

async function runTool(within: string, origin: Origin, tool: Tool, setting: number, settings: Settings) {
  const folder = mkdtempSync(join(within, `${tool.name}-`))
  try {
    return await runToolIn(folder, origin, tool, setting, settings)
  } finally {
    emptyFiles(folder)
  }
}

async function runToolIn(folder: string, origin: Origin, tool: Tool, setting: number, settings: Settings) {
  const maxPages = tool.slow ? Math.min(settings.slowPages, origin.documents) : origin.documents
  const command = tool.command({ origin, folder, maxPages, ...settings.run }, setting)
  async function once(label: string): Promise<Outcome> {
    // Don't pay for data that the previous run has not yet flushed to disk.
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

/** Medians of all rounds of a tool with one setting. */
type Summary = {
  label: string
  tool: Tool
  documents: number
  seconds: number
  perSecond: number
  lowest: number
  highest: number
  cpuSeconds: number
  cpuMsPerDocument: number
  peakMb: number
  storedMb: number
  repeats: number
  /** The maximum of open connections to one host; nginx does not tell. */
  connections: number | '–'
  originUsPerRequest: number
}

function summaryOf(rounds: Outcome[]): Summary {
  const { label, tool } = rounds[0]!
  const median = (figure: (outcome: Outcome) => number): number => medianOf(rounds.map(figure))
  const rates = rounds.map(({ perSecond }) => perSecond)
  return {
    label,
    tool,
    documents: median(({ stats }) => stats.distinct),
    seconds: median(({ measured }) => measured.seconds),
    perSecond: medianOf(rates),
    lowest: Math.min(...rates),
    highest: Math.max(...rates),
    cpuSeconds: median(({ measured }) => measured.cpuSeconds),
    cpuMsPerDocument: median(({ measured, stats }) => (measured.cpuSeconds / Math.max(1, stats.distinct)) * 1000),
    peakMb: Math.round(median(({ measured }) => measured.peakRssBytes / 1e6)),
    storedMb: Math.round(median(({ storedBytes }) => storedBytes / 1e6)),
    repeats: median(({ stats }) => stats.duplicates),
    connections: rounds.some(({ stats }) => Object.keys(stats.maxConnections).length === 0)
      ? '–'
      : median(({ stats }) => Math.max(...Object.values(stats.maxConnections))),
    originUsPerRequest: median(({ stats }) => (stats.cpuSeconds / Math.max(1, stats.requests)) * 1e6),
  }
}

const columns = [
  'tool',
  'documents',
  'seconds',
  'documents/s',
  'lowest',
  'highest',
  'CPU s',
  'CPU ms/doc',
  'peak MB',
  'stored MB',
  'repeats',
  'connections',
  'origin µs/req',
]

function row(summary: Summary): (string | number)[] {
  const { tool: _, ...cells } = summary
  return Object.values(cells)
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

function stats(summaries: readonly Summary[]): Record<string, number> {
  const fastest = (name: string, again = false): Summary | undefined =>
    summaries
      .filter(({ tool, label }) => tool.name === name && label.endsWith('again') === again)
      .sort((a, b) => b.perSecond - a.perSecond)[0]
  const result: Record<string, number> = {}
  const ours = fastest('erace')
  for (const name of ['wget2', 'scrapy', 'crawlee'] as const) {
    const peer = fastest(name)
    if (peer === undefined) continue
    result[`${name}PerSecond`] = peer.perSecond
    if (ours === undefined) continue
    const to = `To${name[0]!.toUpperCase()}${name.slice(1)}`
    result[`ratio${to}`] = ours.perSecond / peer.perSecond
    // Other load slows both down, but not equally: CPU time is more stable.
    result[`cpuRatio${to}`] = ours.cpuMsPerDocument / peer.cpuMsPerDocument
  }
  if (ours !== undefined) {
    const again = fastest('erace', true)
    if (again !== undefined) result.ratioAgainToFirst = again.perSecond / ours.perSecond
    result.documentsPerSecond = ours.perSecond
    result.cpuMsPerDocument = ours.cpuMsPerDocument
    result.peakRssMb = ours.peakMb
  }
  return result
}
