import { opendir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ValidationError } from './validation-errors.ts'

/** What a focused crawl looks for, as plain data: weighted terms, or examples of pages that are wanted and not wanted, or both. */
export type Focus = {
  terms: readonly FocusTerm[]
  examples: { wanted: readonly string[]; others: readonly string[] } | null
}

/** `words` are in lower case; several make a phrase. */
export type FocusTerm = { words: readonly string[]; weight: number }

const MAX_TERMS = 1_000
const MAX_EXAMPLES = 1_000
const MAX_EXAMPLE_BYTES = 1_000_000

/** Parses a term, optionally preceded by its weight: `2.5 solar power`. Null if it contains no word. */
export function parseFocusTerm(line: string): FocusTerm | null {
  const weighted = /^(\d{1,6}(?:\.\d{1,6})?)\s+(?=\S)(.*)$/s.exec(line.trim())
  const words = focusWords(weighted?.[2] ?? line)
  return words.length === 0 ? null : { words, weight: weighted === null ? 1 : Number(weighted[1]) }
}

/** The words of a text in lower case, at most `limit`. */
export function focusWords(text: string, limit = 20_000): string[] {
  const words: string[] = []
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]{1,64}/gu)) {
    words.push(word)
    if (words.length >= limit) break
  }
  return words
}

/** Parses the lines of `crawl.focus`. Adds an error for each line without words. */
export function readFocusTerms(lines: readonly string[], errors: ValidationError[]): FocusTerm[] {
  const terms: FocusTerm[] = []
  for (const line of lines) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const term = parseFocusTerm(line)
    if (term === null) errors.push({ place: `crawl.focus: ${line.slice(0, 120)}`, message: 'has no words' })
    else terms.push(term)
  }
  if (terms.length > MAX_TERMS) errors.push({ place: 'crawl.focus', message: `has more than ${MAX_TERMS} terms` })
  return terms.slice(0, MAX_TERMS)
}

/** Reads the texts in the subfolders `wanted` and `others`. Adds an error if either has none. */
export async function readFocusExamples(folder: string, errors: ValidationError[]): Promise<Focus['examples']> {
  const place = `crawl.focusExamples: ${folder.slice(0, 120)}`
  const [wanted, others] = await Promise.all(
    ['wanted', 'others'].map((name) => readTexts(join(folder, name), place, errors)),
  )
  if (wanted!.length > 0 && others!.length > 0) return { wanted: wanted!, others: others! }
  errors.push({ place, message: 'needs texts or pages in each of its folders `wanted` and `others`' })
  return null
}

async function readTexts(folder: string, place: string, errors: ValidationError[]): Promise<string[]> {
  const texts: string[] = []
  try {
    for await (const entry of await opendir(folder)) {
      if (!entry.isFile() || texts.length >= MAX_EXAMPLES) continue
      const path = join(folder, entry.name)
      if ((await stat(path)).size > MAX_EXAMPLE_BYTES) continue
      texts.push(withoutMarkup(await readFile(path, 'utf8')))
    }
  } catch (error) {
    errors.push({ place, message: (error as Error).message })
  }
  return texts
}

/** Strips tags: examples are saved pages as often as plain texts, and words in tags would be learnt, too. */
function withoutMarkup(text: string): string {
  return text.replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1\s*>/gi, ' ').replace(/<[^>]{0,2000}>/g, ' ')
}
