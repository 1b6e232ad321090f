/** `text` is unescaped; `plain` and `blank` tokens (white space and comments) are written as they are. */
export type CssToken = {
  kind: 'url' | 'bad-url' | 'function' | 'at' | 'ident' | 'hash' | 'string' | 'plain' | 'blank'
  text: string
}

export type CssTokens = {
  next(): CssToken | null
  /** The next token if it is a string; otherwise null. */
  string(): string | null
}

const escaped = String.raw`\\(?:[0-9a-fA-F]{1,6}[ \n\t]?|[^\n0-9a-fA-F])`
const nameSigns = String.raw`(?:[\w\u0080-\uffff-]+|${escaped})`
const nameStart = String.raw`(?:--|-?(?:[A-Za-z_\u0080-\uffff]|${escaped}))`
const codeEscape = /\\[0-9a-fA-F]{1,6}[ \n\t]?/y
const space = /[ \n\t]+/y
const htmlComment = /<!--|-->/y
/** Invalid in `url()` without quotes: white space, quotes, an opening parenthesis, a backslash that escapes nothing, control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as in the standard
const notInUrl = /[ \n\t"'(\\\0-\x08\x0b\x0e-\x1f\x7f]/
const number = /[+-]?(?:\d*\.)?\d+(?:[eE][+-]?\d+)?/y
const name = new RegExp(`${nameStart}${nameSigns}*`, 'y')
const hash = new RegExp(`#${nameSigns}+`, 'y')

/** Splits a style sheet, or the value of a style attribute, as the CSS Syntax standard says. */
export function createCssTokens(text: string): CssTokens {
  const source = text.replace(/\r\n?|\f/g, '\n').replaceAll('\0', '\ufffd')
  let at = 0
  /** The unit of the number read last: a name, even before a parenthesis. */
  let unit: string | null = null

  function match(pattern: RegExp): string | null {
    pattern.lastIndex = at
    const found = pattern.exec(source)?.[0] ?? null
    if (found !== null) at += found.length
    return found
  }

  /**
   * Reads up to the first of these characters that isn't escaped, or to the end. A regular expression would need memory for each character.
   */
  function readTo(ends: string): string {
    const start = at
    while (at < source.length && !ends.includes(source[at]!)) {
      // White space after a number belongs to the escape, even a line break.
      if (source[at] !== '\\') at++
      else if (match(codeEscape) === null) at += 2
    }
    at = Math.min(at, source.length)
    return source.slice(start, at)
  }

  /** Null if the string is broken by a line break, and so invalid. */
  function readString(): string | null {
    const quote = source[at]!
    at++
    const raw = readTo(`${quote}\n`)
    if (source[at] === '\n') return null
    at++
    return unescaped(raw.replace(/\\\n/g, ''))
  }

  const isQuote = () => source[at] === '"' || source[at] === "'"

  function named(raw: string): CssToken {
    const text = unescaped(raw)
    if (source[at] !== '(') return { kind: 'ident', text }
    at++
    if (plainName(text) !== 'url') return { kind: 'function', text }
    match(space)
    if (isQuote()) return { kind: 'function', text }
    const bare = withoutSpaceAtEnd(readTo(')'))
    at++
    return { kind: notInUrl.test(bare.replace(escapes, '')) ? 'bad-url' : 'url', text: unescaped(bare) }
  }

  return {
    next() {
      if (unit !== null) {
        const text = unescaped(unit)
        unit = null
        return { kind: 'ident', text }
      }
      if (at >= source.length) return null
      const code = source.charCodeAt(at)
      if (isSpace(code)) {
        return { kind: 'blank', text: match(space)!.includes('\n') ? '\n' : ' ' }
      }
      if (source.startsWith('/*', at)) {
        const end = source.indexOf('*/', at + 2)
        at = end === -1 ? source.length : end + 2
        return { kind: 'blank', text: '/**/' }
      }
      if ((code === 0x3c || code === 0x2d) && match(htmlComment) !== null) return { kind: 'plain', text: ' ' }
      if (isQuote()) {
        const text = readString()
        return text === null ? { kind: 'plain', text: ' ' } : { kind: 'string', text }
      }
      if (mayBeginNumber(code)) {
        const digits = match(number)
        if (digits !== null) {
          unit = match(name)
          return { kind: 'plain', text: digits }
        }
      }
      if (mayBeginName(code)) {
        const word = match(name)
        if (word !== null) return named(word)
      }
      const hashed = code === 0x23 ? match(hash) : null
      if (hashed !== null) return { kind: 'hash', text: unescaped(hashed.slice(1)) }
      const sign = source[at++]!
      if (sign === '@') {
        const rule = match(name)
        return rule === null ? { kind: 'plain', text: '@' } : { kind: 'at', text: unescaped(rule) }
      }
      // In a comparison of sizes.
      if (sign === '<') return { kind: 'plain', text: source[at] === '=' ? '<' : '< ' }
      return { kind: 'plain', text: sign === '\\' ? ' ' : sign }
    },
    string() {
      match(space)
      return isQuote() ? readString() : null
    },
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09
}

/** Keeps a space that is escaped. */
function withoutSpaceAtEnd(text: string): string {
  let end = text.length
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--
  let backslashes = 0
  while (text[end - 1 - backslashes] === '\\') backslashes++
  return text.slice(0, backslashes % 2 === 0 ? end : end + 1)
}

/** A digit, or one of `+-.`. */
function mayBeginNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e
}

/** A letter, `_`, `-`, a backslash, or anything outside ASCII. */
function mayBeginName(code: number): boolean {
  const lower = code | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || code === 0x5f || code === 0x2d || code === 0x5c || code >= 0x80
}

const escapes = new RegExp(escaped, 'g')

function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(escapes, (found) => {
    if (!/^\\[0-9a-fA-F]/.test(found)) return found.slice(1)
    const code = Number.parseInt(found.slice(1), 16)
    const isNone = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)
    return isNone ? '\ufffd' : String.fromCodePoint(code)
  })
}

/** Without the prefix of a browser, in lower case. */
export const plainName = (text: string): string => text.toLowerCase().replace(/^-(?:webkit|moz|ms|o)-/, '')
