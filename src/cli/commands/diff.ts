import type { DiffHunk, DiffReport, VersionReport } from '../../core/reports/history-report.ts'
import { missingUrl, refuseWords, wholeNumber } from '../args/values.ts'
import { type Command, exitCodes } from '../command.ts'
import { changeLines } from '../output/change-lines.ts'
import type { Sink } from '../output/io.ts'
import { type Painter, painterOf } from '../output/painter.ts'
import { documentLines, formatCount, formatSize, momentText, printable } from '../output/terminal-text.ts'

const defaultContext = 3

export const command: Command = {
  name: 'diff',
  group: 'Archive',
  summary: 'show what changed between two versions of a document',
  usage: 'URL [N] [M]',
  options: [
    { name: 'lines', about: 'compare lines, as a unified diff, instead of blocks' },
    { name: 'words', about: 'compare words, [-removed-] {+added+}, instead of blocks' },
    { name: 'html', about: 'output a self-contained HTML page' },
    { name: 'raw', about: 'compare the source instead of the visible text' },
    {
      name: 'context',
      argument: 'N',
      about: `with --lines or --words: lines of context around each change (default: ${defaultContext})`,
    },
  ],
  examples: [
    { line: 'erace diff https://example.org/', about: 'what changed between the last two versions that differ' },
    { line: 'erace diff https://example.org/ --lines', about: 'the same as a unified diff' },
    { line: 'erace diff https://example.org/ 3', about: 'from version 3 to the latest' },
    {
      line: 'erace diff https://example.org/ 2026-11-01 2026-11-08T12:00 --words',
      about: 'between two points in time, by words',
    },
    {
      line: 'erace diff https://example.org/ first last --html > changes.html',
      about: 'all changes, to view in a browser',
    },
  ],
  async prepare({ positionals, options, target, engine, io, json, colour }, errors) {
    const [url, from, to, ...rest] = positionals
    if (url === undefined) errors.push({ place: 'diff', message: missingUrl })
    refuseWords(rest, 'diff takes a URL and two versions', errors)
    if (json && options.flag('html')) errors.push({ place: '--html', message: "can't be combined with --json" })
    const context = wholeNumber(options, 'context', [0], errors) ?? defaultContext
    const form = options.flag('words') ? 'words' : 'lines'
    const raw = options.flag('raw')
    if (options.flag('words') && options.flag('lines'))
      errors.push({ place: '--lines', message: "can't be combined with --words" })
    const isText = raw || options.flag('words') || options.flag('lines') || options.text('context') !== undefined
    return async () => {
      const request = { from, to, form, context, raw } as const
      const report = await engine.diff(target, url!, request)
      if (json) io.stdout.write(`${JSON.stringify(report)}\n`)
      else if (options.flag('html')) io.stdout.write(await engine.diffPage(report, isText ? 'text' : 'changes'))
      else if (report.from.n === report.to.n) io.stdout.write(sameVersion(report, from !== undefined))
      else io.stdout.write((isText ? diffText : changesText)(report, io.stdout, colour))
      return exitCodes.done
    }
  },
}

/** Two times, or a version and the latest, may be one version. */
function sameVersion({ url, to }: DiffReport, isChosen: boolean): string {
  const why = isChosen ? 'both are' : 'there is only'
  return `${printable(url, 500)}: nothing to compare, ${why} ${versionLine(to)}\n`
}

function changesText(report: DiffReport, sink: Sink, colour: boolean): string {
  const { equal, compared, coarse, changes, changeCount } = report
  if (equal || compared === 'bytes' || changeCount === 0) return `${plainWords(report)}\n`
  const paint = painterOf(colour)
  const lines = [...headLines(report, paint), ...changeLines(changes, sink, paint)]
  if (changes.length < changeCount) lines.push(`(${formatCount(changeCount - changes.length)} more changes)`)
  if (coarse) lines.push(roughly)
  return `${lines.join('\n')}\n`
}

const roughly = '(The texts differ too much for an exact comparison; the actual changes may be smaller.)'

function headLines({ url, from, to }: DiffReport, paint: Painter): string[] {
  const name = (version: VersionReport) => `${printable(url, 500)}@${version.n}\t${momentText(version.firstSeenAt)}`
  return [paint('bold', `--- ${name(from)}`), paint('bold', `+++ ${name(to)}`)]
}

function diffText(report: DiffReport, sink: Sink, colour: boolean): string {
  const { equal, compared, coarse, form, hunks } = report
  if (equal || compared === 'bytes' || hunks.length === 0) return `${plainWords(report)}\n`
  const paint = painterOf(colour)
  const lines = headLines(report, paint)
  for (const hunk of hunks) {
    lines.push(paint('cyan', `@@ -${span(hunk.fromLine, hunk.fromCount)} +${span(hunk.toLine, hunk.toCount)} @@`))
    lines.push(...(form === 'lines' ? unifiedLines(hunk, sink, paint) : [wordLines(hunk, sink, paint)]))
  }
  if (coarse) lines.push(roughly)
  return `${lines.join('\n')}\n`
}

function plainWords({ url, from, to, equal, compared, hunks }: DiffReport): string {
  const name = printable(url, 500)
  const pair = `${versionLine(from)} and ${versionLine(to)}`
  if (compared === 'bytes' && !equal) return `${name}: ${pair} differ; there is no text to compare`
  if (!equal && hunks.length > 0) return `${name}: readers see no difference between ${pair}; try --lines or --raw`
  if (!equal) return `${name}: ${pair} differ only in line endings`
  if (compared === 'text' && from.digest !== to.digest)
    return `${name}: ${pair} have the same text; use --raw to compare the source`
  return `${name}: no differences between ${pair}`
}

function span(line: number, count: number): string {
  return count === 1 ? `${line}` : `${line},${count}`
}

function unifiedLines({ pieces }: DiffHunk, sink: Sink, paint: Painter): string[] {
  return pieces.map(({ kind, text }) => {
    const line = documentLines(text, sink)
    if (kind === 'same') return ` ${line}`
    return kind === 'added' ? paint('green', `+${line}`) : paint('red', `-${line}`)
  })
}

function wordLines({ pieces }: DiffHunk, sink: Sink, paint: Painter): string {
  const text = pieces.map((piece) => {
    const words = documentLines(piece.text, sink)
    if (piece.kind === 'same') return words
    return piece.kind === 'added' ? paint('green', `{+${words}+}`) : paint('red', `[-${words}-]`)
  })
  return text.join('').replace(/\n$/, '')
}

function versionLine({ n, reason, status, type, size, firstSeenAt }: VersionReport): string {
  const content = reason === 'gone' ? `gone, status ${status}` : `${printable(type, 60)}, ${formatSize(size)}`
  return `version ${n} of ${momentText(firstSeenAt)} (${content})`
}
