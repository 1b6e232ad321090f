/**
 * The HTML standard's prescan for `<meta charset>` and `<meta http-equiv="content-type">`. Tags are skipped byte by byte; only metas that
 * may name an encoding are converted to text.
 */

const EXCLAMATION = 0x21
const DOUBLE_QUOTE = 0x22
const SINGLE_QUOTE = 0x27
const DASH = 0x2d
const SLASH = 0x2f
const LESS = 0x3c
const EQUALS = 0x3d
const GREATER = 0x3e
const QUESTION = 0x3f

/** The first encoding named by a meta within the first `end` bytes; `encodingOf` resolves labels. */
export function prescan(
  bytes: Buffer,
  end: number,
  encodingOf: (label: string) => string | undefined,
): string | undefined {
  for (let at = 0; at !== -1 && at < end; ) {
    if (bytes[at] !== LESS) {
      at++
      continue
    }
    const next = at + 1 < end ? bytes[at + 1]! : 0
    if (next === EXCLAMATION && at + 3 < end && bytes[at + 2] === DASH && bytes[at + 3] === DASH)
      at = afterComment(bytes, at + 2, end)
    else if (isLetter(next) || (next === SLASH && at + 2 < end && isLetter(bytes[at + 2]!))) {
      const isMetaTag = at + 5 < end && isMeta(bytes, at)
      const after = afterAttributes(bytes, isMetaTag ? at + 5 : afterTagName(bytes, at + 2, end), end)
      if (after === -1) return undefined
      const encoding = isMetaTag ? metaEncoding(bytes.toString('latin1', at + 5, after), encodingOf) : undefined
      if (encoding !== undefined) return encoding
      at = after
    } else if (next === EXCLAMATION || next === SLASH || next === QUESTION) at = afterGreater(bytes, at, end)
    else at++
  }
  return undefined
}

function isLetter(byte: number): boolean {
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x7a
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0c || byte === 0x0d
}

/** `at` is at a `<`. */
function isMeta(bytes: Buffer, at: number): boolean {
  return (
    (bytes[at + 1]! | 0x20) === 0x6d &&
    (bytes[at + 2]! | 0x20) === 0x65 &&
    (bytes[at + 3]! | 0x20) === 0x74 &&
    (bytes[at + 4]! | 0x20) === 0x61 &&
    (isSpace(bytes[at + 5]!) || bytes[at + 5] === SLASH)
  )
}

// Each of these returns the index after what it skips, or -1 if a comment or a tag doesn't end.

function afterComment(bytes: Buffer, from: number, end: number): number {
  for (let at = from; at + 2 < end; at++)
    if (bytes[at + 2] === GREATER && bytes[at + 1] === DASH && bytes[at] === DASH) return at + 3
  return -1
}

function afterGreater(bytes: Buffer, from: number, end: number): number {
  for (let at = from; at < end; at++) if (bytes[at] === GREATER) return at + 1
  return -1
}

function afterTagName(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && !isSpace(bytes[at]!) && bytes[at] !== GREATER) at++
  return at
}

function afterAttributes(bytes: Buffer, from: number, end: number): number {
  for (let at = from; ; ) {
    while (at < end && (isSpace(bytes[at]!) || bytes[at] === SLASH)) at++
    if (at >= end) return -1
    if (bytes[at] === GREATER) return at + 1
    at = afterValue(bytes, afterName(bytes, at, end), end)
  }
}

/** `from` is the start of an attribute's name. Its first byte always belongs to it. */
function afterName(bytes: Buffer, from: number, end: number): number {
  let at = from + 1
  for (; at < end; at++) {
    const byte = bytes[at]!
    if (byte === EQUALS || byte === GREATER || byte === SLASH || isSpace(byte)) break
  }
  return at
}

/** `from` is after the name of an attribute. Skips only white space if there is no value. */
function afterValue(bytes: Buffer, from: number, end: number): number {
  let at = afterSpace(bytes, from, end)
  if (at >= end || bytes[at] !== EQUALS) return at
  at = afterSpace(bytes, at + 1, end)
  const quote = at < end ? bytes[at]! : 0
  if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
    for (at++; at < end && bytes[at] !== quote; at++);
    return at + 1
  }
  while (at < end && !isSpace(bytes[at]!) && bytes[at] !== GREATER) at++
  return at
}

function afterSpace(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && isSpace(bytes[at]!)) at++
  return at
}

const attribute =
  /[\t\n\f\r /]*(?:>|([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >"'][^\t\n\f\r >]*))?)?)/y

/** Of several attributes with one name, the first counts. */
function readAttributes(tag: string): Map<string, string> {
  const attributes = new Map<string, string>()
  attribute.lastIndex = 0
  for (let match = attribute.exec(tag); match !== null; match = attribute.exec(tag)) {
    const name = match[1]?.toLowerCase()
    if (name === undefined) break
    if (!attributes.has(name)) attributes.set(name, match[2] ?? match[3] ?? match[4] ?? '')
  }
  return attributes
}

/** Cache of one entry: pages of a site have the same tag. */
let lastTag = ''
let lastLabel: string | undefined

/** `tag`: the text from after the meta's name to its end. */
function metaEncoding(tag: string, encodingOf: (label: string) => string | undefined): string | undefined {
  // Both forms contain this word.
  if (!/charset/i.test(tag)) return undefined
  if (tag !== lastTag) {
    lastLabel = namedLabel(tag)
    lastTag = tag
  }
  return lastLabel === undefined ? undefined : encodingOf(lastLabel)
}

function namedLabel(tag: string): string | undefined {
  const attributes = readAttributes(tag)
  const charset = attributes.get('charset')
  if (charset !== undefined) return charset
  if (attributes.get('http-equiv')?.toLowerCase() !== 'content-type') return undefined
  return contentCharset(attributes.get('content') ?? '')
}

const charsetParameter = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|(?!["'])([^\t\n\f\r ;]*))/i

/** The label in the `content` of a meta, found as in the standard, not by the rules of MIME. */
function contentCharset(content: string): string {
  const match = charsetParameter.exec(content)
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? ''
}
