import { createCssTokens, plainName } from './css-tokens.ts'

/** Most style sheets name no other file; an escape may hide that they do. */
const mayName = /url\(|src\(|image-set\(|@import|\\/i

/** At-rules whose addresses only name something. */
const namingRules: ReadonlySet<string> = new Set(['namespace', 'document'])

/**
 * The addresses of everything that a style sheet, or the value of a style attribute, loads: imported sheets, pictures, fonts. Each one once,
 * as written there. An attribute can't import.
 */
export function cssAddresses(source: string, from: 'sheet' | 'attribute' = 'sheet'): string[] {
  if (!mayName.test(source)) return []
  const tokens = createCssTokens(source)
  const found = new Set<string>()
  /** For each open parenthesis, whether strings directly in it are addresses. */
  const open: boolean[] = []
  let isImport = false
  let isNamingRule = false
  for (let token = tokens.next(); token !== null; token = tokens.next()) {
    const { kind, text } = token
    if (kind === 'blank') continue
    const isAddress = kind === 'url' || (kind === 'string' && (isImport || open.at(-1) === true))
    if (isAddress && !isNamingRule) found.add(text)
    isImport = from === 'sheet' && kind === 'at' && plainName(text) === 'import'
    if (kind === 'at') isNamingRule = namingRules.has(plainName(text))
    else if (kind === 'function') open.push(loads(text))
    else if (kind === 'plain' && text === '(') open.push(false)
    else if (kind === 'plain' && text === ')') open.pop()
    else if (kind === 'plain' && (text === ';' || text === '{')) isNamingRule = false
  }
  return [...found]
}

function loads(name: string): boolean {
  const plain = plainName(name)
  return plain === 'url' || plain === 'src' || plain === 'image-set'
}
