import type { ValidationError } from '../../config/validation-errors.ts'
import type { IndexProgress, SearchHit, SearchReport } from '../../core/reports/search-report.ts'
import { parseSearchQuery } from '../../core/search-query/parse-query.ts'
import type { SearchQuery } from '../../core/search-query/query.ts'
import { type Command, exitCodes, type OptionValues } from '../command.ts'
import { markedText } from '../output/marked-text.ts'
import { createStatusLine } from '../output/status-line.ts'
import { formatCount, printable } from '../output/terminal-text.ts'

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 100
const MAX_OFFSET = 5_000

export const command: Command = {
  name: 'search',
  group: 'Archive',
  summary: 'find words in all kept versions of pages',
  usage: 'QUERY',
  options: [
    { name: 'limit', argument: 'N', about: `hits to show, at most ${MAX_LIMIT} (default: ${DEFAULT_LIMIT})` },
    { name: 'offset', argument: 'N', about: 'hits to pass over: the next page' },
    { name: 'no-update', about: 'answer from what is indexed; do not index new versions first' },
    { name: 'rebuild', about: 'throw the index away and make it anew from the archive; needs no query' },
  ],
  examples: [
    { line: 'erace search solar panel', about: 'both words, in any form of case and accents' },
    { line: `erace search '"solar panel" OR photovolt*'`, about: 'a phrase, or words that begin so' },
    {
      line: `erace search 'intitle:energy -nuclear site:example.org'`,
      about: 'in titles, without a word, on one site',
    },
    { line: 'erace search budget after:2026-01 before:2026-07', about: 'versions first seen in half a year (UTC)' },
  ],
  async prepare({ options, positionals, target, engine, io, json, quiet }, errors) {
    const rebuild = options.flag('rebuild')
    const query = rebuild && positionals.length === 0 ? null : readQuery(positionals, errors)
    const limit = numberOf(options, 'limit', DEFAULT_LIMIT, 1, MAX_LIMIT, errors)
    const offset = numberOf(options, 'offset', 0, 0, MAX_OFFSET, errors)
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
    errors.push({ place: 'QUERY', message: 'say what to look for' })
    return null
  }
  const parsed = parseSearchQuery(positionals.join(' '))
  if (parsed.kind === 'query') return parsed.query
  for (const message of parsed.errors) errors.push({ place: 'QUERY', message })
  return null
}

function numberOf(
  options: OptionValues,
  name: string,
  otherwise: number,
  min: number,
  max: number,
  errors: ValidationError[],
): number {
  const text = options.text(name)
  if (text === undefined) return otherwise
  if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text)
  errors.push({
    place: `--${name}`,
    message: `expected a whole number from ${min} to ${max}, not ${JSON.stringify(text.slice(0, 40))}`,
  })
  return otherwise
}

function progressPieces({ looked, total }: IndexProgress): string[] {
  const share = total <= 0 ? 100 : Math.min(100, Math.floor((looked / total) * 100))
  return [`indexing ${share} %`, `${formatCount(looked)} versions`]
}

function indexText({ index }: SearchReport): string {
  const { textless, bodiless, damaged } = index.passedOver
  const others = `${formatCount(textless)} have no text, ${formatCount(bodiless)} no body, ${formatCount(damaged)} are damaged`
  return `${formatCount(index.versions)} versions can be found; ${others}\n`
}

function hitsText(report: SearchReport, offset: number, isBold: boolean): string {
  const { items, total, totalIsLowerBound, approximate, tookMs } = report
  const lines = items.flatMap((hit, n) => [...hitLines(hit, offset + n + 1, isBold), ''])
  const count = `${totalIsLowerBound ? 'at least ' : ''}${formatCount(total)} ${total === 1 ? 'document' : 'documents'}`
  const shown = items.length === 0 ? '' : `, ${formatCount(offset + 1)} to ${formatCount(offset + items.length)} shown`
  lines.push(`${count}${shown}, ${Math.ceil(tookMs)} ms`)
  if (approximate) lines.push('so many versions match that only the newest were ranked; more words narrow it down')
  return `${lines.join('\n')}\n`
}

function hitLines({ url, n, at, title, titleMarks, snippet }: SearchHit, rank: number, isBold: boolean): string[] {
  const head = title.trim() === '' ? printable(url, 200) : markedText(title.slice(0, 200), titleMarks, isBold)
  const lines = [`${rank}. ${head}`, `   ${printable(url, 500)}@${n}  ${at}`]
  if (snippet.text !== '') lines.push(`   ${markedText(snippet.text, snippet.marks, isBold)}`)
  return lines
}
