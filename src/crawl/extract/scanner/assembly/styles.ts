import { firstOf } from './bytes.ts'

/**
 * Whether a style sheet may load a file: it has `url(`, `src(`, `image-set(` or `@import`, or an escape that may stand for a part of them.
 * Most sheets don't, and are not read any further.
 */
export function mayLoad(start: usize, end: usize): bool {
  for (let at = start; at < end; at += 16) {
    const block = v128.load(at)
    const opens = i8x16.eq(block, i8x16.splat(PARENTHESIS))
    const marks = v128.or(i8x16.eq(block, i8x16.splat(AT)), i8x16.eq(block, i8x16.splat(BACKSLASH)))
    const hits = v128.or(opens, marks)
    if (!v128.any_true(hits)) continue
    const last = min(at + 16, end)
    for (let hit = at + firstOf(hits); hit < last; hit++) if (mayLoadAt(hit, start, end)) return true
  }
  return false
}

function mayLoadAt(at: usize, start: usize, end: usize): bool {
  switch (load<u8>(at)) {
    case PARENTHESIS: {
      // The last letter of the function's name.
      const letter = at > start ? load<u8>(at - 1) | 0x20 : 0
      return letter === 0x6c || letter === 0x63 || letter === 0x74
    }
    case AT:
      return at + 1 < end && (load<u8>(at + 1) | 0x20) === 0x69
    case BACKSLASH:
      return true
    default:
      return false
  }
}

const PARENTHESIS: u8 = 0x28
const AT: u8 = 0x40
const BACKSLASH: u8 = 0x5c
