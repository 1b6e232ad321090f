import { hash } from 'node:crypto'
import { createPattern, type Pattern } from '../pattern/pattern.ts'
import type { ElementCutter } from './omit-elements.ts'

/** What is left out of the text of documents before it is compared: regions that change without meaning anything. */
export type OmitRule = {
  /** A host, a domain (`.example.org`), the beginning of a URL, or `*` for all. */
  match: string
  /** CSS selectors of elements that are left out with all that is in them. */
  selectors: readonly string[]
  /** Regular expressions; each match is cut out of the text. */
  patterns: readonly string[]
}

/** All rules that apply to one document. */
export type OmitRules = {
  /** Positive, 31 bits, made of the rules alone: equal rules have equal ids, over restarts. */
  readonly id: number
  readonly elements: ElementCutter | null
  readonly patterns: readonly Pattern[]
}

/** Throws `usage-wrong`, naming it, where a place, selector or expression is wrong. */
export function createOmitRules(rules: readonly OmitRule[]): (url: string) => OmitRules | null {
  const all = rules.map((rule) => ({ ...rule, compiled: rule.patterns.map((source) => createPattern(source)) }))
  return (url) => {
    const found = all.filter(({ match }) => match === '*' || url.includes(match))
    if (found.length === 0) return null
    const selectors = found.flatMap((rule) => rule.selectors)
    const patterns = found.flatMap((rule) => rule.compiled)
    const name = JSON.stringify([selectors, patterns.map(({ source }) => source)])
    return { id: (hash('sha256', name, 'buffer').readUInt32BE(0) & 0x7fffffff) || 1, elements: null, patterns }
  }
}
