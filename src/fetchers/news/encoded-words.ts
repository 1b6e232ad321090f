import { isUtf8 } from 'node:buffer'
import { decodeText, resolveEncoding } from '../../core/http/charset.ts'

/** Longer headers are not decoded. */
const maxHeaderCharacters = 20_000
const word = /=\?([\w.:+-]{1,60})(?:\*[\w-]{1,40})?\?([bq])\?([^?\s]{0,1000})\?=/gi

/** The text of a header field with its encoded words (RFC 2047) decoded. Words of unknown encodings stay as they are. */
export function decodeWords(header: string): string {
  if (header.length > maxHeaderCharacters || !header.includes('=?')) return header
  let text = ''
  let end = 0
  /** Adjacent words of one encoding may split a character between them, and the space between encoded words doesn't count. */
  let run: { charset: string; parts: Buffer[] } | null = null
  for (const found of header.matchAll(word)) {
    const charset = resolveEncoding(found[1]!)
    if (charset === undefined) continue
    const between = header.slice(end, found.index)
    const isNeighbour: boolean = run !== null && between.trim() === ''
    if (run !== null && !(isNeighbour && run.charset === charset)) {
      text += decoded(run)
      run = null
    }
    if (!isNeighbour) text += between
    run ??= { charset, parts: [] }
    run.parts.push(found[2]!.toLowerCase() === 'b' ? Buffer.from(found[3]!, 'base64') : quoted(found[3]!))
    end = found.index + found[0].length
  }
  return text + (run === null ? '' : decoded(run)) + header.slice(end)
}

const decoded = ({ charset, parts }: { charset: string; parts: Buffer[] }): string =>
  decodeText(Buffer.concat(parts), charset)

function quoted(text: string): Buffer {
  const bytes = text
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1')
}

/** Header fields are ASCII or UTF-8 (RFC 6532); older programs sent arbitrary bytes. */
export function headerText(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : decodeText(bytes, 'windows-1252')
}

const control = /[\p{Cc}\p{Cf}]+/gu
const maxTitleCharacters = 500

/** A subject in one line. */
export function subjectOf(bytes: Buffer): string {
  const line = decodeWords(headerText(bytes)).replace(control, ' ').replace(/\s+/g, ' ').trim()
  return line.slice(0, maxTitleCharacters).toWellFormed()
}
