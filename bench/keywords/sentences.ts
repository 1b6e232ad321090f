import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Sources of real sentences in a language: message catalogues of installed programs, and manual pages. */
export type Sentences = { language: string; script: RegExp; folders: readonly string[] }

const MIN_CHARACTERS = 8
const MAX_CHARACTERS = 400
const MAX_FILE_BYTES = 8_000_000

export function readSentences(roots: readonly string[], { script, folders }: Sentences, count: number): string[] {
  const found = new Set<string>()
  for (const file of roots.flatMap((root) => folders.flatMap((folder) => filesBelow(join(root, folder))))) {
    if (/\.mo$/.test(file)) for (const text of messagesOf(readFileSync(file))) addSentences(found, text, script)
    else if (/\.\dp?m?\.gz$/.test(file))
      addSentences(found, manualText(gunzipSync(readFileSync(file), { maxOutputLength: MAX_FILE_BYTES })), script)
  }
  const all = [...found]
  // Sample evenly from the whole list, since neighbours come from the same program.
  return all.filter((_, at) => Math.floor((at * count) / all.length) !== Math.floor(((at - 1) * count) / all.length))
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function addSentences(found: Set<string>, text: string, script: RegExp): void {
  for (const part of text.split(/(?<=[。！？])|\n{2,}/)) {
    const sentence = part.replace(/%[-\d.$]*l*[a-zA-Z%]/g, ' ').trim()
    if (sentence.length > MAX_CHARACTERS) continue
    let characters = 0
    for (const character of sentence) if (script.test(character)) characters++
    if (characters >= MIN_CHARACTERS) found.add(sentence)
  }
}

/** Translations in a binary gettext catalogue (.mo): a table of lengths and offsets, in either byte order. */
export function messagesOf(file: Buffer): string[] {
  if (file.length < 28) return []
  const isLittle = file.readUInt32LE(0) === 0x950412de
  if (!isLittle && file.readUInt32BE(0) !== 0x950412de) return []
  const word = (at: number): number => (isLittle ? file.readUInt32LE(at) : file.readUInt32BE(at))
  const [count, table] = [word(8), word(16)]
  const texts: string[] = []
  for (let n = 0; n < count && table + 8 * n + 8 <= file.length; n++) {
    const [length, at] = [word(table + 8 * n), word(table + 8 * n + 4)]
    const text = file.toString('utf8', at, at + length)
    // The first entry describes the catalogue itself; plural forms are separated by NUL.
    if (!/^(?:Project-Id-Version|Content-Type):/m.test(text)) texts.push(...text.split('\0'))
  }
  return texts
}

/** The paragraphs of a roff page: its lines without requests and font escapes. */
function manualText(page: Buffer): string {
  return page
    .toString('utf8')
    .split('\n')
    .map((line) =>
      /^[.']/.test(line) ? '\n' : line.replace(/\\f(?:\(..|\[\w*\]|.)|\\[&|^)]/g, '').replace(/\\-/g, '-'),
    )
    .join('\n')
}
