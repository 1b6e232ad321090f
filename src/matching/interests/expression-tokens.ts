/** A token of an expression as written, with its position. */
export type ExpressionToken = { readonly at: number } & (
  | { readonly kind: 'open' | 'close' | 'and' | 'or' | 'not' }
  | { readonly kind: 'text'; readonly field: string; readonly text: string; readonly quoted: boolean }
  | { readonly kind: 'pattern'; readonly field: string; readonly source: string; readonly flags: string }
  | { readonly kind: 'wrong'; readonly message: string }
)

const operators: ReadonlyMap<string, 'and' | 'or' | 'not'> = new Map([
  ['AND', 'and'],
  ['OR', 'or'],
  ['NOT', 'not'],
])
const white = /\s/
const fieldName = /([A-Za-z]+):(?!\/\/)/y
const wordEnd = /[\s()"]|$/g

/** Splits an expression into tokens, in one pass. */
export function expressionTokens(source: string): ExpressionToken[] {
  const tokens: ExpressionToken[] = []
  let at = 0
  while (at < source.length) {
    const c = source[at]!
    if (white.test(c)) at++
    else if (c === '(' || c === ')') tokens.push({ kind: c === '(' ? 'open' : 'close', at: at++ })
    // A minus at the start of a word is a "not"; within a word it is a hyphen.
    else if (c === '-') tokens.push({ kind: 'not', at: at++ })
    else at = readTerm(source, at, tokens)
  }
  return tokens
}

function readTerm(source: string, at: number, tokens: ExpressionToken[]): number {
  fieldName.lastIndex = at
  const named = source[at] === '"' || source[at] === '/' ? null : fieldName.exec(source)
  const field = named === null ? '' : named[1]!.toLowerCase()
  const from = at + (named === null ? 0 : named[0].length)
  if (source[from] === '"') return readQuoted(source, at, from, field, tokens)
  if (source[from] === '/') return readPatternSource(source, at, from, field, tokens)
  wordEnd.lastIndex = from
  const end = wordEnd.exec(source)!.index
  const text = source.slice(from, end)
  const operator = field === '' ? operators.get(text) : undefined
  tokens.push(operator === undefined ? { kind: 'text', at, field, text, quoted: false } : { kind: operator, at })
  return end
}

function readQuoted(source: string, at: number, from: number, field: string, tokens: ExpressionToken[]): number {
  const close = source.indexOf('"', from + 1)
  if (close === -1) {
    tokens.push({ kind: 'wrong', at: from, message: 'the quote is never closed' })
    return source.length
  }
  const star = source[close + 1] === '*' ? '*' : ''
  tokens.push({ kind: 'text', at, field, text: source.slice(from + 1, close) + star, quoted: true })
  return close + 1 + star.length
}

/** Up to the next slash that is neither escaped nor in a character class. */
function readPatternSource(source: string, at: number, from: number, field: string, tokens: ExpressionToken[]): number {
  let inClass = false
  for (let end = from + 1; end < source.length; end++) {
    const c = source[end]
    if (c === '\\') end++
    else if (c === '[') inClass = true
    else if (c === ']') inClass = false
    else if (c === '/' && !inClass) {
      const flags = /^[a-z]*/i.exec(source.slice(end + 1, end + 20))![0]
      tokens.push({ kind: 'pattern', at, field, source: source.slice(from + 1, end), flags })
      return end + 1 + flags.length
    }
  }
  tokens.push({ kind: 'wrong', at: from, message: 'the regular expression is never closed' })
  return source.length
}
