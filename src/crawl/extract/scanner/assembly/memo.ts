/**
 * Links that were met before, recognised by their bytes: pages of a site keep linking to each other. A link is looked up by its
 * target before normalisation: a relative link is appended to its folder, an absolute path to its origin. So `../b/x` in `/a/`,
 * `x` in `/b/` and `/b/x` are one link. The program maps the slot to a value.
 *
 * Everything is in a few tables of fixed size. When they are full, nothing is added until they are cleared.
 */
import { findByte, firstOf, foldedWord } from './bytes.ts'
import { MAX_BASE, NO_SLOT, REPEATED } from './wire.ts'

const MAX_ENTRIES: i32 = 65536
const MAX_BYTES: usize = 256
const ARENA: usize = 65536 * 64
const PLACES: u32 = 131072
/** Bounds the cost of links that were made to collide. */
const MAX_PROBES = 32
const MAX_LEVELS: usize = 16
/** `http` as a little-endian word. */
const HTTP: u64 = 0x70747468
/** How a key was made: two keys with the same bytes are equal only if they were made in the same way. */
const JOINED: u32 = 0
const AS_WRITTEN: u32 = 1 << 16
const WITH_HOST: u32 = 2 << 16
/** Entry indexes plus one; 0 is an empty place. */
const table: usize = memory.data(524288, 4)
/** Per entry: hash, page on which it was met last, address of its bytes, and their number combined with how they were made. */
const entries: usize = memory.data(1048576, 4)
/** Has room for one more key after its end. */
const arena: usize = memory.data(4198400, 16)
/** The folder of the page, starting with its scheme. */
const base: usize = memory.data(2064, 16)
/** End of the folder, and of each folder above it. */
const folders: usize = memory.data(68, 4)
let originLength: usize = 0
let baseLength: usize = 0
let count: i32 = 0
let used: usize = 0
let page: u32 = 0
export let isFull: bool = false

export function forgetAll(): void {
  memory.fill(table, 0, 524288)
  count = 0
  used = 0
  isFull = false
}

export function basePlace(): usize {
  return base
}

/** Sets the base of the next page. Without one, nothing is looked up. */
export function setBase(origin: usize, length: usize): void {
  originLength = origin
  baseLength = length <= <usize>MAX_BASE ? length : 0
  page++
  let at = baseLength
  for (let level: usize = 0; level <= MAX_LEVELS && baseLength > 0; level++) {
    store<usize>(folders + (level << 2), at)
    // The root is its own parent.
    if (at > origin + 1) for (at--; load<u8>(base + at - 1) !== 0x2f; at--);
  }
}

/**
 * Length of the part of a value that determines its target: up to its fragment. 0 if its bytes alone don't: white space may be
 * dropped, and character references may stand for anything, but in a query they are harmless.
 */
function keyLength(start: usize, end: usize): usize {
  for (let at = start; at < end; at += 16) {
    const block = v128.load(at)
    const marks = v128.or(i8x16.eq(block, i8x16.splat(0x23)), i8x16.eq(block, i8x16.splat(0x26)))
    const others = v128.or(i8x16.eq(block, i8x16.splat(0x3f)), i8x16.lt_u(block, i8x16.splat(0x21)))
    const place = firstOf(v128.or(marks, others))
    if (place !== 16) return at + place < end ? keyLengthFrom(at + place, start, end) : end - start
  }
  return end - start
}

function keyLengthFrom(mark: usize, start: usize, end: usize): usize {
  let hasQuery = false
  let hasReference = false
  for (let at = mark; at < end; at++) {
    const byte = load<u8>(at)
    if (byte === 0x3f) hasQuery = true
    else if (byte === 0x26 && hasQuery) hasReference = true
    else if (byte === 0x26 || byte < 0x21) return 0
    else if (byte === 0x23 && !hasReference) return at - start
  }
  return end - start
}

function hasColon(start: usize, length: usize): bool {
  return findByte(start, start + length, 0x3a) !== start + length
}

/** Copies whole blocks; both sides have room for that. */
function copy(to: usize, from: usize, length: usize): void {
  for (let at: usize = 0; at < length; at += 16) v128.store(to + at, v128.load(from + at))
}

let keyBytes: usize = 0
let keyWay: u32 = 0

/** Writes the key of a link after the kept ones. False if the link depends on more of its page than the folder. */
function writeKey(start: usize, length: usize): bool {
  const first = load<u8>(start)
  // A query alone refers to the page itself.
  if (first === 0x3f || first === 0x26) return false
  if (first === 0x2f) {
    const second = load<u8>(start, 1)
    // Two slashes, the second of either kind, introduce a host.
    const namesHost = length > 1 && (second === 0x2f || second === 0x5c)
    return join(originLength, start, length, namesHost ? WITH_HOST : JOINED)
  }
  if (length >= 5 && foldedWord(start, 4) === HTTP) {
    const colon: usize = (load<u8>(start, 4) | 0x20) === 0x73 ? 5 : 4
    if (length > colon && load<u8>(start + colon) === 0x3a) {
      // On a page with the same scheme, `http:x` is relative and `http:?x` refers to the page itself.
      if (length <= colon + 3 || load<u16>(start + colon, 1) !== 0x2f2f) return false
      return join(0, start, length, JOINED)
    }
  }
  let from: usize = 0
  let level: usize = 0
  if (first === 0x2e) {
    if (length > 2 && load<u16>(start) === 0x2f2e) from = 2
    else
      for (; level < MAX_LEVELS && length - from > 3 && (load<u32>(start + from) & 0xffffff) === 0x2f2e2e; level++)
        from += 3
  }
  const next = load<u8>(start + from)
  const isName = next !== 0x2e && next !== 0x2f && next !== 0x5c && next !== 0x3f && next !== 0x26
  // A colon may end a scheme, unless there are dots before it.
  return isName && (from > 0 || !hasColon(start, length))
    ? join(load<usize>(folders + (level << 2)), start + from, length - from, JOINED)
    : join(baseLength, start, length, AS_WRITTEN)
}

function join(head: usize, tail: usize, length: usize, way: u32): bool {
  const place = arena + used
  copy(place, base, head)
  copy(place + head, tail, length)
  keyBytes = head + length
  keyWay = way
  return true
}

/** Only needs to distribute well: bytes are compared in the end. */
function hashOf(start: usize, length: usize, way: u32): u32 {
  let hash: u64 = (<u64>way + 1) * 0x9e3779b97f4a7c15
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

/**
 * Returns the slot of a link, adding it if it is new; `NO_SLOT` if it can't be added, and `REPEATED` if it was met before on
 * this page. If `counts` is false, this occurrence is ignored for repetitions.
 */
export function slotOf(start: usize, end: usize, counts: bool): i32 {
  if (baseLength === 0) return NO_SLOT
  const length = keyLength(start, end)
  if (length === 0 || length > MAX_BYTES || !writeKey(start, length)) return NO_SLOT
  const key = arena + used
  const hash = hashOf(key, keyBytes, keyWay)
  const shape = <u32>keyBytes | keyWay
  let place = hash & (PLACES - 1)
  for (let probes = 0; probes < MAX_PROBES; probes++) {
    const number = load<i32>(table + ((<usize>place) << 2))
    if (number === 0) return takeIn(place, hash, shape, counts)
    const entry = entries + ((<usize>(number - 1)) << 4)
    if (load<u32>(entry) === hash && load<u32>(entry, 12) === shape && areEqual(load<usize>(entry, 8), key, keyBytes)) {
      if (!counts) return number - 1
      if (load<u32>(entry, 4) === page) return REPEATED
      store<u32>(entry, page, 4)
      return number - 1
    }
    place = (place + 1) & (PLACES - 1)
  }
  return NO_SLOT
}

function takeIn(place: u32, hash: u32, shape: u32, counts: bool): i32 {
  if (count === MAX_ENTRIES || used + keyBytes > ARENA) {
    isFull = true
    return NO_SLOT
  }
  const entry = entries + ((<usize>count) << 4)
  store<u32>(entry, hash)
  store<u32>(entry, counts ? page : 0, 4)
  store<usize>(entry, arena + used, 8)
  store<u32>(entry, shape, 12)
  used += keyBytes
  store<i32>(table + ((<usize>place) << 2), ++count)
  return count - 1
}
