import { byteClass, matchesWord, type PageBytes, TAG_NAME_END } from './byte-class.ts'

/**
 * Sections of a page that contain no tags: comments, and elements whose text ends only at their own end tag. Every function returns an
 * index not before `from`, or the length if the section is never closed: then, as in a browser, it extends to the end of the page. None
 * reads beyond the end of its section, so a page of many short ones still takes linear time.
 */

/** `from` is the index after `<!--`. Returns the index after the comment. */
export function skipComment({ bytes, text }: PageBytes, from: number): number {
  if (bytes[from] === 0x3e) return from + 1
  if (bytes[from] === 0x2d && bytes[from + 1] === 0x3e) return from + 2
  for (let at = from; ; at++) {
    at = text.indexOf('--', at)
    if (at === -1) return text.length
    if (bytes[at + 2] === 0x3e) return at + 3
    if (bytes[at + 2] === 0x21 && bytes[at + 3] === 0x3e) return at + 4
  }
}

/** Bogus comments and DOCTYPE end at the first `>`, even inside quotes. */
export function skipBogusComment({ text }: PageBytes, from: number): number {
  const close = text.indexOf('>', from)
  return close === -1 ? text.length : close + 1
}

export function skipCdata({ text }: PageBytes, from: number): number {
  const close = text.indexOf(']]>', from)
  return close === -1 ? text.length : close + 3
}

/** Index of the `</` of the end tag that closes the raw text of `name` (RAWTEXT and RCDATA alike). */
export function findRawTextEnd({ bytes, text }: PageBytes, from: number, name: string): number {
  for (let at = from; ; at++) {
    at = text.indexOf('</', at)
    if (at === -1) return text.length
    if (isWholeWord(bytes, at + 2, name)) return at
  }
}

/**
 * Index of the `</` of the `</script>` that closes the script beginning at `from`. Scripts have three modes:
 *
 *   plain           ends at `</script>`; `<!--` leads to escaped
 *   escaped         ends at `</script>`; `-->` leads back to plain, `<script>` to double escaped
 *   double escaped  does not end; `-->` leads back to plain, `</script>` to escaped
 */
export function findScriptEnd({ bytes, text }: PageBytes, from: number): number {
  let at = from
  for (;;) {
    at = text.indexOf('<', at)
    if (at === -1) return text.length
    if (bytes[at + 1] === 0x2f && isWholeWord(bytes, at + 2, 'script')) return at
    if (bytes[at + 1] === 0x21 && bytes[at + 2] === 0x2d && bytes[at + 3] === 0x2d) at = skipEscaped(bytes, at + 2)
    else at++
  }
}

/**
 * `from` is the first dash of `<!--`: the dashes of the opening count for the closing, so `<!-->` closes at once. Returns the index where
 * plain script continues, which is at the `</script>` if that comes before `-->`.
 */
function skipEscaped(bytes: Buffer, from: number): number {
  const length = bytes.length
  let double = false
  for (let at = from; at < length; at++) {
    const byte = bytes[at]
    if (byte === 0x2d) {
      if (bytes[at + 1] === 0x2d && bytes[at + 2] === 0x3e) return at + 3
    } else if (byte === 0x3c) {
      const isEnd = bytes[at + 1] === 0x2f
      if (!isWholeWord(bytes, isEnd ? at + 2 : at + 1, 'script')) continue
      if (isEnd && !double) return at
      double = !isEnd
    }
  }
  return length
}

function isWholeWord(bytes: Buffer, at: number, word: string): boolean {
  const after = bytes[at + word.length]
  return after !== undefined && (byteClass[after]! & TAG_NAME_END) !== 0 && matchesWord(bytes, at, word)
}
