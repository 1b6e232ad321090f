import type { Change } from '../change.ts'
import { frameOf } from './shape.ts'

/** What a profile or a source gets, so that it hears no more of a block: an expression, a selector, or both to choose from. */
export type IgnoreBlock = {
  /** For `interests.ignore`: matches the block whatever its numbers are, and whatever is between its fixed words. */
  readonly ignore?: string
  /** For `omit` of the source, where the selector matches no other block. */
  readonly omit?: string
}

/** As profiles allow; see `ignoreLimits`. */
const MAX_PATTERN = 500
/** Less than this would match anywhere. */
const MIN_FIXED = 3

/** Pages with more places than this are not searched for each block. */
const MAX_PLACES = 1_000

/** `places` are those of the newer version, with the number of blocks in each. */
export function ignoreFor(
  change: Pick<Change, 'before' | 'after' | 'place'>,
  places: ReadonlyMap<string, number> = new Map(),
): IgnoreBlock {
  const ignore = expressionOf(change)
  const omit = places.get(change.place) === 1 ? selectorOf(change.place, places) : null
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

/**
 * From the last element with an id on, as descendants. Null where it has no elements or names that selectors can't have, and where it
 * would match other blocks too.
 */
function selectorOf(place: string, places: ReadonlyMap<string, number>): string | null {
  if (place === '' || places.size > MAX_PLACES) return null
  const parts = place.split('/')
  const from = Math.max(
    0,
    parts.findLastIndex((part) => part.includes('#')),
  )
  const chosen = parts.slice(from)
  const isPlain = chosen.every((part) => /^[a-z][a-z0-9-]*(?:[.#][\p{L}_-][\p{L}\d_-]*)*$/iu.test(part))
  if (!isPlain) return null
  for (const other of places.keys()) if (other !== place && isWithin(chosen, other)) return null
  return chosen.join(' ')
}

/** Whether the elements are among those around a block, in this order. */
function isWithin(chosen: readonly string[], place: string): boolean {
  let found = 0
  for (const part of place.split('/')) if (found < chosen.length && hasNames(part, chosen[found]!)) found++
  return found === chosen.length
}

/** "div#side.box.wide" has those of "div.box". */
function hasNames(part: string, asked: string): boolean {
  const names = part.split(/(?=[.#[])/)
  return asked.split(/(?=[.#])/).every((name) => names.includes(name))
}
