import { matchesWord } from '../../core/html/byte-class.ts'

/**
 * The tags that mean something to the link finder. All others are skipped after one look into a table.
 * Breakout tags end foreign content (SVG, MathML); they are asked for only inside it, so the commonest tags of a
 * page (div, p, span) stay unknown to the first table.
 */
export type LinkTag = 'a' | 'area' | 'link' | 'iframe' | 'frame' | 'img' | 'source' | 'script' | 'form' | 'meta'

const knownTags = [
  ...['a', 'area', 'link', 'iframe', 'frame', 'img', 'image', 'source', 'script', 'form', 'meta', 'base', 'title'],
  ...['style', 'xmp', 'noembed', 'noframes', 'textarea', 'plaintext', 'svg', 'math', 'template'],
  ...['foreignobject', 'desc', 'mi', 'mo', 'mn', 'ms', 'mtext'],
] as const

export type KnownTag = (typeof knownTags)[number]

const breakoutTags = [
  ...['b', 'big', 'blockquote', 'body', 'br', 'center', 'code', 'dd', 'div', 'dl', 'dt', 'em', 'embed', 'h1', 'h2'],
  ...['h3', 'h4', 'h5', 'h6', 'head', 'hr', 'i', 'img', 'li', 'listing', 'menu', 'meta', 'nobr', 'ol', 'p', 'pre'],
  ...['ruby', 's', 'small', 'span', 'strong', 'strike', 'sub', 'sup', 'table', 'tt', 'u', 'ul', 'var'],
] as const

export type BreakoutTag = (typeof breakoutTags)[number]

export type TagTable<Tag extends string> = {
  /** The tag whose name stands in `bytes` from `start`, where there is a letter, to `end`. */
  find(bytes: Uint8Array, start: number, end: number): Tag | undefined
}

const MAX_NAME_LENGTH = 16

/** Names by first letter and length: most tags of a page meet an empty place and are compared with nothing. */
function createTagTable<Tag extends string>(tags: readonly Tag[]): TagTable<Tag> {
  const places: Tag[][] = Array.from({ length: 32 * MAX_NAME_LENGTH }, () => [])
  for (const tag of tags) places[(tag.charCodeAt(0) & 31) * MAX_NAME_LENGTH + tag.length]!.push(tag)
  return {
    find(bytes, start, end) {
      if (end - start >= MAX_NAME_LENGTH) return undefined
      const place = places[(bytes[start]! & 31) * MAX_NAME_LENGTH + end - start]!
      for (let i = 0; i < place.length; i++) if (matchesWord(bytes, start, place[i]!)) return place[i]
      return undefined
    },
  }
}

export const tagTable: TagTable<KnownTag> = createTagTable(knownTags)
export const breakoutTable: TagTable<BreakoutTag> = createTagTable(breakoutTags)
