import type { ValidationError } from '../../config/validation-errors.ts'
import {
  type ExportKind,
  type ExportProgress,
  type ExportReport,
  type ExportRequest,
  exportKinds,
} from '../../core/reports/export-report.ts'
import { parseMoment } from '../../core/search-query/parse-query.ts'
import { checkCompression, checkFolder, checkTarget, stdoutConflict } from '../args/files.ts'
import { readOwner, refuseWords } from '../args/values.ts'
import { type Command, type CommandContext, exitCodes } from '../command.ts'
import { createInterrupt } from '../interrupt.ts'
import { createStatusLine } from '../output/status-line.ts'
import { formatCount, formatSize, formatSpan, printable } from '../output/terminal-text.ts'

export const command: Command = {
  name: 'export',
  group: 'Archive',
  summary:
    'export the archive (WARC, WACZ, Markdown), its index (CDXJ), links, metadata or annotations (XML), bad URLs, or the visits of a random walk',
  usage: 'warc|wacz|markdown|cdxj|links|meta|aci|bad-urls|walk FILE',
  options: [
    { name: 'url', argument: 'PREFIX', about: 'only documents whose URL starts with PREFIX' },
    {
      name: 'after',
      argument: 'TIME',
      about: 'only versions first seen at TIME or later (2026-11-01T12:00, UTC); bad-urls: last tried',
    },
    { name: 'before', argument: 'TIME', about: 'only versions first seen, or URLs last tried, before TIME' },
    { name: 'current', about: "only each document's current version (the default for links and markdown)" },
    { name: 'all', about: 'links, markdown: export all versions, with their numbers' },
    { name: 'cdxj', argument: 'FILE', about: 'warc: also write an index of the exported file' },
    { name: 'owner', argument: 'EMAIL', about: 'aci: only annotations of this user' },
    { name: 'force', about: 'replace existing files' },
  ],
  examples: [
    { line: 'erace export warc site.warc.gz --cdxj site.cdxj', about: 'all kept records with an index, for replay' },
    {
      line: 'erace export warc docs.warc.gz --url https://example.org/docs/ --current',
      about: 'one part of a site, current versions only',
    },
    {
      line: 'erace export wacz site.wacz --url https://example.org/',
      about: 'records, index and list of pages in one file, for ReplayWeb.page and other viewers',
    },
    {
      line: 'erace export markdown ./notes --url https://example.org/docs/',
      about: 'a folder of Markdown files; again later: only what changed is written. As one file: docs.jsonl, or -',
    },
    { line: 'erace export links graph.csv', about: 'the link graph as .tsv, .csv or .jsonl, optionally with .gz' },
    { line: 'erace export meta meta-info.xml.gz --after 2026-11-01', about: 'metadata of new versions' },
    { line: 'erace export aci mine.xml --owner me@example.org', about: 'annotations, for erace aci import elsewhere' },
    {
      line: 'erace export bad-urls - --json',
      about: 'URLs that failed or were skipped, with reason, status and count; without --json tab-separated',
    },
    { line: 'erace export walk visits.csv', about: 'the pages of the last random walk, with their visits' },
    { line: 'erace export cdxj - | grep ^org,example', about: 'the index of the data folder, to standard output' },
  ],
  async prepare(context, errors) {
    const request = readRequest(context, errors)
    return () => run(context, request)
  },
}

async function run(
  { target, engine, io, clock, json, quiet }: CommandContext,
  request: ExportRequest,
): Promise<number> {
  const line = createStatusLine(io.stderr)
  const shows = io.stderr.isTTY === true && !quiet
  const interrupt = createInterrupt({ io, clock })
  const onProgress = (progress: ExportProgress) => shows && line.draw(progressPieces(progress))
  const report = await engine.export(target, request, { onProgress, signal: interrupt.signal }).finally(() => {
    line.clear()
    interrupt.dispose()
  })
  if (json && request.file !== null) io.stdout.write(`${JSON.stringify(report)}\n`)
  else if (request.file !== null) io.stdout.write(exportText(report))
  // Standard output contains the export itself.
  else if ((!quiet && !json) || report.skipped > 0) io.stderr.write(exportText(report))
  if (report.interrupted) return exitCodes.interrupted
  return report.skipped === 0 ? exitCodes.done : exitCodes.failed
}

function readRequest(
  { positionals, options, cwd, dataDir, json, io }: CommandContext,
  errors: ValidationError[],
): ExportRequest {
  const [name, given, ...rest] = positionals
  const kind = readKind(name, errors)
  refuseWords(rest, 'export takes one format and one file', errors)
  const force = options.flag('force')
  const target = { cwd, dataDir, force, errors }
  if (name !== undefined && given === undefined)
    errors.push({ place: 'FILE', message: 'the output file is missing; use - for standard output' })
  const toStdout = given === '-'
  const isFolder = kind === 'markdown' && given !== undefined && !/\.jsonl(?:\.gz)?$/.test(given)
  const check = isFolder ? checkFolder : checkTarget
  const file = given === undefined || toStdout ? null : check('FILE', given, target)
  // A WACZ file is a ZIP file.
  if (given !== undefined && !isFolder)
    checkCompression('FILE', given, { known: kind === 'wacz' ? ['zip'] : ['gz'], errors })
  // For bad URLs, the lines themselves are the machine-readable result.
  if (toStdout && json && kind !== 'bad-urls') errors.push({ place: '--json', message: stdoutConflict })
  if (toStdout && (kind === 'warc' || kind === 'wacz') && io.stdout.isTTY === true)
    errors.push({ place: '-', message: `can't write a ${kind.toUpperCase()} file to a terminal` })
  const index = options.text('cdxj')
  if (index !== undefined && kind !== 'warc') errors.push({ place: '--cdxj', message: 'only valid with warc' })
  if (index !== undefined && toStdout)
    errors.push({ place: '--cdxj', message: 'an index needs an exported file; name one instead of -' })
  if (index !== undefined) checkCompression('--cdxj', index, { known: ['gz'], errors })
  const indexFile = index === undefined ? null : checkTarget('--cdxj', index, target)
  if (indexFile !== null && indexFile === file) errors.push({ place: '--cdxj', message: 'is the same file as FILE' })
  if (options.flag('all') && !ofCurrent.has(kind))
    errors.push({ place: '--all', message: 'only valid with links and markdown' })
  if (options.flag('current') && kind === 'bad-urls')
    errors.push({ place: '--current', message: 'not valid with bad-urls' })
  if (options.flag('all') && options.flag('current'))
    errors.push({ place: '--all', message: "can't be combined with --current" })
  const selection = readSelection(options, kind, errors)
  const owner = readOwner(options, errors)
  if (owner !== null && kind !== 'aci') errors.push({ place: '--owner', message: 'only valid with aci' })
  const lines = kind === 'bad-urls' && json ? { jsonLines: true } : {}
  return { kind, file, indexFile, selection, ...lines, ...(owner === null ? {} : { owner }) }
}

/** Kinds that export only current versions unless all are requested. */
const ofCurrent: ReadonlySet<ExportKind> = new Set(['links', 'markdown'])

function readKind(name: string | undefined, errors: ValidationError[]): ExportKind {
  const kind = exportKinds.find((each) => each === name)
  if (kind === undefined) {
    const wanted = `choose what to export: ${exportKinds.join(', ')}`
    errors.push({ place: name?.slice(0, 60) ?? 'export', message: wanted })
  }
  return kind ?? 'warc'
}

function readSelection(
  options: CommandContext['options'],
  kind: ExportKind,
  errors: ValidationError[],
): ExportRequest['selection'] {
  const time = (name: string): number | null => {
    const text = options.text(name)
    const moment = text === undefined ? null : parseMoment(text)
    if (text !== undefined && moment === null)
      errors.push({ place: `--${name}`, message: 'expected a time such as 2026-11-01 or 2026-11-01T12:00' })
    return moment
  }
  const afterMs = time('after')
  const beforeMs = time('before')
  if (afterMs !== null && beforeMs !== null && afterMs >= beforeMs)
    errors.push({ place: '--before', message: 'must be later than --after' })
  const currentOnly = ofCurrent.has(kind) ? !options.flag('all') : options.flag('current')
  return { urlPrefix: readPrefix(options.text('url'), errors), afterMs, beforeMs, currentOnly }
}

/** Adds the slash after the host, without which it would also be a prefix of other hosts. */
function readPrefix(text: string | undefined, errors: ValidationError[]): string {
  if (text === undefined) return ''
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null
  if (url === null)
    errors.push({ place: '--url', message: 'expected the start of a URL, such as https://example.org/docs/' })
  return url?.href ?? ''
}

function progressPieces({ records, bytes }: ExportProgress): string[] {
  return bytes === 0 ? [formatCount(records)] : [formatCount(records), formatSize(bytes)]
}

const nouns: Record<ExportKind, string> = {
  warc: 'records',
  wacz: 'records',
  markdown: 'documents',
  cdxj: 'records',
  links: 'links',
  meta: 'documents',
  aci: 'annotations',
  'bad-urls': 'URLs',
  walk: 'pages',
}

function exportText({ kind, file, records, bytes, seconds, skipped, faults, interrupted }: ExportReport): string {
  const lines = faults.map(
    ({ url, version, message }) => `${printable(url, 200)}@${version}: ${printable(message, 200)}`,
  )
  if (skipped > faults.length) lines.push(`and ${formatCount(skipped - faults.length)} more`)
  const what = `${formatCount(records)} ${nouns[kind]}, ${formatSize(bytes)}, ${formatSpan(seconds)}`
  if (interrupted) lines.push(file === '-' ? 'interrupted' : 'interrupted: no file was written')
  else
    lines.push(
      `${file === '-' ? '' : `${printable(file, 200)}: `}${what}${skipped === 0 ? '' : `; ${formatCount(skipped)} skipped, see above`}`,
    )
  return `${lines.join('\n')}\n`
}
