import { writeFile } from 'node:fs/promises'
import type { StatsProgress, StatsReport, StatsTable } from '../../core/reports/stats-report.ts'
import { checkTarget } from '../args/files.ts'
import { refuseWords, wholeNumber } from '../args/values.ts'
import { type Command, exitCodes } from '../command.ts'
import { createInterrupt } from '../interrupt.ts'
import { createStatusLine } from '../output/status-line.ts'
import { columns, formatCount, formatSize, formatSpan, printable } from '../output/terminal-text.ts'

const DEFAULT_SAMPLE = 10_000
const MAX_SAMPLE = 100_000_000

export const command: Command = {
  name: 'stats',
  group: 'Archive',
  summary: 'statistics of what was crawled: sizes, types, languages, servers, change rates, duplicates, links',
  usage: '',
  options: [
    { name: 'html', argument: 'FILE', about: 'also write them as one HTML page with plots' },
    {
      name: 'sample',
      argument: 'N',
      about: `how many current versions to read for languages, servers, links and near-duplicates; 0 for all (default: ${DEFAULT_SAMPLE})`,
    },
    { name: 'force', about: 'replace an existing file' },
  ],
  examples: [
    { line: 'erace stats', about: 'tables in the terminal' },
    { line: 'erace stats --html stats.html --sample 0', about: 'a page with plots, from every current version' },
  ],
  async prepare({ positionals, options, target, dataDir, cwd, engine, io, clock, json, quiet }, errors) {
    refuseWords(positionals, 'stats takes no arguments', errors)
    const sample = wholeNumber(options, 'sample', [0, MAX_SAMPLE], errors) ?? DEFAULT_SAMPLE
    const html = options.text('html')
    const force = options.flag('force')
    const file = html === undefined ? null : checkTarget('--html', html, { cwd, dataDir, force, errors })
    return async () => {
      const line = createStatusLine(io.stderr)
      const shows = io.stderr.isTTY === true && !quiet
      const interrupt = createInterrupt({ io, clock })
      const onProgress = (progress: StatsProgress) => shows && line.draw(progressPieces(progress))
      const report = await engine.stats(target, { sample }, { onProgress, signal: interrupt.signal }).finally(() => {
        line.clear()
        interrupt.dispose()
      })
      if (file !== null) {
        const { statsPage } = await import('../../services/stats/stats-page.ts')
        await writeFile(file, statsPage(report))
      }
      io.stdout.write(json ? `${JSON.stringify(report)}\n` : statsText(report))
      return report.interrupted ? exitCodes.interrupted : exitCodes.done
    }
  },
}

function progressPieces({ stage, done, total }: StatsProgress): string[] {
  const share = total === null || total === 0 ? [] : [`${Math.min(100, Math.floor((done / total) * 100))} %`]
  return [stage, ...share, `${formatCount(done)} documents`]
}

function statsText(report: StatsReport): string {
  const { documents, kept, hosts, bytes, sample, duplicates, seconds, interrupted } = report
  const head = [
    interrupted ? 'Interrupted: not everything was counted' : `Counted in ${formatSpan(seconds)}`,
    ...columns([
      ['documents', formatCount(documents)],
      ['with a current version', formatCount(kept)],
      ['hosts', formatCount(hosts)],
      ['size of the current bodies', formatSize(bytes)],
      ['equal bodies', part(duplicates.exact, kept)],
      ['nearly equal texts', part(duplicates.near, duplicates.compared)],
      ['versions read', part(sample.read, sample.of)],
    ]),
  ]
  return `${[head.join('\n'), ...report.tables.filter(({ total }) => total > 0).map(tableText)].join('\n\n')}\n`
}

function part(count: number, of: number): string {
  return `${formatCount(count)} of ${formatCount(of)}`
}

function tableText({ title, note, rows, others, total }: StatsTable): string {
  const all = others === 0 ? rows : [...rows, { name: 'others', count: others }]
  const lines = columns(
    all.map(({ name, count }) => [printable(name, 40), formatCount(count), `${((100 * count) / total).toFixed(1)} %`]),
  )
  return [`${title} (${note})`, ...lines].join('\n')
}
