import { type CssToken, type CssTokens, createCssTokens, plainName } from '../css/css-tokens.ts'

/** The address of an imported sheet and the rules around it, outermost first: `@layer a`, `@media print`. */
export type CssImport = { address: string; around: string[] }

/** Reads an `@import` to its end, with `textOf` for the tokens of its conditions. Null if it is invalid. */
export function readCssImport(tokens: CssTokens, textOf: (token: CssToken) => string): CssImport | null {
  let token = solid(tokens)
  if (token?.kind === 'function' && plainName(token.text) === 'url') {
    const text = tokens.string()
    readTo(tokens, ')', textOf)
    token = text === null ? null : { kind: 'string', text }
  }
  if (token === null || (token.kind !== 'string' && token.kind !== 'url')) {
    if (token?.text !== ';') readTo(tokens, ';', textOf)
    return null
  }
  const around: string[] = []
  let media = ''
  let isFirst = true
  for (let next = tokens.next(); next !== null && !isPlain(next, ';'); next = tokens.next()) {
    const name = next.kind === 'function' || next.kind === 'ident' ? plainName(next.text) : ''
    if (isFirst && name === 'layer') around.push(`@layer ${next.kind === 'ident' ? '' : readTo(tokens, ')', textOf)}`)
    else if (isFirst && name === 'supports' && next.kind === 'function')
      around.push(`@supports (${readTo(tokens, ')', textOf)})`)
    else if (isPlain(next, '{')) {
      readTo(tokens, '}', textOf)
      return null
    } else {
      media += textOf(next)
      isFirst &&= next.kind === 'blank'
    }
  }
  if (media.trim() !== '') around.push(`@media ${media.trim()}`)
  return { address: token.text, around }
}

/** An imported sheet in the place of its rule. What it leaves open ends with it. */
export function importedSheet(sheet: string, around: readonly string[]): string {
  const whole = sheet + missingEnds(sheet)
  return around.reduceRight((inner, rule) => `${rule}{${inner}}`, whole)
}

const ends: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
])

function endOf({ kind, text }: CssToken): string | undefined {
  if (kind === 'function') return ')'
  return kind === 'plain' ? ends.get(text) : undefined
}

function missingEnds(sheet: string): string {
  const tokens = createCssTokens(sheet)
  const open: string[] = []
  for (let token = tokens.next(); token !== null; token = tokens.next()) {
    const end = endOf(token)
    if (end !== undefined) open.push(end)
    else if (token.kind === 'plain' && token.text === open.at(-1)) open.pop()
  }
  return open.reverse().join('')
}

/** The text up to this end, which is read too; nested parentheses and blocks belong to it. */
function readTo(tokens: CssTokens, end: string, textOf: (token: CssToken) => string): string {
  const open = [end]
  let text = ''
  for (let token = tokens.next(); token !== null; token = tokens.next()) {
    if (isPlain(token, open.at(-1)!)) open.pop()
    else {
      const inner = endOf(token)
      if (inner !== undefined) open.push(inner)
    }
    if (open.length === 0) break
    text += textOf(token)
  }
  return text
}

function solid(tokens: CssTokens): CssToken | null {
  let token = tokens.next()
  while (token?.kind === 'blank') token = tokens.next()
  return token
}

function isPlain(token: CssToken, text: string): boolean {
  return token.kind === 'plain' && token.text === text
}
