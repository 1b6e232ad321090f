import type { HistoryReport } from '../../core/reports/history-report.ts'
import { missingUrl, refuseWords, wholeNumber } from '../args/values.ts'
import { type Command, exitCodes } from '../command.ts'
import { formatCount, formatSize, momentText, printable } from '../output/terminal-text.ts'

const defaultLimit = 50
/** Bidi isolates are for web pages; a terminal would show question marks. */
const isolates = /[\u2068\u2069]/g

export const command: Command = {
  name: 'history',
  group: 'Archive',
  summary: "list a document's versions: when, why, how large",
  usage: 'URL',
  options: [
    { name: 'limit', argument: 'N', about: `list the newest N versions (default: ${defaultLimit})` },
    { name: 'changes', about: 'read the bodies and say what each version changed' },
  ],
  examples: [
    { line: 'erace history https://example.org/', about: 'the newest 50 versions, newest last' },
    { line: 'erace history https://example.org/ --changes --limit 5', about: 'with what changed each time' },
    {
      line: 'erace history https://example.org/ --json',
      about: 'with digests, validators, server address and link counts',
    },
  ],
  async prepare({ positionals, options, target, engine, io, json }, errors) {
    const [url, ...rest] = positionals
    if (url === undefined) errors.push({ place: 'history', message: missingUrl })
    refuseWords(rest, 'history takes one URL', errors)
    const limit = wholeNumber(options, 'limit', [1], errors) ?? defaultLimit
    const changes = options.flag('changes')
    return async () => {
      const report = await engine.history(target, url!, { limit, changes })
      io.stdout.write(json ? `${JSON.stringify(report)}\n` : historyText(report, changes))
      return exitCodes.done
    }
  },
}

function historyText(report: HistoryReport, changes: boolean): string {
  const { url, versions, more, outcome, lastCheckedAt } = report
  const lines = [`${printable(url, 500)}: checked ${momentText(lastCheckedAt)}, ${printable(outcome, 40)}`]
  if (versions.length === 0) lines.push('  no versions kept')
  else {
    if (more > 0) lines.push(`  ${formatCount(more)} older versions not shown (--limit)`)
    const head = [
      'n',
      'first seen',
      'last seen',
      'why',
      'status',
      'size',
      ...(changes ? ['words', 'change'] : ['title']),
    ]
    lines.push(...table([head, ...versions.map((version) => row(version, changes))]))
  }
  return `${lines.join('\n')}\n`
}

function row(version: HistoryReport['versions'][number], changes: boolean): string[] {
  const { n, reason, status, size, title, body, location, firstSeenAt, lastSeenAt } = version
  const bodyNote = body === 'kept' || reason === 'gone' ? '' : body === 'none' ? '(no body)' : `(body ${body})`
  const parts = version.completedFrom?.parts ?? []
  const partsNote = parts.length === 0 ? '' : `(from TVI: ${printable(parts.join(', '), 80)})`
  const line = version.changes?.line ?? ''
  const about = line === '' ? printable(title, 60) : printable(line.replace(isolates, ''), 200)
  const name = reason === 'gone' && location !== '' ? `-> ${printable(location, 200)}` : about
  return [
    String(n),
    momentText(firstSeenAt),
    momentText(lastSeenAt),
    version.notice === 'noise' ? `${reason} (noise)` : reason,
    String(status),
    reason === 'gone' ? '' : formatSize(size),
    ...(changes ? [wordsText(version.changes)] : []),
    [name, bodyNote, partsNote].filter((part) => part !== '').join(' '),
  ]
}

function wordsText(changes: HistoryReport['versions'][number]['changes']): string {
  return changes ? `+${formatCount(changes.added)} -${formatCount(changes.removed)}` : ''
}

/** Numbers right-aligned, words left-aligned; the last column has no width limit. */
function table(rows: readonly string[][]): string[] {
  const widths = rows[0]!.map((_, column) => rows.reduce((width, cells) => Math.max(width, cells[column]!.length), 0))
  const toRight = new Set(['n', 'status', 'size', 'words'].map((name) => rows[0]!.indexOf(name)))
  return rows.map((cells) => {
    const padded = cells.map((cell, i) => (toRight.has(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
    return `  ${padded.join('  ')}`.trimEnd()
  })
}
