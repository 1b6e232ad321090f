import { matchesWord } from './byte-class.ts'

/**
 * The tags that mean something to the link finder. All others are skipped after one look into a hash table.
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

/** One step of the hash of a tag name. Setting bit 5 makes letters lower-case; what it does to others is checked. */
export function hashStep(hash: number, byte: number): number {
  return (Math.imul(hash, 33) + (byte | 0x20)) | 0
}

const SLOTS = 1024

export type TagTable<Tag extends string> = {
  /** The tag whose name stands in `bytes` from `start` to `end`, and whose hash is `hash`. */
  find(hash: number, bytes: Uint8Array, start: number, end: number): Tag | undefined
}

function createTagTable<Tag extends string>(tags: readonly Tag[]): TagTable<Tag> {
  const bySlot: (Tag | undefined)[] = new Array<Tag | undefined>(SLOTS).fill(undefined)
  for (const tag of tags) {
    let hash = 0
    for (let i = 0; i < tag.length; i++) hash = hashStep(hash, tag.charCodeAt(i))
    let slot = hash & (SLOTS - 1)
    while (bySlot[slot] !== undefined) slot = (slot + 1) & (SLOTS - 1)
    bySlot[slot] = tag
  }
  return {
    find(hash, bytes, start, end) {
      for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
        const tag = bySlot[slot]
        if (tag === undefined) return undefined
        if (tag.length === end - start && matchesWord(bytes, start, tag)) return tag
      }
    },
  }
}

export const tagTable: TagTable<KnownTag> = createTagTable(knownTags)
export const breakoutTable: TagTable<BreakoutTag> = createTagTable(breakoutTags)
