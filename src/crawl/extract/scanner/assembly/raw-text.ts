/**
 * Sections of a page without tags: comments, and the content of elements whose text ends only at their own end tag.
 * Every function returns a place that is not before `from`, or the end if the section is never closed: then, as in
 * a browser, the rest of the page belongs to it. None looks beyond the end of its section, so a page of many short
 * ones still takes linear time.
 */
import { classAt, findByte, findPair, matchesWord, TAG_NAME_END } from './bytes.ts'

function hasByte(at: usize, end: usize, byte: u8): bool {
  return at < end && load<u8>(at) === byte
}

/** `from` is after `<!--`. Returns the place after the comment. */
export function skipComment(from: usize, end: usize): usize {
  if (hasByte(from, end, 0x3e)) return from + 1
  if (hasByte(from, end, 0x2d) && hasByte(from + 1, end, 0x3e)) return from + 2
  for (let at = findPair(from, end, 0x2d, 0x2d); at < end; at = findPair(at + 1, end, 0x2d, 0x2d)) {
    if (hasByte(at + 2, end, 0x3e)) return at + 3
    if (hasByte(at + 2, end, 0x21) && hasByte(at + 3, end, 0x3e)) return at + 4
  }
  return end
}

/** Bogus comments and DOCTYPE end at the first `>`, even inside quotes. */
export function skipBogusComment(from: usize, end: usize): usize {
  return min(findByte(from, end, 0x3e) + 1, end)
}

export function skipCdata(from: usize, end: usize): usize {
  for (let at = findPair(from, end, 0x5d, 0x5d); at < end; at = findPair(at + 1, end, 0x5d, 0x5d))
    if (hasByte(at + 2, end, 0x3e)) return at + 3
  return end
}

/** The `</` of the end tag that closes the raw text of `name` (RAWTEXT and RCDATA alike). */
export function findRawTextEnd(from: usize, end: usize, name: string): usize {
  for (let at = findPair(from, end, 0x3c, 0x2f); at < end; at = findPair(at + 1, end, 0x3c, 0x2f))
    if (isWholeWord(at + 2, end, name)) return at
  return end
}

/**
 * The `</` of the `</script>` that closes the script beginning at `from`. Scripts have three modes:
 *
 *   plain           ends at `</script>`; `<!--` leads to escaped
 *   escaped         ends at `</script>`; `-->` leads back to plain, `<script>` to double escaped
 *   double escaped  does not end; `-->` leads back to plain, `</script>` to escaped
 */
export function findScriptEnd(from: usize, end: usize): usize {
  let at = findByte(from, end, 0x3c)
  while (at < end) {
    if (hasByte(at + 1, end, 0x2f) && isWholeWord(at + 2, end, 'script')) return at
    if (hasByte(at + 1, end, 0x21) && hasByte(at + 2, end, 0x2d) && hasByte(at + 3, end, 0x2d))
      at = findByte(skipEscaped(at + 2, end), end, 0x3c)
    else at = findByte(at + 1, end, 0x3c)
  }
  return end
}

/**
 * `from` is the first dash of `<!--`: the dashes of the opening count for the closing, so `<!-->` is closed at once.
 * Returns the place where plain script continues, which is at the `</script>` if that comes before `-->`.
 */
function skipEscaped(from: usize, end: usize): usize {
  let isDouble = false
  for (let at = from; at < end; at++) {
    const byte = load<u8>(at)
    if (byte === 0x2d) {
      if (hasByte(at + 1, end, 0x2d) && hasByte(at + 2, end, 0x3e)) return at + 3
    } else if (byte === 0x3c) {
      const isEnd = hasByte(at + 1, end, 0x2f)
      if (!isWholeWord(isEnd ? at + 2 : at + 1, end, 'script')) continue
      if (isEnd && !isDouble) return at
      isDouble = !isEnd
    }
  }
  return end
}

function isWholeWord(at: usize, end: usize, word: string): bool {
  const after = at + <usize>word.length
  return after < end && (classAt(after) & TAG_NAME_END) !== 0 && matchesWord(at, end, word)
}
