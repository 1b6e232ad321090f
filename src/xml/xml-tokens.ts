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

/** Thrown when reading can't continue. Callers translate it to an error code, as this part has none. */
export class InvalidXmlError extends Error {
  readonly error: XmlError

  constructor(error: XmlError) {
    super(`line ${error.line}: ${error.message}`)
    this.name = 'InvalidXmlError'
    this.error = error
  }
}

/**
 * Reads XML 1.0 strictly: the tokens it yields are well-formed so far. Comments and processing instructions are skipped. Only the
 * five entities of XML itself are known. A document type with an internal subset is rejected, and an external one is never opened:
 * nothing is expanded and nothing is fetched. Names are ASCII, as in all our grammars.
 */
export type XmlToken =
  | { kind: 'start'; name: string; attributes: ReadonlyMap<string, string>; line: number }
  | { kind: 'end'; name: string; line: number }
  | { kind: 'text'; text: string; line: number }

const openingOfCdata = '<![CDATA['
/** Limit for one tag or one text. */
const MAX_TOKEN_CHARS = 1_000_000

export function* xmlTokens(text: string, maxDepth: number): Generator<XmlToken, void, undefined> {
  const open: string[] = []
  let at = 0
  let line = 1
  let hasRoot = false

  function fail(message: string, atLine = line): never {
    throw new InvalidXmlError({ line: atLine, message })
  }

  /** Returns the token from `at` to `end`, moves past it and counts its lines. */
  function take(end: number): string {
    if (end - at > MAX_TOKEN_CHARS) fail(`a tag or text is longer than ${MAX_TOKEN_CHARS} characters`)
    const token = text.slice(at, end)
    at = end
    for (let feed = token.indexOf('\n'); feed >= 0; feed = token.indexOf('\n', feed + 1)) line++
    return token
  }

  function endOf(terminator: string, from = at): number {
    const found = text.indexOf(terminator, from)
    return found < 0 ? fail('the text ends inside a tag, comment or instruction') : found + terminator.length
  }

  /** A `>` in a quoted value does not end the tag. */
  function endOfTag(): number {
    const mark = /['">]/g
    mark.lastIndex = at
    for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
      if (found[0] === '>') return mark.lastIndex
      mark.lastIndex = endOf(found[0], mark.lastIndex)
    }
    return fail('the text ends inside a tag')
  }

  function readText(raw: string, from: number): XmlToken | null {
    if (open.length === 0) return isWhiteSpace(raw) ? null : fail('text outside the root element', from)
    if (raw.includes(']]>')) fail('"]]>" in text', from)
    return { kind: 'text', text: expand(raw, from, fail), line: from }
  }

  function readEnd(from: number): XmlToken {
    const closed = endTag.exec(take(endOf('>')))?.[1]
    if (closed === undefined) fail('malformed end tag', from)
    const expected = open.pop()
    if (closed !== expected)
      fail(`</${closed}> where ${expected === undefined ? 'nothing' : `<${expected}>`} is open`, from)
    return { kind: 'end', name: closed, line: from }
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

  /** Skips markup that yields no token: comments, instructions, the document type. False if there is none here. */
  function skipped(from: number): boolean {
    if (text.startsWith('<!--', at)) {
      const inner = take(endOf('-->', at + 4)).slice(4, -3)
      if (inner.includes('--') || inner.endsWith('-')) fail('"--" in a comment', from)
    } else if (text.startsWith('<?', at)) {
      const isFirst = at === 0
      checkInstruction(take(endOf('?>', at + 2)), from, isFirst)
    } else if (text.startsWith('<!', at) && !text.startsWith(openingOfCdata, at)) checkDoctype(take(endOfTag()), from)
    else return false
    return true
  }

  const wrong = forbiddenAt(text)
  if (wrong >= 0) {
    const code = text.charCodeAt(wrong).toString(16).toUpperCase().padStart(4, '0')
    fail(`the character U+${code} is not allowed in XML`, text.slice(0, wrong).split('\n').length)
  }
  while (at < text.length) {
    const from = line
    if (text[at] !== '<') {
      const next = text.indexOf('<', at)
      const token = readText(take(next < 0 ? text.length : next), from)
      if (token !== null) yield token
    } else if (text.startsWith('</', at)) yield readEnd(from)
    else if (text.startsWith(openingOfCdata, at)) {
      if (open.length === 0) fail('text outside the root element')
      const inner = take(endOf(']]>', at + openingOfCdata.length)).slice(openingOfCdata.length, -3)
      yield { kind: 'text', text: withLineFeeds(inner), line: from }
    } else if (!skipped(from)) {
      if (open.length === 0 && hasRoot) fail('a second root element')
      if (open.length >= maxDepth) fail(`elements are nested more than ${maxDepth} deep`)
      const { name, attributes, isEmpty } = parseTag(take(endOfTag()), from, fail)
      hasRoot = true
      open.push(name)
      yield { kind: 'start', name, attributes, line: from }
      if (!isEmpty) continue
      open.pop()
      yield { kind: 'end', name, line }
    }
  }
  if (open.length > 0) fail(`the text ends inside <${open.at(-1)}>`)
  if (!hasRoot) fail('no root element')
}
