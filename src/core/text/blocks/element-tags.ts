import { TagTable, type TextTag } from '../text-tags.ts'

/** Properties of elements according to the HTML standard and our blocks, as bits. */
export const VOID = 1
/** Its start tag closes an open paragraph. */
export const CLOSES_P = 1 << 1
/** "Special" in the standard: end tags of inline elements don't close beyond it. */
export const SPECIAL = 1 << 2
/** End tags of elements around it don't take effect inside it. */
export const SCOPE = 1 << 3
/** Formatting left unclosed before it doesn't continue inside it. */
export const MARKER = 1 << 4
/** Reopened by the parser if an element around it was closed first. */
export const FORMATTING = 1 << 5
/** Begins and ends a block. */
export const BREAKS = 1 << 6
/** Separates words. */
export const SPACES = 1 << 7
/** Headings inside it don't apply to what comes after it. */
export const SECTION = 1 << 8
/** A table row with one of these in a cell is layout: its parts become blocks of their own. */
export const LAYOUT = 1 << 9
/** A heading ends before it, closed or not. */
export const ENDS_HEADING = 1 << 10
export const HEADING = 1 << 11
/** Caption, column group, row group, row, cell. */
export const TABLE_PART = 1 << 12
/** One of many alike: its own id and classes are not part of a block's place. */
export const ONE_OF_MANY = 1 << 13
/** Left out of a block's place if it has neither id nor classes. */
export const WRAPPER = 1 << 14
export const CELL = 1 << 15
export const ROW_GROUP = 1 << 16

/** How its content is read; see `TextTag`. */
export type ElementContent = TextTag['content'] | 'style'

export type ElementTag = {
  readonly name: string
  readonly flags: number
  readonly content: ElementContent
  /** 1 to 6 for headings. */
  readonly level: number
}

const flagsOf: { flag: number; names: string }[] = [
  {
    flag: VOID,
    names: 'base br col embed frame hr image img input meta param source track wbr',
  },
  {
    flag: CLOSES_P,
    names:
      'address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
      'h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search section summary table ul xmp',
  },
  {
    flag: SPECIAL,
    names:
      'address applet article aside blockquote button caption center colgroup dd details dir div dl dt fieldset ' +
      'figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup iframe li listing main marquee menu nav ' +
      'noembed noframes noscript object ol p plaintext pre script search section select style summary table tbody td ' +
      'template textarea tfoot th thead title tr ul xmp',
  },
  { flag: SCOPE, names: 'applet caption marquee object select table td template th' },
  { flag: MARKER, names: 'applet caption marquee object td template th' },
  { flag: FORMATTING, names: 'a b big code em font i nobr s small strike strong tt u' },
  {
    flag: BREAKS,
    names:
      'address article aside blockquote br button caption center dd details dialog dir div dl dt fieldset figcaption ' +
      'figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol optgroup option p ' +
      'plaintext pre search section select summary table tbody textarea tfoot thead tr ul xmp',
  },
  {
    flag: SPACES,
    names:
      'applet audio canvas embed foreignobject iframe image img input marquee meter object progress svg td text th video',
  },
  { flag: SECTION, names: 'article aside dd details dialog dl footer li main nav section td template th' },
  { flag: LAYOUT, names: 'article aside footer h1 h2 h3 h4 h5 h6 header listing main nav pre section table xmp' },
  {
    flag: ENDS_HEADING,
    names: 'article aside blockquote dl fieldset footer form listing main menu nav ol p pre section table ul xmp',
  },
  { flag: HEADING, names: 'h1 h2 h3 h4 h5 h6' },
  { flag: TABLE_PART, names: 'caption col colgroup tbody td tfoot th thead tr' },
  { flag: ROW_GROUP, names: 'tbody tfoot thead' },
  { flag: CELL, names: 'td th' },
  { flag: ONE_OF_MANY, names: 'dd dt li optgroup option td th tr' },
  { flag: WRAPPER, names: 'center details div fieldset form header hgroup section select tbody' },
]

const contentOf: [ElementContent, string][] = [
  ['pre', 'listing pre'],
  ['hidden', 'template'],
  ['script', 'script'],
  ['style', 'style'],
  // As in a browser that runs scripts: the content of `noscript` is not text.
  ['raw', 'iframe noembed noframes noscript'],
  ['title', 'title'],
  ['textarea', 'textarea'],
  ['xmp', 'xmp'],
  ['plaintext', 'plaintext'],
  ['svg', 'svg'],
  ['math', 'math'],
  ['svg-point', 'desc foreignobject'],
  ['math-point', 'mi mn mo ms mtext'],
]

function createTags(): ElementTag[] {
  const names = new Set(
    [...flagsOf, ...contentOf.map(([, list]) => ({ names: list }))].flatMap((each) => each.names.split(' ')),
  )
  for (const name of ['html', 'head', 'body', 'datalist']) names.add(name)
  return [...names].map((name) => ({
    name,
    flags: flagsOf.reduce((sum, { flag, names: list }) => (list.split(' ').includes(name) ? sum | flag : sum), 0),
    content: contentOf.find(([, list]) => list.split(' ').includes(name))?.[0] ?? 'flow',
    level: /^h[1-6]$/.test(name) ? Number(name[1]) : 0,
  }))
}

const tags = createTags()
export const elementTable: TagTable<ElementTag> = new TagTable(tags)

/** The tag of this name, which must be in the table. */
export function elementTag(name: string): ElementTag {
  return tags.find((tag) => tag.name === name)!
}

/** For all elements not in the table: they are inline. */
export const otherTag: ElementTag = { name: '', flags: 0, content: 'flow', level: 0 }
