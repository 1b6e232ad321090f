import type { Change } from '../change.ts'
import { frameOf } from './shape.ts'

/** Rules by which a profile or a source can ignore a block: an expression, a selector, or both to choose from. */
export type IgnoreBlock = {
  /** For `interests.ignore`: matches the block with any numbers, and with any text between its fixed words. */
  readonly ignore?: string
  /** For the source's `omit`; only if the selector matches no other block. */
  readonly omit?: string
}

/** The limit of profiles; see `ignoreLimits`. */
const MAX_PATTERN = 500
/** Minimum number of fixed letters; fewer would match anywhere. */
const MIN_FIXED = 3

/** Larger pages are not searched for each block. */
const MAX_PLACES = 1_000

/** `places`: those of the newer version, with the number of blocks in each. */
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

/** The text as an expression that allows other numbers and other white space. */
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
 * Descendant selectors, starting at the last element with an id. Null if the place is empty, has names that selectors can't express, or the
 * selector would match other blocks too.
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

/** Whether the elements occur among those around a block, in this order. */
function isWithin(chosen: readonly string[], place: string): boolean {
  let found = 0
  for (const part of place.split('/')) if (found < chosen.length && hasNames(part, chosen[found]!)) found++
  return found === chosen.length
}

/** Whether a step has all these names: "div#side.box.wide" has those of "div.box". */
function hasNames(part: string, asked: string): boolean {
  const names = part.split(/(?=[.#[])/)
  return asked.split(/(?=[.#])/).every((name) => names.includes(name))
}
