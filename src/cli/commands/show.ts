import { AppError } from '../../core/errors.ts'
import type { ShowReport, VersionReport } from '../../core/reports/history-report.ts'
import { missingUrl, refuseWords } from '../args/values.ts'
import { type Command, exitCodes } from '../command.ts'
import type { Sink } from '../output/io.ts'
import { documentLines, formatSize, momentText, printable } from '../output/terminal-text.ts'

const parts = ['text', 'markdown', 'header', 'links', 'raw'] as const
type Part = (typeof parts)[number] | 'body'

/** JSON leaves out larger bodies: they would be in memory several times over. */
const maxJsonBytes = 16 * 1024 * 1024

export const command: Command = {
  name: 'show',
  group: 'Archive',
  summary: 'print one version of a document: body, text, Markdown, header or links',
  usage: 'URL[@N | @TIME]',
  options: [
    { name: 'text', about: 'the visible text, one line per block' },
    { name: 'markdown', about: 'the main text as Markdown, with its links and tables' },
    { name: 'header', about: 'the status line and response header' },
    { name: 'links', about: 'the links found, one per line' },
    { name: 'raw', about: 'the exact bytes, even to a terminal' },
  ],
  examples: [
    { line: 'erace show https://example.org/ > page.html', about: 'the current version, byte for byte' },
    { line: 'erace show https://example.org/@3 --text', about: 'the text of version 3' },
    { line: 'erace show https://example.org/ --markdown > page.md', about: 'the main text as Markdown' },
    {
      line: 'erace show https://example.org/@2026-11-01T12:00',
      about: 'the version current at that time (UTC, or with a zone)',
    },
    { line: 'erace show https://example.org/@first --header', about: 'the header of the oldest kept version' },
  ],
  async prepare({ positionals, options, target, engine, io, json }, errors) {
    const [address, ...rest] = positionals
    if (address === undefined) errors.push({ place: 'show', message: missingUrl })
    refuseWords(rest, 'show takes one URL', errors)
    const chosen = parts.filter((part) => options.flag(part))
    if (chosen.length > 1)
      errors.push({ place: `--${chosen[1]}`, message: `can't be combined with --${chosen[0]}: choose one` })
    return async () => {
      const report = await engine.show(target, address!, { markdown: options.flag('markdown') })
      if (json) {
        io.stdout.write(`${JSON.stringify(jsonOf(report))}\n`)
        return report.content.kind === 'body' ? exitCodes.done : exitCodes.failed
      }
      io.stdout.write(shown(report, chosen[0] ?? 'body', io.stdout))
      return exitCodes.done
    }
  },
}

function shown(report: ShowReport, part: Part, sink: Sink): string | Uint8Array {
  if (part === 'header') return documentLines(headerText(report).replaceAll('\r\n', '\n'), sink)
  if (part === 'links') return documentLines(report.links.map((link) => `${link}\n`).join(''), sink)
  const { url, version, content } = report
  if (content.kind === 'damaged')
    throw new AppError('record-damaged', `version ${version.n} of ${url} is damaged: ${content.message}`)
  if (content.kind === 'absent') throw new AppError('not-found', absenceText(url, version, content.why))
  if (part === 'markdown') return documentLines(textOf({ ...report, text: report.markdown ?? null }), sink)
  if (part === 'text') return documentLines(`${textOf(report)}\n`, sink)
  if (part === 'raw' || sink.isTTY !== true) return content.bytes
  if (content.source === null) {
    const type = printable(content.contentType ?? 'of an unknown type', 80)
    const what = `${url} is ${type}, ${formatSize(content.bytes.length)}`
    throw new AppError('usage-wrong', `${what}: not for a terminal; redirect it to a file, or use --raw`)
  }
  return documentLines(content.source.replaceAll('\r\n', '\n'), sink)
}

function headerText({ url, version, header }: ShowReport): string {
  if (header === '') throw new AppError('not-found', `version ${version.n} of ${url} has no header`)
  return header
}

function textOf({ url, text, content, textFailure }: ShowReport): string {
  if (text !== null) return text
  if (textFailure !== undefined) throw new AppError('not-found', `${url} can't be read as text: ${textFailure}`)
  const type = content.kind === 'body' ? content.contentType : undefined
  throw new AppError('not-found', `${url} has no text: its type is ${type ?? 'unknown'}`)
}

/** The whole report. The body is included as text if possible, otherwise in base64; `content.kind` says why it is missing. */
function jsonOf({ content, ...report }: ShowReport): object {
  if (content.kind !== 'body') return { ...report, content }
  const { kind, contentType, bytes, source } = content
  const meta = { kind, contentType: contentType ?? null }
  if (report.text !== null && source !== null) return { ...report, content: meta }
  if (bytes.length > maxJsonBytes) return { ...report, content: { ...meta, omitted: 'length' } }
  return { ...report, content: { ...meta, base64: bytes.toString('base64') } }
}

/** Why a version has no body. */
function absenceText(url: string, version: VersionReport, why: 'gone' | 'dropped' | 'lost' | 'none'): string {
  const name = `version ${version.n} of ${url}`
  const since = momentText(version.firstSeenAt)
  switch (why) {
    case 'gone': {
      const answer = version.location === '' ? `status ${version.status}` : `moved to ${version.location}`
      return `${name} marks the document as gone: ${answer} since ${since}; see erace history for earlier versions`
    }
    case 'dropped':
      return `the body of ${name} was removed by gc; --header, --links and --json show its metadata`
    case 'lost':
      return `the body of ${name} was damaged; the next crawl fetches it again`
    case 'none':
      return `${name} has no body`
  }
}
