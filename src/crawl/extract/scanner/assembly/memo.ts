/**
 * Links that were met before, recognised by their bytes as they stand in a page: the same navigation stands on every page
 * of a site. A link means the same wherever its scope is the same: everywhere for an absolute URL, within an origin for an
 * absolute path, within a folder for a relative one. What it means is kept by the program, by the slot.
 *
 * All of it lies in a few tables of fixed size. When they are full nothing more is taken in until they are emptied.
 */
import { foldedWord } from './bytes.ts'
import { EVERYWHERE, NO_SCOPE } from './wire.ts'

export const MAX_ENTRIES: i32 = 16384
const MAX_BYTES: usize = 256
const ARENA: usize = 16384 * 48
const PLACES: u32 = 32768
/** Links that are meant to collide must not make each other slow. */
const MAX_PROBES = 32
/** `http`, its first letter in the lowest byte. */
const HTTP: u64 = 0x70747468
/** Numbers of entries, one more than they are: 0 is an empty place. */
const table: usize = memory.data(131072, 4)
/** Hash, scope, where its bytes begin, how many they are. */
const entries: usize = memory.data(262144, 4)
const arena: usize = memory.data(786432, 16)
let count: i32 = 0
let used: usize = 0
let originScope: i32 = NO_SCOPE
let directoryScope: i32 = NO_SCOPE
export let isFull: bool = false

export function forgetAll(): void {
  memory.fill(table, 0, 131072)
  count = 0
  used = 0
  isFull = false
}

/** Of the page that comes next; without scopes nothing of it is looked up. */
export function setScopes(origin: i32, directory: i32): void {
  originScope = origin
  directoryScope = directory
}

function scopeOf(start: usize, length: usize): i32 {
  const first = load<u8>(start)
  // Nothing but a query belongs to the very page.
  if (first === 0x3f || first === 0x26) return NO_SCOPE
  if (first === 0x2f) return originScope
  if (length < 5 || foldedWord(start, 4) !== HTTP) return directoryScope
  const colon: usize = (load<u8>(start, 4) | 0x20) === 0x73 ? 5 : 4
  if (length <= colon || load<u8>(start + colon) !== 0x3a) return directoryScope
  // With one scheme on both sides, `http:x` is relative and `http:?x` belongs to the very page.
  return length > colon + 3 && load<u16>(start + colon, 1) === 0x2f2f ? EVERYWHERE : NO_SCOPE
}

/**
 * How much of a value tells where it leads: up to its fragment. 0 where its bytes alone don't: white space may be dropped
 * from it, and references of characters may stand for anything, but in a query they do no harm.
 */
function keyLength(start: usize, end: usize): usize {
  let hasQuery = false
  let hasReference = false
  for (let at = start; at < end; at += 16) {
    const block = v128.load(at)
    const marks = v128.or(i8x16.eq(block, i8x16.splat(0x23)), i8x16.eq(block, i8x16.splat(0x26)))
    const others = v128.or(i8x16.eq(block, i8x16.splat(0x3f)), i8x16.lt_u(block, i8x16.splat(0x21)))
    let hits = i8x16.bitmask(v128.or(marks, others))
    if (end - at < 16) hits &= (1 << (<i32>(end - at))) - 1
    for (; hits !== 0; hits &= hits - 1) {
      const hit = at + <usize>ctz(hits)
      const byte = load<u8>(hit)
      if (byte === 0x3f) hasQuery = true
      else if (byte === 0x26 && hasQuery) hasReference = true
      else if (byte !== 0x23) return 0
      else if (!hasReference) return hit - start
    }
  }
  return end - start
}

/** Spread is all that is asked of it: bytes are compared in the end. */
function hashOf(start: usize, length: usize, scope: i32): u32 {
  let hash: u64 = (<u64>scope + 1) * 0x9e3779b97f4a7c15
  let at = start
  let left = length
  for (; left >= 8; left -= 8, at += 8) {
    hash = (hash ^ load<u64>(at)) * 0xff51afd7ed558ccd
    hash ^= hash >> 32
  }
  const rest = load<u64>(at) & (((<u64>1) << ((<u64>left) << 3)) - 1)
  hash = (hash ^ rest ^ <u64>length) * 0xff51afd7ed558ccd
  hash ^= hash >> 32
  hash *= 0xc4ceb9fe1a85ec53
  return <u32>(hash >> 32)
}

function areEqual(a: usize, b: usize, length: usize): bool {
  for (; length >= 8; length -= 8, a += 8, b += 8) if (load<u64>(a) !== load<u64>(b)) return false
  return ((load<u64>(a) ^ load<u64>(b)) & (((<u64>1) << ((<u64>length) << 3)) - 1)) === 0
}

/** The slot of a link, which is taken in if it is new; -1 for one that can't be. */
export function slotOf(start: usize, end: usize): i32 {
  if (originScope === NO_SCOPE) return -1
  const length = keyLength(start, end)
  if (length === 0 || length > MAX_BYTES) return -1
  const scope = scopeOf(start, length)
  if (scope === NO_SCOPE) return -1
  const hash = hashOf(start, length, scope)
  let place = hash & (PLACES - 1)
  for (let probes = 0; probes < MAX_PROBES; probes++) {
    const number = load<i32>(table + ((<usize>place) << 2))
    if (number === 0) return takeIn(place, hash, scope, start, length)
    const entry = entries + ((<usize>(number - 1)) << 4)
    if (
      load<u32>(entry) === hash &&
      load<i32>(entry, 4) === scope &&
      load<usize>(entry, 12) === length &&
      areEqual(load<usize>(entry, 8), start, length)
    )
      return number - 1
    place = (place + 1) & (PLACES - 1)
  }
  return -1
}

function takeIn(place: u32, hash: u32, scope: i32, start: usize, length: usize): i32 {
  if (count === MAX_ENTRIES || used + length > ARENA) {
    isFull = true
    return -1
  }
  const bytes = arena + used
  memory.copy(bytes, start, length)
  used += length
  const entry = entries + ((<usize>count) << 4)
  store<u32>(entry, hash)
  store<i32>(entry, scope, 4)
  store<usize>(entry, bytes, 8)
  store<usize>(entry, length, 12)
  store<i32>(table + ((<usize>place) << 2), ++count)
  return count - 1
}
