import type { Block, Blocks } from '../../change/change.ts'
import { lineOf } from './seen-text.ts'

const lineEnd = /\r\n?|\n/g
const numbered = /^(#{1,6})\s+(.*?)\s*#*$/
const underline = /^(?:={3,}|-{3,})$/
const fence = /^(?:```|~~~)/
const maxHeadingCharacters = 200

type Heading = { readonly level: number; readonly text: string }

/**
 * One block per line. Markdown headings apply to what follows: underlined lines, and `# Title`, which outside of Markdown needs empty lines
 * around it, as it may be a comment.
 */
export function plainBlocks(page: Buffer, options: { isMarkdown: boolean; maxBlocks: number }): Blocks {
  const text = page.toString('utf8')
  const blocks: Block[] = []
  const above: Heading[] = []
  let trail: readonly string[] = []
  let isFenced = false
  let isCut = false
  let before = ''
  let line = ''
  for (let at = 0; at <= text.length && !isCut; ) {
    lineEnd.lastIndex = at
    const found = lineEnd.exec(text)
    const next = lineOf(text.slice(at, found?.index ?? text.length).replaceAll('\0', '\ufffd'))
    at = found === null ? text.length + 1 : lineEnd.lastIndex
    add(next)
  }
  if (!isCut) add('')
  return { kind: 'text', title: '', blocks, isCut }

  /** Processes a line once the next one is known. */
  function add(next: string): void {
    const heading = isFenced ? null : headingOf(before, line, next)
    if (fence.test(line)) isFenced = !isFenced && options.isMarkdown
    if (heading !== null) {
      while (above.length > 0 && above.at(-1)!.level >= heading.level) above.pop()
      trail = above.map((each) => each.text)
    }
    const isRule = underline.test(line) && before !== '' && headingOf('', before, line) !== null
    if (line !== '' && !isRule) {
      if (blocks.length >= options.maxBlocks) isCut = true
      else
        blocks.push({
          kind: heading === null ? 'line' : 'heading',
          text: line,
          trail,
          key: '',
          place: '',
          level: heading?.level ?? 0,
        })
    }
    if (heading !== null) {
      above.push(heading)
      trail = above.map((each) => each.text)
    }
    before = line
    line = next
  }

  function headingOf(previous: string, own: string, next: string): Heading | null {
    if (own === '' || own.length > maxHeadingCharacters) return null
    const marked = numbered.exec(own)
    if (marked !== null && marked[2] !== '' && (options.isMarkdown || (previous === '' && next === ''))) {
      return { level: marked[1]!.length, text: marked[2]! }
    }
    const isUnderlined = underline.test(next) && !underline.test(own) && /[\p{L}\p{N}]/u.test(own)
    if (!isUnderlined || Math.abs(next.length - own.length) > 3) return null
    return { level: next.startsWith('=') ? 1 : 2, text: own }
  }
}
