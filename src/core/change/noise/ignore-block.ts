import type { Block, Change } from '../change.ts'
import { frameOf } from './shape.ts'

/** What a profile or a source gets, so that it hears no more of a block: an expression, a selector, or both to choose from. */
export type IgnoreBlock = {
  /** For `interests.ignore`: matches the block whatever its numbers are, and whatever is between its fixed words. */
  readonly ignore?: string
  /** For `omit` of the source, where the block is alone in its place. */
  readonly omit?: string
}

/** As profiles allow; see `ignoreLimits`. */
const MAX_PATTERN = 500
/** Less than this would match anywhere. */
const MIN_FIXED = 3

/** `blocks` are those of the newer version: only there it shows whether a place has but one block. */
export function ignoreFor(
  change: Pick<Change, 'before' | 'after' | 'place'>,
  blocks: readonly Block[] = [],
): IgnoreBlock {
  const ignore = expressionOf(change)
  const omit = selectorOf(change.place, blocks)
  return { ...(ignore === null ? {} : { ignore }), ...(omit === null ? {} : { omit }) }
}

function expressionOf({ before, after }: Pick<Change, 'before' | 'after'>): string | null {
  const text = after ?? before ?? ''
  if (before === undefined || after === undefined || generalised(before) === generalised(after))
    return fitting(generalised(text))
  const { head, tail } = frameOf(before, after)
  const isFixed = (head + tail).replace(/[^\p{L}]/gu, '').length >= MIN_FIXED
  return isFixed ? fitting(`${generalised(head)}[^\\n]*${generalised(tail)}`) : fitting(generalised(text))
}

/** The text as an expression, with numbers of any length and any white space. */
function generalised(text: string): string {
  return text
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    .replace(/\d+(?:(?:\\\.|[,:])\d+)*/g, '\\d[\\d.,:]*')
    .replace(/\s+/g, '\\s+')
}

function fitting(pattern: string): string | null {
  return pattern !== '' && pattern.length <= MAX_PATTERN ? pattern : null
}

/** From the last element with an id on, as descendants. Null where the place has more blocks, or has no elements. */
function selectorOf(place: string, blocks: readonly Block[]): string | null {
  if (place === '' || blocks.filter((block) => block.place === place).length !== 1) return null
  const parts = place.split('/')
  const from = Math.max(
    0,
    parts.findLastIndex((part) => part.includes('#')),
  )
  const chosen = parts.slice(from)
  const isPlain = chosen.every((part) => /^[a-z][a-z0-9-]*(?:[.#][\p{L}_-][\p{L}\d_-]*)*$/iu.test(part))
  return isPlain ? chosen.join(' ') : null
}
