import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { decodeText, detectCharset } from '../../core/http/charset.ts'
import { type Converter, Unreadable } from './converter.ts'
import { createPageWriter } from './page-writer.ts'

const maxRows = 20_000
const maxCells = 1000
/** Limit of a row, as an unclosed quotation mark turns the rest of the file into one. */
const maxRowBytes = 1024 * 1024

/** A table in which each cell starts with the name of its column, so that a changed row shows which value changed. */
export const csvToHtml: Converter = async (body, { contentType, maxBytes }) => {
  const text = decodeText(body, detectCharset({ bytes: body, contentType }).charset)
  const rows = readRows(text, /tab-separated/i.test(contentType) ? '\t' : delimiterOf(text))
  const [first, ...rest] = rows
  const writer = createPageWriter(maxBytes)
  if (first !== undefined) {
    const names = hasNames(first) ? first : null
    writer.html('<table>\n')
    writer.row(first.slice(0, maxCells))
    for (const row of rest.slice(0, maxRows - 1)) writer.row(cellsOf(row, names))
    writer.html('</table>\n')
  }
  if (rows.length > maxRows) writer.block('p', `Rows after the first ${maxRows.toLocaleString('en')} are left out.`)
  return { html: writer.page('') }
}

function readRows(text: string, delimiter: string): string[][] {
  // Checked first, as the parser would go through every cell before it fails.
  if (hasEndlessLine(text)) throw new Unreadable('too-large', `a line of more than ${maxRowBytes} characters`)
  try {
    return parseRows(text, delimiter, '"')
  } catch (error) {
    const code = error instanceof CsvError ? error.code : ''
    // A quotation mark without its pair would hide all rows after it: then none has a meaning.
    if (code === 'CSV_QUOTE_NOT_CLOSED') return parseRows(text, delimiter, false)
    const isLong = code === 'CSV_MAX_RECORD_SIZE'
    throw new Unreadable(isLong ? 'too-large' : 'damaged', error instanceof Error ? error.message : String(error))
  }
}

function parseRows(text: string, delimiter: string, quote: '"' | false): string[][] {
  return parse(text, {
    ...{ delimiter, quote, bom: true, relax_quotes: true, relax_column_count: true, skip_empty_lines: true },
    to: maxRows + 1,
    max_record_size: maxRowBytes,
  })
}

function hasEndlessLine(text: string): boolean {
  for (let at = 0, rows = 0; rows <= maxRows; rows++) {
    const end = text.indexOf('\n', at)
    if ((end < 0 ? text.length : end) - at > maxRowBytes && !text.slice(at, at + maxRowBytes).includes('\r'))
      return true
    if (end < 0) return false
    at = end + 1
  }
  return false
}

/** The first row has column names if they are all distinct, not empty and not numbers. */
function hasNames(row: readonly string[]): boolean {
  const names = new Set(row.map((name) => name.trim()))
  return row.length > 1 && names.size === row.length && !row.some((name) => /^\s*$|^[\s\d.,%+-]+$/.test(name))
}

function cellsOf(row: readonly string[], names: readonly string[] | null): string[] {
  const cells = row.slice(0, maxCells)
  if (names === null) return cells
  return cells.map((cell, at) => (cell.trim() === '' || at >= names.length ? cell : `${names[at]!.trim()}: ${cell}`))
}

const delimiters = [',', ';', '\t', '|']
const sampleChars = 64 * 1024
const sampleLines = 20

/** The separator that is most frequent in the first lines, and equally frequent in all of them. */
function delimiterOf(text: string): string {
  const lines = text
    .slice(0, sampleChars)
    .replace(/"[^"]*"/g, '')
    .split(/\r?\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, sampleLines)
  const weights = delimiters.map((sign) => {
    const counts = lines.map((line) => line.split(sign).length - 1)
    const usual = counts[0] ?? 0
    return usual === 0 ? 0 : usual + 1000 * (counts.filter((count) => count === usual).length / counts.length)
  })
  const best = Math.max(...weights)
  return best === 0 ? ',' : delimiters[weights.indexOf(best)]!
}
