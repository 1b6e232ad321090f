// The tags known to the scanner, by number. The first ones are those of wire.ts. Breakout tags end foreign content (SVG,
// MathML); they are looked up only inside it, so the most common tags of a page (div, p, span) stay unknown.
import { foldedWord } from './bytes.ts'
import { A, AREA, AUDIO, EMBED, FORM, FRAME, IFRAME, IMG, LINK, OBJECT, SCRIPT, SOURCE, TRACK, VIDEO } from './wire.ts'

export const IMAGE = 15
export const META = 16
export const BASE = 17
export const TITLE = 18
export const STYLE = 19
export const XMP = 20
export const NOEMBED = 21
export const NOFRAMES = 22
export const TEXTAREA = 23
export const PLAINTEXT = 24
export const SVG = 25
export const MATH = 26
export const TEMPLATE = 27
export const FOREIGN_OBJECT = 28
export const DESC = 29
export const MI = 30
export const MO = 31
export const MN = 32
export const MS = 33
export const MTEXT = 34
/** A tag that only breaks out. For `p` and `br`, end tags break out as well. */
export const BREAKOUT = 35
export const BREAKOUT_BOTH = 36

const MAX_NAME: usize = 16
const MAX_NAMES: usize = 96
/** Size of an entry: first eight bytes of the name, next eight, number, next in its chain. */
const ENTRY: usize = 24
const entries: usize = memory.data(2304, 8)
/** Chains of names by first letter and length: most tags of a page hit an empty chain and need no comparison. */
const known: usize = memory.data(512)
const breakouts: usize = memory.data(512)
const word: usize = memory.data(24, 8)
let names: usize = 1

/** Adds all names of a space-separated list. */
function add(places: usize, list: string, tag: i32): void {
  let start = 0
  for (let at = 0; at <= list.length; at++) {
    if (at < list.length && list.charCodeAt(at) !== 0x20) continue
    addOne(places, list, start, at, tag)
    start = at + 1
  }
}

function addOne(places: usize, list: string, start: i32, end: i32, tag: i32): void {
  const length = <usize>(end - start)
  memory.fill(word, 0, 24)
  for (let i: i32 = start; i < end; i++) store<u8>(word + <usize>(i - start), <u8>list.charCodeAt(i))
  const place = places + <usize>(load<u8>(word) & 31) * MAX_NAME + length
  const entry = entries + names * ENTRY
  store<u64>(entry, foldedWord(word, length))
  store<u64>(entry, length > 8 ? foldedWord(word + 8, length - 8) : 0, 8)
  store<i32>(entry, tag, 16)
  store<i32>(entry, load<u8>(place), 20)
  store<u8>(place, <u8>names)
  names++
  if (names > MAX_NAMES) unreachable()
}

export function fillTagNames(): void {
  add(known, 'a', A)
  add(known, 'area', AREA)
  add(known, 'link', LINK)
  add(known, 'iframe', IFRAME)
  add(known, 'frame', FRAME)
  add(known, 'img', IMG)
  add(known, 'source', SOURCE)
  add(known, 'script', SCRIPT)
  add(known, 'form', FORM)
  add(known, 'video', VIDEO)
  add(known, 'audio', AUDIO)
  add(known, 'track', TRACK)
  add(known, 'embed', EMBED)
  add(known, 'object', OBJECT)
  add(known, 'image', IMAGE)
  add(known, 'meta', META)
  add(known, 'base', BASE)
  add(known, 'title', TITLE)
  add(known, 'style', STYLE)
  add(known, 'xmp', XMP)
  add(known, 'noembed', NOEMBED)
  add(known, 'noframes', NOFRAMES)
  add(known, 'textarea', TEXTAREA)
  add(known, 'plaintext', PLAINTEXT)
  add(known, 'svg', SVG)
  add(known, 'math', MATH)
  add(known, 'template', TEMPLATE)
  add(known, 'foreignobject', FOREIGN_OBJECT)
  add(known, 'desc', DESC)
  add(known, 'mi', MI)
  add(known, 'mo', MO)
  add(known, 'mn', MN)
  add(known, 'ms', MS)
  add(known, 'mtext', MTEXT)
  add(breakouts, 'b big blockquote body center code dd div dl dt em embed head hr i img li listing menu meta', BREAKOUT)
  add(breakouts, 'nobr ol pre ruby s small span strong strike sub sup table tt u ul var', BREAKOUT)
  add(breakouts, 'p br', BREAKOUT_BOTH)
}

function find(places: usize, start: usize, length: usize): i32 {
  if (length >= MAX_NAME) return 0
  let place = <usize>load<u8>(places + <usize>(load<u8>(start) & 31) * MAX_NAME + length)
  if (place === 0) return 0
  const head = foldedWord(start, length)
  const tail = length > 8 ? foldedWord(start + 8, length - 8) : 0
  do {
    const entry = entries + place * ENTRY
    if (load<u64>(entry) === head && load<u64>(entry, 8) === tail) return load<i32>(entry, 16)
    place = <usize>load<i32>(entry, 20)
  } while (place !== 0)
  return 0
}

/** The number of the tag whose name begins at `start`, with a letter; 0 if it is unknown. */
export function findTag(start: usize, length: usize): i32 {
  return find(known, start, length)
}

/** 0 if the tag does not break out. */
export function findBreakout(start: usize, length: usize): i32 {
  // `h1` to `h6` are the only names with a digit, which must not be folded.
  if (length === 2 && (load<u8>(start) | 0x20) === 0x68) {
    const digit = load<u8>(start, 1)
    if (digit >= 0x31 && digit <= 0x36) return BREAKOUT
  }
  return find(breakouts, start, length)
}
