import type { ValidationError } from '../../config/validation-errors.ts'
import type { IndexProgress, SearchHit, SearchReport } from '../../core/reports/search-report.ts'
import { parseSearchQuery } from '../../core/search-query/parse-query.ts'
import type { SearchQuery } from '../../core/search-query/query.ts'
import { wholeNumber } from '../args/values.ts'
import { type Command, exitCodes } from '../command.ts'
import { createStatusLine } from '../output/status-line.ts'
import { formatCount, markedText, printable } from '../output/terminal-text.ts'

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 100
const MAX_OFFSET = 5_000

export const command: Command = {
  name: 'search',
  group: 'Archive',
  summary: 'full-text search over all kept versions',
  usage: 'QUERY',
  options: [
    { name: 'limit', argument: 'N', about: `number of results, at most ${MAX_LIMIT} (default: ${DEFAULT_LIMIT})` },
    { name: 'offset', argument: 'N', about: 'skip the first N results' },
    { name: 'no-update', about: 'do not index new versions first' },
    { name: 'rebuild', about: 'rebuild the index from the archive; needs no query' },
  ],
  examples: [
    { line: 'erace search solar panel', about: 'both words; case and accents are ignored' },
    { line: `erace search '"solar panel" OR photovolt*'`, about: 'a phrase, or words with a prefix' },
    {
      line: `erace search 'intitle:energy -nuclear site:example.org'`,
      about: 'title words, an excluded word, one site',
    },
    { line: 'erace search budget after:2026-01 before:2026-07', about: 'versions first seen in that half-year (UTC)' },
  ],
  async prepare({ options, positionals, target, engine, io, json, quiet }, errors) {
    const rebuild = options.flag('rebuild')
    const query = rebuild && positionals.length === 0 ? null : readQuery(positionals, errors)
    const limit = wholeNumber(options, 'limit', [1, MAX_LIMIT], errors) ?? DEFAULT_LIMIT
    const offset = wholeNumber(options, 'offset', [0, MAX_OFFSET], errors) ?? 0
    const update = !options.flag('no-update')
    return async () => {
      const line = createStatusLine(io.stderr)
      const shows = io.stderr.isTTY === true && !quiet
      const report = await engine
        .search(
          target,
          { query, limit, offset, update, rebuild },
          {
            onProgress: (progress) => shows && line.draw(progressPieces(progress)),
            onWarning: (message) => line.sink.write(`erace search: ${printable(message, 1000)}\n`),
          },
        )
        .finally(line.clear)
      const isBold = io.stdout.isTTY === true
      io.stdout.write(
        json ? `${JSON.stringify(report)}\n` : query === null ? indexText(report) : hitsText(report, offset, isBold),
      )
      return exitCodes.done
    }
  },
}

function readQuery(positionals: readonly string[], errors: ValidationError[]): SearchQuery | null {
  if (positionals.length === 0) {
    errors.push({ place: 'QUERY', message: 'the query is missing' })
    return null
  }
  const parsed = parseSearchQuery(positionals.join(' '))
  if (parsed.kind === 'query') return parsed.query
  for (const message of parsed.errors) errors.push({ place: 'QUERY', message })
  return null
}

function progressPieces({ looked, total }: IndexProgress): string[] {
  const share = total <= 0 ? 100 : Math.min(100, Math.floor((looked / total) * 100))
  return [`indexing ${share} %`, `${formatCount(looked)} versions`]
}

function indexText({ index }: SearchReport): string {
  const { textless, bodiless, damaged } = index.passedOver
  const others = `${formatCount(textless)} without text, ${formatCount(bodiless)} without a body, ${formatCount(damaged)} damaged`
  return `${formatCount(index.versions)} versions indexed; skipped: ${others}\n`
}

function hitsText(report: SearchReport, offset: number, isBold: boolean): string {
  const { items, total, totalIsLowerBound, approximate, tookMs } = report
  const lines = items.flatMap((hit, n) => [...hitLines(hit, offset + n + 1, isBold), ''])
  const count = `${totalIsLowerBound ? 'at least ' : ''}${formatCount(total)} ${total === 1 ? 'document' : 'documents'}`
  const shown =
    items.length === 0 ? '' : `, showing ${formatCount(offset + 1)} to ${formatCount(offset + items.length)}`
  lines.push(`${count}${shown}, ${Math.ceil(tookMs)} ms`)
  if (approximate) lines.push('too many matches: only the newest versions were ranked; add words to narrow it down')
  return `${lines.join('\n')}\n`
}

function hitLines({ url, n, at, title, titleMarks, snippet }: SearchHit, rank: number, isBold: boolean): string[] {
  const head = title.trim() === '' ? printable(url, 200) : markedText(title.slice(0, 200), titleMarks, isBold)
  const lines = [`${rank}. ${head}`, `   ${printable(url, 500)}@${n}  ${at}`]
  if (snippet.text !== '') lines.push(`   ${markedText(snippet.text, snippet.marks, isBold)}`)
  return lines
}
