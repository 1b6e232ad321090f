import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { AppError } from '../errors.ts'
import { createPattern, type Pattern } from '../pattern/pattern.ts'
import { createSourceMatch, type SourceMatch } from '../url/source-match.ts'
import type { ElementCutter } from './omit-elements.ts'

/** What to leave out of documents before comparing them: regions whose changes don't matter. */
export type OmitRule = {
  /** A host, a domain (`.example.org`), a URL prefix, or `*` for all. */
  match: string
  /** CSS selectors of elements to leave out, with their content. */
  selectors: readonly string[]
  /**
   * Regular expressions; each match is cut out of the text, in which each block is a line. White space is one space or, at the end of a
   * block, one line break: `\s` matches both, `.` only the space.
   */
  patterns: readonly string[]
}

/** All rules that apply to one document, merged. */
export type OmitRules = {
  /** Positive, 31 bits, derived from the rules alone: equal rules have equal ids, across restarts and in any order. */
  readonly id: number
  readonly elements: ElementCutter | null
  readonly patterns: readonly Pattern[]
}

type Elements = typeof import('./omit-elements.ts')
let loaded: Elements | null = null

/** Loaded with the first selector: the parser and the selector engine take 20 MB and 70 ms per thread. */
function elements(): Elements {
  loaded ??= createRequire(import.meta.url)(import.meta.url.replace(/.*\/omit-rules/, './omit-elements')) as Elements
  return loaded
}

const maxRules = 1000
const maxItems = 200
const maxSelectorLength = 2000
const maxRemembered = 1000

type Reading = { readonly matches: SourceMatch; readonly rule: OmitRule }

/** Throws `usage-wrong`, naming the culprit, if a `match`, a selector or an expression is invalid. */
export function createOmitRules(rules: readonly OmitRule[]): (url: string) => OmitRules | null {
  if (rules.length > maxRules) throw new AppError('usage-wrong', `more than ${maxRules} omit rules`)
  const patterns = new Map<string, Pattern>()
  const readings = rules.map((rule) => readRule(rule, patterns)).filter(({ rule }) => !isEmpty(rule))
  // Pages of one site match the same rules, so little is compiled more than once.
  const remembered = new Map<string, OmitRules>()
  return (url) => {
    let name = ''
    for (let i = 0; i < readings.length; i++) if (readings[i]!.matches(url)) name += `${i},`
    if (name === '') return null
    const known = remembered.get(name)
    if (known !== undefined) return known
    const applying = name.split(',').slice(0, -1)
    const found = joinRules(
      applying.map((index) => readings[Number(index)]!.rule),
      patterns,
    )
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(name, found)
    return found
  }
}

function readRule(rule: OmitRule, patterns: Map<string, Pattern>): Reading {
  const matches = createSourceMatch(rule.match)
  if (matches === null) {
    throw new AppError('usage-wrong', `not a host, domain, URL or *: ${JSON.stringify(rule.match.slice(0, 80))}`)
  }
  if (rule.selectors.length + rule.patterns.length > maxItems) {
    throw new AppError('usage-wrong', `more than ${maxItems} selectors and expressions for ${rule.match}`)
  }
  for (const selector of rule.selectors) {
    if (selector.length > maxSelectorLength) {
      throw new AppError('usage-wrong', `a selector for ${rule.match} is longer than ${maxSelectorLength} characters`)
    }
    elements().checkSelector(selector)
  }
  for (const source of rule.patterns) if (!patterns.has(source)) patterns.set(source, createPattern(source))
  return { matches, rule }
}

function isEmpty({ selectors, patterns }: OmitRule): boolean {
  return selectors.length + patterns.length === 0
}

function joinRules(rules: readonly OmitRule[], patterns: ReadonlyMap<string, Pattern>): OmitRules {
  const selectors = [...new Set(rules.flatMap((rule) => rule.selectors))].sort()
  const sources = [...new Set(rules.flatMap((rule) => rule.patterns))].sort()
  const digest = hash('sha256', JSON.stringify([selectors, sources]), 'buffer')
  return {
    id: digest.readUInt32BE(0) & 0x7fffffff || 1,
    elements: selectors.length === 0 ? null : elements().createElementCutter(selectors),
    patterns: sources.map((source) => patterns.get(source)!),
  }
}
