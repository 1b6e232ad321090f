import { backslashed, canBeXml, escapeText } from './xml-text.ts'

/** An element with nothing but text, on a line of its own; an empty text gives no element. */
export function textElement(name: string, text: string, indent = ''): string {
  return text === '' ? '' : `${indent}${bareTextElement(name, text)}\n`
}

/** The same for a text whose emptiness is something to say. */
export function bareTextElement(name: string, text: string): string {
  if (text === '') return `<${name}/>`
  if (canBeXml(text)) return `<${name}>${escapeText(text)}</${name}>`
  return `<${name} escaped="yes">${escapeText(backslashed(text))}</${name}>`
}

/** Attributes with a blank before each; those that are null are left out. */
export function attributeList(values: Readonly<Record<string, string | number | null>>): string {
  let list = ''
  for (const [name, value] of Object.entries(values)) {
    if (value !== null) list += ` ${name}="${escapeText(String(value))}"`
  }
  return list
}

const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Milliseconds since 1970 as UTC. What lies outside of the years 1970 to 9999 is no time of ours and becomes the nearest that is. */
export function timeText(ms: number): string {
  return new Date(Math.min(lastMs, Math.max(0, Math.trunc(ms) || 0))).toISOString()
}

/** Joins small pieces to some that are worth handing on. */
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
 * Attributes with free texts, a blank before each; those that are null are left out. White space comes back as it was.
 * Characters that XML can't hold are shown as U+FFFD: texts that may have some belong into elements.
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

/** A file of many items, one in memory at a time. */
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
