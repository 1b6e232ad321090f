import { backslashed, canBeXml, escapeText } from './xml-text.ts'

/** An element with only text, on its own line; nothing for an empty text. */
export function textElement(name: string, text: string, indent = ''): string {
  return text === '' ? '' : `${indent}${bareTextElement(name, text)}\n`
}

/** The same, but an empty text gives an empty element. */
export function bareTextElement(name: string, text: string): string {
  if (text === '') return `<${name}/>`
  if (canBeXml(text)) return `<${name}>${escapeText(text)}</${name}>`
  return `<${name} escaped="yes">${escapeText(backslashed(text))}</${name}>`
}

/** Attributes, each preceded by a blank. Null values are omitted. */
export function attributeList(values: Readonly<Record<string, string | number | null>>): string {
  let list = ''
  for (const [name, value] of Object.entries(values)) {
    if (value !== null) list += ` ${name}="${escapeText(String(value))}"`
  }
  return list
}

const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Formats milliseconds since 1970 as UTC, clamped to the years 1970 to 9999. */
export function timeText(ms: number): string {
  return new Date(Math.min(lastMs, Math.max(0, Math.trunc(ms) || 0))).toISOString()
}

/** Joins small pieces into chunks worth passing on. */
export async function* inChunks(
  pieces: AsyncIterable<string>,
  chunkChars = 64 * 1024,
): AsyncGenerator<string, void, undefined> {
  let chunk = ''
  for await (const piece of pieces) {
    chunk += piece
    if (chunk.length < chunkChars) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

const forbidden = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/**
 * Attributes with free text, each preceded by a blank. Null values are omitted. White space survives a round trip.
 * Characters that XML can't hold become U+FFFD, so texts that may contain them belong in elements.
 */
export function attributes(values: Readonly<Record<string, string | number | boolean | null>>): string {
  let list = ''
  for (const [name, value] of Object.entries(values)) {
    if (value !== null) list += ` ${name}="${attributeText(String(value))}"`
  }
  return list
}

function attributeText(text: string): string {
  const sound = canBeXml(text) ? text : text.replace(forbidden, '\ufffd')
  return escapeText(sound).replaceAll('\t', '&#9;').replaceAll('\n', '&#10;')
}

export const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Writes a file of many items, one in memory at a time. */
export function writeItems<T>(
  root: string,
  items: Iterable<T> | AsyncIterable<T>,
  element: (item: T) => string,
): AsyncGenerator<string, void, undefined> {
  async function* pieces() {
    yield `${declaration}<${root}>\n`
    for await (const item of items) yield element(item)
    yield `</${root}>\n`
  }
  return inChunks(pieces())
}
