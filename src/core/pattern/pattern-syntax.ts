import { type CharacterSet, inverted, rangeOf, setOf, union } from './character-set.ts'

/**
 * Parses the part of JavaScript's regular expression syntax that can be matched in linear time: everything but look-around, back references
 * and Unicode properties. The text has already passed `new RegExp`, so brackets match and quantifiers have an operand; only unsupported
 * syntax remains to be detected.
 */
export type PatternNode =
  | { kind: 'set'; set: CharacterSet }
  | { kind: 'sequence'; parts: PatternNode[] }
  | { kind: 'choice'; options: PatternNode[] }
  | { kind: 'repeat'; part: PatternNode; min: number; max: number; isLazy: boolean }
  | { kind: 'assert'; what: 'start' | 'end' | 'boundary' | 'inside' }

export type PatternSyntax = { kind: 'ok'; root: PatternNode } | { kind: 'unsupported'; what: string }

/** Maximum nesting of groups, so that neither parsing nor compiling can exhaust the stack. */
const maxDepth = 50

type Reader = { readonly text: string; at: number; depth: number; unsupported: string | null }

export function readPattern(text: string): PatternSyntax {
  const reader: Reader = { text, at: 0, depth: 0, unsupported: null }
  const root = readChoice(reader)
  if (reader.unsupported === null && reader.at < text.length) reader.unsupported = `"${text[reader.at]}" at this place`
  return reader.unsupported === null ? { kind: 'ok', root } : { kind: 'unsupported', what: reader.unsupported }
}

function readChoice(reader: Reader): PatternNode {
  const options = [readSequence(reader)]
  while (reader.text[reader.at] === '|' && reader.unsupported === null) {
    reader.at++
    options.push(readSequence(reader))
  }
  return options.length === 1 ? options[0]! : { kind: 'choice', options }
}

function readSequence(reader: Reader): PatternNode {
  const parts: PatternNode[] = []
  while (reader.at < reader.text.length && reader.unsupported === null) {
    const c = reader.text[reader.at]
    if (c === '|' || c === ')') break
    parts.push(readQuantified(reader))
  }
  return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts }
}

function readQuantified(reader: Reader): PatternNode {
  const part = readAtom(reader)
  const rest = reader.text.slice(reader.at, reader.at + 20)
  const match = /^(?:([*+?])|\{(\d{1,6})(?:(,)(\d{0,6}))?\})\??/.exec(rest)
  if (match === null) {
    if (/^\{\d+(?:,\d*)?\}/.test(rest)) reader.unsupported = 'a repetition of more than 999,999 times'
    return part
  }
  reader.at += match[0].length
  const isLazy = match[0].length > 1 && match[0].endsWith('?')
  const sign = match[1]
  if (sign !== undefined) {
    return { kind: 'repeat', part, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY, isLazy }
  }
  const min = Number(match[2])
  const max = match[3] === undefined ? min : match[4] === '' ? Number.POSITIVE_INFINITY : Number(match[4])
  return { kind: 'repeat', part, min, max, isLazy }
}

function readAtom(reader: Reader): PatternNode {
  const c = reader.text[reader.at++]!
  switch (c) {
    case '(':
      return readGroup(reader)
    case '[':
      return { kind: 'set', set: readClass(reader) }
    case '.':
      return { kind: 'set', set: inverted(lineEnds) }
    case '^':
      return { kind: 'assert', what: 'start' }
    case '$':
      return { kind: 'assert', what: 'end' }
    case '\\':
      return readEscape(reader)
    default:
      return { kind: 'set', set: setOf(c) }
  }
}

function readGroup(reader: Reader): PatternNode {
  const opening = /^\?(?::|<[A-Za-z_$][\w$]*>)/.exec(reader.text.slice(reader.at, reader.at + 60))
  if (opening !== null) reader.at += opening[0].length
  else if (reader.text[reader.at] === '?') {
    reader.unsupported = `(${reader.text.slice(reader.at, reader.at + 3)}`
  }
  if (++reader.depth > maxDepth) reader.unsupported = `more than ${maxDepth} groups within each other`
  const node: PatternNode = reader.unsupported === null ? readChoice(reader) : { kind: 'sequence', parts: [] }
  reader.depth--
  reader.at++
  return node
}

function readEscape(reader: Reader): PatternNode {
  const c = reader.text[reader.at]
  if (c === 'b' || c === 'B') {
    reader.at++
    return { kind: 'assert', what: c === 'b' ? 'boundary' : 'inside' }
  }
  return { kind: 'set', set: readEscapedSet(reader) }
}

function readClass(reader: Reader): CharacterSet {
  const negated = reader.text[reader.at] === '^'
  if (negated) reader.at++
  const parts: CharacterSet[] = []
  while (reader.at < reader.text.length && reader.text[reader.at] !== ']' && reader.unsupported === null) {
    const from = readClassAtom(reader)
    if (reader.text[reader.at] !== '-' || reader.text[reader.at + 1] === ']') {
      parts.push(from.set)
      continue
    }
    reader.at++
    const to = readClassAtom(reader)
    // `[\w-x]` is not a range: the dash is literal.
    if (from.code < 0 || to.code < 0) parts.push(from.set, to.set, setOf('-'))
    else parts.push(rangeOf(from.code, to.code))
  }
  reader.at++
  const set = union(parts)
  return negated ? inverted(set) : set
}

/** One member of a class; `code` is -1 if it is a set of several. */
function readClassAtom(reader: Reader): { set: CharacterSet; code: number } {
  const c = reader.text[reader.at++]!
  if (c !== '\\') return { set: setOf(c), code: c.charCodeAt(0) }
  if (reader.text[reader.at] === 'b') {
    reader.at++
    return { set: setOf('\b'), code: 8 }
  }
  const set = readEscapedSet(reader)
  return { set, code: set.length === 2 && set[0] === set[1] ? set[0]! : -1 }
}

const controls: ReadonlyMap<string, string> = new Map(Object.entries({ t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' }))

/** The set after a backslash, inside or outside a class. */
function readEscapedSet(reader: Reader): CharacterSet {
  const c = reader.text[reader.at++] ?? ''
  switch (c) {
    case 'd':
      return digits
    case 'D':
      return inverted(digits)
    case 'w':
      return wordCharacters
    case 'W':
      return inverted(wordCharacters)
    case 's':
      return spaces
    case 'S':
      return inverted(spaces)
    case 'x':
    case 'u': {
      const length = c === 'x' ? 2 : 4
      const hex = reader.text.slice(reader.at, reader.at + length)
      if (!/^[0-9a-fA-F]+$/.test(hex) || hex.length < length) break
      reader.at += length
      return setOf(String.fromCharCode(Number.parseInt(hex, 16)))
    }
  }
  const control = controls.get(c)
  if (control !== undefined) return setOf(control)
  if (c === '' || /[A-Za-z0-9]/.test(c)) reader.unsupported = `\\${c}`
  return setOf(c)
}

const digits = rangeOf(0x30, 0x39)
const wordCharacters = union([digits, rangeOf(0x41, 0x5a), setOf('_'), rangeOf(0x61, 0x7a)])
const lineEnds = setOf('\n\r\u2028\u2029')
const spaces = union([setOf(' \t\n\v\f\r\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff'), rangeOf(0x2000, 0x200a)])
