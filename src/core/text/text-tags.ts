import { matchesWord } from '../html/byte-class.ts'

/** What a start or end tag puts between the words around it. */
export type Gap = typeof JOIN | typeof SPACE | typeof BREAK
export const JOIN = 0
export const SPACE = 1
export const BREAK = 2

/**
 * How the content of an element is read:
 *
 *   flow       as usual
 *   pre        as usual, but line breaks are kept
 *   hidden     markup that is not shown
 *   raw        text up to its own end tag that is not shown; `script` the same with rules of its own
 *   title      the title of the document, if it is the first one
 *   textarea   text with character references up to its own end tag
 *   xmp        text without them
 *   plaintext  the rest of the page is text
 *   svg, math  the roots of foreign content
 *   point      inside foreign content of its kind: HTML again
 */
export type TextTag = {
  readonly name: string
  readonly gap: Gap
  readonly content:
    | 'flow'
    | 'pre'
    | 'hidden'
    | 'raw'
    | 'script'
    | 'title'
    | 'textarea'
    | 'xmp'
    | 'plaintext'
    | 'svg'
    | 'math'
    | 'svg-point'
    | 'math-point'
}

// `html`, `head` and `body` are omitted on purpose: text after `</body>` continues where the body ended.
const blocks = [
  ...['address', 'article', 'aside', 'blockquote', 'br', 'caption', 'center', 'dd', 'details', 'dialog', 'dir', 'div'],
  ...['dl', 'dt', 'fieldset', 'figcaption', 'figure', 'footer', 'form', 'frameset', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  ...['header', 'hgroup', 'hr', 'legend', 'li', 'main', 'menu', 'nav', 'ol', 'optgroup', 'option', 'p', 'search'],
  ...['section', 'select', 'summary', 'table', 'tbody', 'tfoot', 'thead', 'tr', 'ul'],
]
// Boxes within a line: cells, controls, pictures.
const boxes = [
  ...['audio', 'button', 'canvas', 'embed', 'image', 'img', 'input', 'marquee', 'meter', 'object', 'progress'],
  ...['td', 'text', 'th', 'video'],
]

const textTags: TextTag[] = [
  ...blocks.map((name): TextTag => ({ name, gap: BREAK, content: 'flow' })),
  ...boxes.map((name): TextTag => ({ name, gap: SPACE, content: 'flow' })),
  { name: 'pre', gap: BREAK, content: 'pre' },
  { name: 'listing', gap: BREAK, content: 'pre' },
  { name: 'template', gap: JOIN, content: 'hidden' },
  { name: 'script', gap: JOIN, content: 'script' },
  { name: 'style', gap: JOIN, content: 'raw' },
  { name: 'iframe', gap: SPACE, content: 'raw' },
  { name: 'noembed', gap: JOIN, content: 'raw' },
  { name: 'noframes', gap: JOIN, content: 'raw' },
  { name: 'title', gap: JOIN, content: 'title' },
  { name: 'textarea', gap: SPACE, content: 'textarea' },
  { name: 'xmp', gap: BREAK, content: 'xmp' },
  { name: 'plaintext', gap: BREAK, content: 'plaintext' },
  { name: 'svg', gap: SPACE, content: 'svg' },
  { name: 'math', gap: JOIN, content: 'math' },
  { name: 'foreignobject', gap: SPACE, content: 'svg-point' },
  { name: 'desc', gap: JOIN, content: 'svg-point' },
  ...['mi', 'mo', 'mn', 'ms', 'mtext'].map((name): TextTag => ({ name, gap: JOIN, content: 'math-point' })),
]

/** Start tags that end foreign content. Some are not in the table above, so they have their own. */
const breakouts = [
  ...['b', 'big', 'blockquote', 'body', 'br', 'center', 'code', 'dd', 'div', 'dl', 'dt', 'em', 'embed', 'h1', 'h2'],
  ...['h3', 'h4', 'h5', 'h6', 'head', 'hr', 'i', 'img', 'li', 'listing', 'menu', 'meta', 'nobr', 'ol', 'p', 'pre'],
  ...['ruby', 's', 'small', 'span', 'strong', 'strike', 'sub', 'sup', 'table', 'tt', 'u', 'ul', 'var'],
].map((name) => ({ name }))

const slotCount = 4096

/** One step of the hash by which a name is looked up; start with 0. Case-insensitive. */
export function addToName(sum: number, byte: number): number {
  return (Math.imul(sum, 49) ^ (byte | 0x20)) | 0
}

/** A sparse hash table of names: most unknown names are rejected by their hash alone. */
export class TagTable<Tag extends { readonly name: string }> {
  private readonly slots: (Tag | null)[] = new Array(slotCount).fill(null)

  constructor(tags: readonly Tag[]) {
    for (const tag of tags) {
      let sum = 0
      for (let i = 0; i < tag.name.length; i++) sum = addToName(sum, tag.name.charCodeAt(i))
      // A collision would make one of the names unknown.
      if (this.slots[slotOf(sum)] !== null) throw new Error(`no slot is left for <${tag.name}>`)
      this.slots[slotOf(sum)] = tag
    }
  }

  /** The tag named by `bytes` from `start` to `end`, in any letter case; `sum` is the hash of these bytes. */
  find(bytes: Uint8Array, start: number, end: number, sum: number): Tag | null {
    const tag = this.slots[slotOf(sum)]!
    if (tag === null || tag.name.length !== end - start || !matchesWord(bytes, start, tag.name)) return null
    return tag
  }
}

function slotOf(sum: number): number {
  return (sum ^ (sum >>> 12)) & (slotCount - 1)
}

export const textTagTable: TagTable<TextTag> = new TagTable(textTags)
export const breakoutTable: TagTable<{ readonly name: string }> = new TagTable(breakouts)

/** Elements that don't separate words. */
export const inlineNames: ReadonlySet<string> = new Set([
  ...['a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'data', 'del', 'dfn', 'em', 'font', 'i', 'ins'],
  ...['kbd', 'label', 'mark', 'nobr', 'q', 'rp', 'rt', 'ruby', 's', 'samp', 'small', 'span', 'strike', 'strong', 'sub'],
  ...['sup', 'time', 'tt', 'u', 'var', 'wbr'],
])

/** The same for XML other than XHTML, where all other elements separate words. */
export const inlineTable: TagTable<{ readonly name: string }> = new TagTable([...inlineNames].map((name) => ({ name })))
