import {
  doctype,
  endTag,
  expand,
  instruction,
  isWhiteSpace,
  parseTag,
  withLineFeeds,
  xmlDeclaration,
} from './xml-markup.ts'
import { forbiddenAt } from './xml-text.ts'

/** An error in an XML document, and its line. */
export type XmlError = { line: number; message: string }

/** Thrown when reading can't continue. Callers translate it to an error code: this part knows none. */
export class InvalidXmlError extends Error {
  readonly error: XmlError

  constructor(error: XmlError) {
    super(`line ${error.line}: ${error.message}`)
    this.name = 'InvalidXmlError'
    this.error = error
  }
}

/**
 * Reads XML 1.0 in pieces, strictly: what it passes on is well-formed so far. Comments and processing instructions are read over.
 * There are no entities but the five of XML itself, a document type with declarations of its own is refused, and the file that it
 * may name is never looked at: nothing is expanded and nothing fetched. Names are ASCII, as in all our grammars.
 *
 * Text is pushed in; `next` answers `more` when it holds no whole token. `push` is then to bring at least as much again as is left
 * over, or a long token would be searched through too often: `readXml` sees to it.
 */
export type XmlToken =
  | { kind: 'start'; name: string; attributes: ReadonlyMap<string, string>; line: number }
  | { kind: 'end'; name: string; line: number }
  /** `isBlank`: white space as it stands in the file, which no element minds. */
  | { kind: 'text'; text: string; isBlank: boolean; line: number }

export type XmlTokens = {
  push(text: string): void
  /** No more will come. */
  end(): void
  next(): XmlToken | 'more' | null
  /** Characters that were pushed and not yet used. */
  left(): number
  /** Characters that were used. */
  used(): number
}

export type TokenLimits = { maxTokenChars: number; maxDepth: number }

const longestOpening = '<![CDATA['.length

export function createXmlTokens({ maxTokenChars, maxDepth }: TokenLimits): XmlTokens {
  let buffer = ''
  let at = 0
  let usedBefore = 0
  /** How far the end of the token at `at` was looked for in vain. */
  let searched = 0
  let line = 1
  let ended = false
  let hasRoot = false
  let atStart = true
  let closing: string | null = null
  const open: string[] = []

  function fail(message: string, atLine = line): never {
    throw new InvalidXmlError({ line: atLine, message })
  }

  /** The token from `at` to `end`; the lines in it are behind us then. */
  function take(end: number): string {
    const token = buffer.slice(at, end)
    at = end
    searched = end
    for (let feed = token.indexOf('\n'); feed >= 0; feed = token.indexOf('\n', feed + 1)) line++
    return token
  }

  /** The end of a token that `terminator` closes, or -1 when it has not come yet. */
  function endOf(terminator: string, from: number): number {
    const found = buffer.indexOf(terminator, Math.max(from, searched - terminator.length + 1))
    return found < 0 ? wait() : found + terminator.length
  }

  function wait(): -1 {
    searched = buffer.length
    if (buffer.length - at > maxTokenChars) fail(`a tag or text is longer than ${maxTokenChars} characters`)
    return -1
  }

  /** A `>` in a quoted value ends no tag. Looks again from the start of the tag, which costs no more than its length once. */
  function endOfTag(): number {
    const mark = /['">]/g
    mark.lastIndex = at
    for (let found = mark.exec(buffer); found !== null; found = mark.exec(buffer)) {
      if (found[0] === '>') return mark.lastIndex
      const close = buffer.indexOf(found[0], mark.lastIndex)
      if (close < 0) return wait()
      mark.lastIndex = close + 1
    }
    return wait()
  }

  function readText(): XmlToken | 'more' | 'again' {
    let end = buffer.indexOf('<', searched)
    if (end < 0) {
      if (!ended) {
        wait()
        return 'more'
      }
      end = buffer.length
    }
    const from = line
    const raw = take(end)
    const isBlank = isWhiteSpace(raw)
    if (open.length === 0) return isBlank ? 'again' : fail('text outside the root element', from)
    if (raw.includes(']]>')) fail('"]]>" in text', from)
    return { kind: 'text', text: expand(raw, from, fail), isBlank, line: from }
  }

  function readStart(): XmlToken | 'more' {
    const end = endOfTag()
    if (end < 0) return 'more'
    if (open.length === 0 && hasRoot) fail('a second root element')
    if (open.length >= maxDepth) fail(`elements are nested more than ${maxDepth} deep`)
    const from = line
    const tag = take(end)
    const { name: tagName, attributes, isEmpty } = parseTag(tag, from, fail)
    hasRoot = true
    open.push(tagName)
    if (isEmpty) closing = tagName
    return { kind: 'start', name: tagName, attributes, line: from }
  }

  function readEnd(): XmlToken | 'more' {
    const end = endOf('>', at)
    if (end < 0) return 'more'
    const from = line
    const closed = endTag.exec(take(end))?.[1]
    if (closed === undefined) fail('malformed end tag', from)
    const expected = open.pop()
    if (closed !== expected)
      fail(`</${closed}> where ${expected === undefined ? 'nothing' : `<${expected}>`} is open`, from)
    return { kind: 'end', name: closed, line: from }
  }

  function readCdata(): XmlToken | 'more' {
    const end = endOf(']]>', at + longestOpening)
    if (end < 0) return 'more'
    if (open.length === 0) fail('text outside the root element')
    const from = line
    const text = withLineFeeds(take(end).slice(longestOpening, -3))
    return { kind: 'text', text, isBlank: false, line: from }
  }

  /** Comments, instructions and what stands before the root: nothing to pass on. */
  function readOver(
    terminator: string,
    openingLength: number,
    check: (token: string, from: number) => void,
  ): 'more' | 'again' {
    const end = terminator === '' ? endOfTag() : endOf(terminator, at + openingLength)
    if (end < 0) return 'more'
    const from = line
    check(take(end), from)
    return 'again'
  }

  function checkInstruction(token: string, from: number, isFirst: boolean): void {
    const target = instruction.exec(token)?.[1]
    if (target === undefined) fail('malformed processing instruction', from)
    if (target.toLowerCase() !== 'xml') return
    const declared = isFirst ? xmlDeclaration.exec(token) : null
    if (declared === null) fail('malformed XML declaration, or one that is not at the start', from)
    const encoding = declared[1] ?? declared[2] ?? 'utf-8'
    if (!/^(?:utf-8|us-ascii)$/i.test(encoding)) fail(`the encoding ${encoding} is not supported, only UTF-8`, from)
  }

  function checkDoctype(token: string, from: number): void {
    if (hasRoot) fail('a document type after the start of the root element', from)
    if (!doctype.test(token))
      fail('malformed document type, or one with an internal subset, which is not supported', from)
  }

  function readMarkup(): XmlToken | 'more' | 'again' {
    if (buffer.length - at < longestOpening && !ended) return 'more'
    const isFirst = atStart
    atStart = false
    if (buffer.startsWith('</', at)) return readEnd()
    if (buffer.startsWith('<!--', at)) {
      return readOver('-->', 4, (token, from) => {
        const inner = token.slice(4, -3)
        if (inner.includes('--') || inner.endsWith('-')) fail('"--" in a comment', from)
      })
    }
    if (buffer.startsWith('<![CDATA[', at)) return readCdata()
    if (buffer.startsWith('<!', at)) return readOver('', 2, checkDoctype)
    if (buffer.startsWith('<?', at)) {
      const outcome = readOver('?>', 2, (token, from) => checkInstruction(token, from, isFirst))
      // The whole of it may be still to come: it stands at the start all the same.
      if (outcome === 'more') atStart = isFirst
      return outcome
    }
    return readStart()
  }

  function finish(): null {
    if (open.length > 0) fail(`the text ends inside <${open.at(-1)}>`)
    if (!hasRoot) fail('no root element')
    return null
  }

  return {
    push(text) {
      const wrong = forbiddenAt(text)
      if (wrong >= 0) {
        const before = `${buffer.slice(at)}${text.slice(0, wrong)}`
        const code = text.charCodeAt(wrong).toString(16).toUpperCase().padStart(4, '0')
        fail(`the character U+${code} is not allowed in XML`, line + before.split('\n').length - 1)
      }
      usedBefore += at
      buffer = buffer.slice(at) + text
      searched -= at
      at = 0
    },
    end() {
      ended = true
    },
    left: () => buffer.length - at,
    used: () => usedBefore + at,
    next() {
      if (closing !== null) {
        const closed = closing
        closing = null
        open.pop()
        return { kind: 'end', name: closed, line }
      }
      for (;;) {
        if (at >= buffer.length) return ended ? finish() : 'more'
        let token: XmlToken | 'more' | 'again'
        if (buffer.charCodeAt(at) === 0x3c) token = readMarkup()
        else {
          atStart = false
          token = readText()
        }
        if (token === 'more' && ended) fail('the text ends inside a tag, comment or instruction')
        if (token !== 'again') return token
      }
    },
  }
}
