import type { Change } from '../change.ts'
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

/** `blocksIn` counts the blocks in a place of the newer version. */
export function ignoreFor(
  change: Pick<Change, 'before' | 'after' | 'place'>,
  blocksIn: (place: string) => number = () => 0,
): IgnoreBlock {
  const ignore = expressionOf(change)
  const omit = blocksIn(change.place) === 1 ? selectorOf(change.place) : null
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

/** From the last element with an id on, as descendants. Null where it has no elements, or names that selectors can't have. */
function selectorOf(place: string): string | null {
  if (place === '') return null
  const parts = place.split('/')
  const from = Math.max(
    0,
    parts.findLastIndex((part) => part.includes('#')),
  )
  const chosen = parts.slice(from)
  const isPlain = chosen.every((part) => /^[a-z][a-z0-9-]*(?:[.#][\p{L}_-][\p{L}\d_-]*)*$/iu.test(part))
  return isPlain ? chosen.join(' ') : null
}
