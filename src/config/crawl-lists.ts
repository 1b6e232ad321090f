import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from './config.ts'
import type { CrawlSettings } from './crawl-settings.ts'
import { type Focus, readFocusExamples, readFocusTerms } from './focus.ts'
import { NO_DEPTH_LIMIT } from './schema-crawl.ts'
import type { ValidationError } from './validation-errors.ts'

/** Room for a block list of millions of hosts; anything larger is a mistake. */
const MAX_BYTES = 256_000_000

/** Reads a file that the user named; null, with an error added, when that fails. */
export async function readTextFile(
  path: string,
  { cwd, place, errors }: { cwd: string; place: string; errors: ValidationError[] },
): Promise<string | null> {
  try {
    const full = resolve(cwd, path)
    const { size } = await stat(full)
    if (size > MAX_BYTES) throw new Error(`is larger than ${MAX_BYTES} bytes`)
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(full))
  } catch (error) {
    errors.push({ place, message: reasonOf(error as NodeJS.ErrnoException) })
    return null
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ENOENT':
      return 'no such file'
    case 'EACCES':
      return 'permission denied'
    case 'EISDIR':
      return 'is a folder'
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return 'is not UTF-8 text'
    default:
      return message
  }
}

/** Trimmed lines with their line numbers, without comments and blank lines. A `#` within a URL begins its fragment. */
function* contentLines(text: string): Generator<{ number: number; line: string }> {
  let number = 0
  for (const raw of text.split('\n')) {
    number++
    const line = raw.replace(/(?:^|\s)#.*$/s, '').trim()
    if (line !== '') yield { number, line }
  }
}

/** URLs and `@FILE`s with one URL per line, as one list in the order given. */
export async function readSeeds(
  words: readonly string[],
  {
    cwd,
    under = '',
    allSchemes = false,
    errors,
  }: {
    cwd: string
    /** Prefix of the place of each error. */
    under?: string
    /** Accept any scheme: there are protocol modules, whose schemes are known only once they are loaded. */
    allSchemes?: boolean
    errors: ValidationError[]
  },
): Promise<string[]> {
  const seeds = new Set<string>()
  function add(text: string, place: string): void {
    const fault = seedError(text, allSchemes)
    if (fault === undefined) seeds.add(text)
    else errors.push({ place: under + place, message: fault })
  }
  for (const word of words) {
    if (!word.startsWith('@')) add(word.trim(), shorten(word) || 'SEED')
    else {
      const path = word.slice(1)
      const text = await readTextFile(path, { cwd, place: under + word, errors })
      if (text === null) continue
      let lines = 0
      for (const { number, line } of contentLines(text)) {
        add(line, `${path}:${number}: ${shorten(line)}`)
        lines++
      }
      if (lines === 0) errors.push({ place: under + path, message: 'contains no seeds' })
    }
  }
  return [...seeds]
}

/** Schemes that can be crawled without signing in. */
const crawled = ['http', 'https', 'file', 'ftp', 'ftps', 'gopher', 'nntp', 'nntps']

function seedError(text: string, allSchemes: boolean): string | undefined {
  // There may be very many seeds, so the common case must not create an object.
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return undefined
  const url = URL.parse(text)
  if (url !== null && text.includes('://') && (allSchemes || crawled.includes(url.protocol.slice(0, -1))))
    return undefined
  // `example.org/x` is not a URL, and `localhost:80` parses as one with an unintended scheme.
  const meant = URL.parse(`https://${text}`)
  const isHost = /^(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:[/?#]|$)/.test(text) && meant !== null
  if (isHost) return `not a URL; did you mean https://${shorten(text)}?`
  return url === null ? 'not a URL' : `${shorten(url.protocol)} can't be crawled, only ${crawled.join(', ')}`
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}

export type CrawlLists = Pick<CrawlSettings, 'seeds' | 'depth' | 'files' | 'focus'>

/** Reads `crawl.seeds`, `depth`, `mime`, `ignore`, `block` and `focus`, with the files they name. Adds every error. */
export async function readCrawlLists(
  { crawl, parts }: Pick<Config, 'crawl' | 'parts'>,
  errors: ValidationError[],
  /** The terms of a profile that `crawl.focus` names; null if it can't be read. A service doesn't read profiles. */
  termsOfProfile?: (xml: string) => string[] | null,
): Promise<CrawlLists> {
  const allSchemes = parts.protocols.length > 0
  async function textOf(name: 'mime' | 'ignore' | 'block' | 'focus'): Promise<string | null> {
    const entries = crawl[name]
    if (entries.length === 0) return null
    const texts = entries.map(async (entry) => {
      if (!entry.startsWith('@')) return entry
      const place = `crawl.${name}: ${shorten(entry)}`
      const text = await readTextFile(entry.slice(1), { cwd: '.', place, errors })
      if (name !== 'focus' || text === null || !entry.endsWith('.xml')) return text
      if (termsOfProfile === undefined) {
        errors.push({ place, message: 'a service reads no profiles for this; name a file with one term per line' })
        return null
      }
      const terms = termsOfProfile(text)
      if (terms === null || terms.length === 0) errors.push({ place, message: 'is not a profile with keywords' })
      return (terms ?? []).join('\n')
    })
    return (await Promise.all(texts)).join('\n')
  }
  async function focusOf(lines: string | null): Promise<Focus | null> {
    if (crawl.order !== 'focused') return null
    const terms = lines === null ? [] : readFocusTerms(lines.split('\n'), errors)
    const examples = crawl.focusExamples === '' ? null : await readFocusExamples(crawl.focusExamples, errors)
    if (terms.length > 0 || examples !== null) return { terms, examples }
    errors.push({ place: 'crawl.order', message: '`focused` needs crawl.focus (--focus) or crawl.focusExamples' })
    return null
  }
  return {
    seeds: await readSeeds(crawl.seeds, { cwd: '.', under: 'crawl.seeds: ', allSchemes, errors }),
    depth: crawl.depth >= NO_DEPTH_LIMIT ? null : crawl.depth,
    focus: await focusOf(await textOf('focus')),
    files: {
      mimeTypes: await textOf('mime'),
      ignoreTypes: await textOf('ignore'),
      blockList: await textOf('block'),
      hostRules: null,
    },
  }
}
