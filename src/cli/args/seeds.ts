import type { ValidationError } from '../../config/validation-errors.ts'
import { contentLines, readTextFile } from './text-files.ts'

/** URLs and `@FILE`s with one URL a line, as one list in the order given. `#` at the start of a line is a comment. */
export async function readSeeds(words: readonly string[], cwd: string, errors: ValidationError[]): Promise<string[]> {
  const seeds = new Set<string>()
  function add(text: string, place: string): void {
    const fault = seedError(text)
    if (fault === undefined) seeds.add(text)
    else errors.push({ place, message: fault })
  }
  for (const word of words) {
    if (!word.startsWith('@')) add(word, shorten(word))
    else {
      const path = word.slice(1)
      const text = await readTextFile(path, { cwd, place: word, errors })
      if (text === null) continue
      let lines = 0
      for (const { number, line } of contentLines(text)) {
        add(line, `${path}:${number}: ${shorten(line)}`)
        lines++
      }
      if (lines === 0) errors.push({ place: path, message: 'has no seeds in it' })
    }
  }
  if (words.length === 0) errors.push({ place: 'SEED', message: 'name at least one URL, or @FILE with one URL a line' })
  return [...seeds]
}

function seedError(text: string): string | undefined {
  const url = URL.parse(text)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return undefined
  // `example.org/x` is no URL, and `localhost:80` one of a scheme that nobody meant.
  const meant = URL.parse(`https://${text}`)
  const isHost = /^(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?#]|$)/.test(text) && meant !== null
  if (isHost) return `not a URL; did you mean https://${shorten(text)}?`
  return url === null ? 'not a URL' : `the scheme ${shorten(url.protocol)} is not crawled, only http: and https:`
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}
