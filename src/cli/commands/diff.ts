import type { DiffHunk, DiffReport, VersionReport } from '../../core/reports/history-report.ts'
import { wholeNumber } from '../args/whole-number.ts'
import { type Command, exitCodes } from '../command.ts'
import { documentLines, momentText, versionLine } from '../output/history-text.ts'
import type { Sink } from '../output/io.ts'
import { printable } from '../output/terminal-text.ts'

const defaultContext = 3

export const command: Command = {
  name: 'diff',
  group: 'Archive',
  summary: 'show what changed between two versions of a document',
  usage: 'URL [N] [M]',
  options: [
    { name: 'words', about: 'by words, [-removed-] {+added+}, instead of lines' },
    { name: 'html', about: 'as a page of HTML that needs nothing else' },
    { name: 'raw', about: 'compare the source instead of the visible text' },
    { name: 'context', argument: 'N', about: `equal lines around a change (default: ${defaultContext})` },
  ],
  examples: [
    { line: 'erace diff https://example.org/', about: 'the last two versions that differ, as a unified diff' },
    { line: 'erace diff https://example.org/ 3', about: 'from the third version to the last' },
    { line: 'erace diff https://example.org/ 2026-11-01 2026-11-08T12:00 --words', about: 'between two times' },
    { line: 'erace diff https://example.org/ first last --html > changes.html', about: 'all changes, for a browser' },
  ],
  async prepare({ positionals, options, target, engine, io, json, colour }, errors) {
    const [url, from, to, ...rest] = positionals
    if (url === undefined) errors.push({ place: 'diff', message: 'the URL of a document is missing' })
    for (const word of rest) errors.push({ place: word.slice(0, 60), message: 'diff takes a URL and two versions' })
    if (json && options.flag('html')) errors.push({ place: '--html', message: "can't be combined with --json" })
    const context = wholeNumber(options, 'context', 0, errors) ?? defaultContext
    const form = options.flag('words') ? 'words' : 'lines'
    return async () => {
      const request = { from, to, form, context, raw: options.flag('raw') } as const
      const report = await engine.diff(target, url!, request)
      if (json) io.stdout.write(`${JSON.stringify(report)}\n`)
      else if (options.flag('html')) io.stdout.write(await engine.diffPage(report))
      else io.stdout.write(diffText(report, io.stdout, colour))
      return exitCodes.done
    }
  },
}

function diffText(report: DiffReport, sink: Sink, colour: boolean): string {
  const { url, from, to, equal, compared, coarse, form, hunks } = report
  if (equal || compared === 'bytes' || hunks.length === 0) return `${plainWords(report)}\n`
  const name = (version: VersionReport) => `${printable(url, 500)}@${version.n}\t${momentText(version.firstSeenAt)}`
  const paint = colour ? painted : (_: Paint, text: string) => text
  const lines = [paint('bold', `--- ${name(from)}`), paint('bold', `+++ ${name(to)}`)]
  for (const hunk of hunks) {
    lines.push(paint('cyan', `@@ -${span(hunk.fromLine, hunk.fromCount)} +${span(hunk.toLine, hunk.toCount)} @@`))
    lines.push(...(form === 'lines' ? unifiedLines(hunk, sink, paint) : [wordLines(hunk, sink, paint)]))
  }
  if (coarse) lines.push('(The texts differ so much that they were compared only roughly: less may have changed.)')
  return `${lines.join('\n')}\n`
}

function plainWords({ url, from, to, equal, compared }: DiffReport): string {
  const name = printable(url, 500)
  if (from.n === to.n) return `${name}: nothing to compare, only ${versionLine(to)}`
  const pair = `${versionLine(from)} and ${versionLine(to)}`
  if (compared === 'bytes' && !equal) return `${name}: ${pair} differ; there is no text to compare`
  if (!equal) return `${name}: ${pair} differ in their line ends alone`
  if (compared === 'text' && from.digest !== to.digest)
    return `${name}: ${pair} have the same text; --raw compares the source`
  return `${name}: nothing differs between ${pair}`
}

function span(line: number, count: number): string {
  return count === 1 ? `${line}` : `${line},${count}`
}

type Paint = 'bold' | 'cyan' | 'red' | 'green'
type Painter = (paint: Paint, text: string) => string

const codes: Record<Paint, number> = { bold: 1, cyan: 36, red: 31, green: 32 }

function painted(paint: Paint, text: string): string {
  return `\u001b[${codes[paint]}m${text}\u001b[0m`
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
