import { Parser } from 'htmlparser2'
import { maxDepth, parseBounded } from '../../core/text/page-tree.ts'
import { inlineNames } from '../../core/text/text-tags.ts'
import { maxWords, wordsOf } from '../../core/text/word-tokens.ts'

/** Text between two tags that can be marked in place. */
export type TextRun = {
  /** Its range in the source, … */
  start: number
  end: number
  /** … its range in the page's words, … */
  first: number
  last: number
  /** … and the white space after them. */
  tail: string
  /** A block begins or ends before it. */
  isLine: boolean
}

/** The words that a page shows; `glue[i]` is the white space before `words[i]`, in the same run. */
export type PageWords = { source: string; words: string[]; glue: string[]; runs: TextRun[] }

/** In characters. More would take seconds, and is too much to read. */
const maxSource = 5_000_000

/** Their content is not visible, or is rendered in a way that can't show marks. */
const unmarked = new Set([
  ...['script', 'style', 'title', 'textarea', 'template', 'noscript', 'iframe', 'noembed', 'noframes', 'xmp'],
  ...['plaintext', 'select', 'datalist', 'svg', 'math', 'object', 'audio', 'video', 'canvas'],
])
/** Browsers move text that is directly inside these. */
const structure = new Set(['table', 'thead', 'tbody', 'tfoot', 'tr', 'colgroup', 'head', 'frameset'])

/** Null if the page is too long, too deeply nested or has too many words. */
export function readPageWords(source: string): PageWords | null {
  if (source.length > maxSource) return null
  const page: PageWords = { source, words: [], glue: [], runs: [] }
  const open: string[] = []
  let hidden = 0
  let isLine = true
  let isTooMuch = false
  /** The run being read. */
  let run: { start: number; end: number; text: string } | null = null

  function endRun(): void {
    if (run === null) return
    const { start, end, text } = run
    run = null
    const found = wordsOf(text)
    if (found === null || page.words.length + found.words.length > maxWords) {
      isTooMuch = true
      return
    }
    if (found.words.length === 0) return
    const first = page.words.length
    for (const [at, word] of found.words.entries()) {
      page.words.push(word)
      page.glue.push(found.glue[at]!)
    }
    page.runs.push({ start, end, first, last: page.words.length, tail: found.tail, isLine })
    isLine = false
  }

  function passTag(name: string): void {
    endRun()
    isLine ||= !inlineNames.has(name)
  }

  const parser: Parser = new Parser({
    onopentag(name) {
      passTag(name)
      open.push(name)
      if (unmarked.has(name)) hidden++
      isTooMuch ||= open.length > maxDepth
    },
    onclosetag(name) {
      passTag(name)
      if (unmarked.has(open.pop() ?? '')) hidden--
    },
    ontext(text) {
      if (hidden > 0 || structure.has(open.at(-1) ?? '')) return
      const end = parser.endIndex + 1
      if (run === null) run = { start: parser.startIndex, end, text }
      else {
        run.end = end
        run.text += text
      }
    },
    oncomment: endRun,
    onprocessinginstruction: endRun,
  })
  if (!parseBounded(parser, source, () => isTooMuch)) return null
  endRun()
  return isTooMuch ? null : page
}

/** The visible text, one line per block, and where its words begin. */
export function textOfPage({ words, glue, runs }: PageWords): { text: string; starts: number[] } {
  const starts: number[] = []
  const parts: string[] = []
  let length = 0
  const add = (part: string): void => {
    parts.push(part)
    length += part.length
  }
  let tail = ''
  for (const run of runs) {
    for (let at = run.first; at < run.last; at++) {
      const space = at === run.first ? tail + glue[at]! : glue[at]!
      if (at === run.first && run.isLine) add(length === 0 ? '' : '\n')
      else if (space !== '') add(' ')
      starts.push(length)
      add(words[at]!)
    }
    tail = run.tail
  }
  return { text: parts.join(''), starts }
}
