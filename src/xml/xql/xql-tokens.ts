/** Tokens of XPath 1.0 and of XQL. `at` is the index of the first character. */
export type XqlToken = { kind: XqlTokenKind; text: string; at: number }

/** `xql` is an operator between dollar signs. A name or a star in the position of an operator is one. */
export type XqlTokenKind = 'literal' | 'number' | 'name' | 'variable' | 'operator' | 'xql' | 'mark'

/** A syntax error in a query, and its position. */
export class XqlError extends Error {
  readonly at: number

  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

const nameStart = String.raw`[\p{L}_]`
const ncName = String.raw`${nameStart}[\p{L}\p{M}\p{N}._\-·]*`
const patterns: readonly [XqlTokenKind, RegExp][] = [
  ['literal', /"[^"]*"|'[^']*'/uy],
  ['number', /\d+(?:\.\d*)?|\.\d+/uy],
  ['xql', /\$[A-Za-z]+\$/uy],
  ['variable', new RegExp(String.raw`\$${ncName}(?::${ncName})?`, 'uy')],
  ['name', new RegExp(String.raw`${ncName}(?::(?:${ncName}|\*))?`, 'uy')],
  ['mark', /::|\/\/|\.\.|&&|\|\||!=|<=|>=|[()[\],@./|+\-=<>*!]/uy],
]
const operatorMarks = new Set(['|', '+', '-', '=', '!=', '<', '<=', '>', '>=', '&&', '||', '/', '//'])
const operatorNames = new Set(['and', 'or', 'div', 'mod'])
/** An operand follows these: there a star is any name, and `and` is a name. */
const beforeOperand = new Set(['@', '::', '(', '[', ','])

export function xqlTokens(query: string): XqlToken[] {
  const tokens: XqlToken[] = []
  for (let at = 0; ; ) {
    while (/\s/.test(query[at] ?? '')) at++
    if (at >= query.length) return tokens
    const token = tokenAt(query, at)
    tokens.push({ ...token, kind: kindOf(token, tokens.at(-1)) })
    at += token.text.length
  }
}

function tokenAt(query: string, at: number): XqlToken {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at
    const text = pattern.exec(query)?.[0]
    if (text !== undefined) return { kind, text, at }
  }
  const character = String.fromCodePoint(query.codePointAt(at)!)
  if (character === '"' || character === "'") throw new XqlError(at, 'a quote that is never closed')
  throw new XqlError(at, `unexpected ${JSON.stringify(character)}`)
}

function kindOf({ kind, text }: XqlToken, before: XqlToken | undefined): XqlTokenKind {
  const needsOperand =
    before === undefined || before.kind === 'operator' || before.kind === 'xql' || beforeOperand.has(before.text)
  if (kind === 'name' && operatorNames.has(text) && !needsOperand) return 'operator'
  if (kind !== 'mark') return kind
  if (text === '*') return needsOperand ? 'name' : 'operator'
  return operatorMarks.has(text) ? 'operator' : 'mark'
}
