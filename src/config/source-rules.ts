import { isAppError } from '../core/errors.ts'
import { createOmitRules, type OmitRule } from '../core/text/omit-rules.ts'
import { createSourceMatch } from '../core/url/source-match.ts'
import { nearMiss } from './near-miss.ts'
import { type PartError, parseRetention, type Retention, show } from './retention.ts'

/** A rule for specific sources. */
export type SourceRule = {
  /** A host, a domain (`.example.org`), the start of a URL, or `*` for all. */
  readonly match: string
  /** CSS selectors of page parts to ignore when comparing. */
  readonly omit: readonly string[]
  /** Regular expressions of text to ignore when comparing. */
  readonly omitText: readonly string[]
  /** Null defers to the next matching rule, or to the global setting. */
  readonly retention: Retention | null
}

const MAX_RULES = 1000
const MAX_ITEMS = 200
const MAX_ITEM_CHARS = 2000
const MAX_TEXT_CHARS = 1_000_000
const ruleKeys = ['match', 'omit', 'omitText', 'retention'] as const
type RuleKey = (typeof ruleKeys)[number]

const sourcesExpected = 'a list of rules such as { match: ".example.org", omit: [".banner"], retention: "90d" }'

/** Reads a list of rules, or its JSON text. Undefined, with errors added, when it is invalid. */
export function parseSources(value: unknown, errors: PartError[]): readonly SourceRule[] | undefined {
  const list = typeof value === 'string' ? fromJson(value) : value
  if (!Array.isArray(list)) {
    errors.push({ at: '', message: `expected ${sourcesExpected}, not ${show(value)}` })
    return undefined
  }
  if (list.length > MAX_RULES) {
    errors.push({ at: '', message: `has ${list.length} rules; at most ${MAX_RULES} are allowed` })
    return undefined
  }
  const errorsBefore = errors.length
  const rules = list.map((rule: unknown, index) => parseRule(rule, `[${index}]`, errors))
  return errors.length > errorsBefore ? undefined : Object.freeze(rules.filter((rule) => rule !== undefined))
}

/** The rules that omit content, in the form the text extraction takes. */
export function omitRulesOf(sources: readonly SourceRule[]): OmitRule[] {
  return sources
    .filter(({ omit, omitText }) => omit.length + omitText.length > 0)
    .map(({ match, omit, omitText }) => ({ match, selectors: omit, patterns: omitText }))
}

function fromJson(text: string): unknown {
  if (text.length > MAX_TEXT_CHARS) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseRule(value: unknown, at: string, errors: PartError[]): SourceRule | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    errors.push({
      at,
      message: `expected an object with match and ${ruleKeys.slice(1).join(', ')}, not ${show(value)}`,
    })
    return undefined
  }
  const errorsBefore = errors.length
  const names = Object.keys(value).slice(0, 20)
  for (const name of names) {
    if ((ruleKeys as readonly string[]).includes(name)) continue
    const near = nearMiss(name, ruleKeys)
    const hint = near === undefined ? ` (keys: ${ruleKeys.join(', ')})` : `; did you mean ${near}?`
    errors.push({ at: `${at}.${name.slice(0, 40)}`, message: `unknown key${hint}` })
  }
  const given = value as Partial<Record<RuleKey, unknown>>
  const match = parseMatch(given.match, `${at}.match`, errors)
  const omit = parseItems(given.omit, `${at}.omit`, errors, (selector) => ruleOf([selector], []))
  const omitText = parseItems(given.omitText, `${at}.omitText`, errors, (pattern) => ruleOf([], [pattern]))
  const retention =
    given.retention === undefined ? null : (parseRetention(given.retention, `${at}.retention`, errors) ?? null)
  return errors.length > errorsBefore ? undefined : Object.freeze({ match, omit, omitText, retention })
}

function parseMatch(value: unknown, at: string, errors: PartError[]): string {
  const text = typeof value === 'string' && value.length <= MAX_ITEM_CHARS ? value.trim() : ''
  if (createSourceMatch(text) !== null) return text
  const what = 'a host, a domain such as .example.org, the start of a URL, or *'
  errors.push({ at, message: value === undefined ? `is missing: ${what}` : `expected ${what}, not ${show(value)}` })
  return ''
}

function ruleOf(selectors: string[], patterns: string[]): OmitRule {
  return { match: '*', selectors, patterns }
}

function parseItems(
  value: unknown,
  at: string,
  errors: PartError[],
  ruleFor: (item: string) => OmitRule,
): readonly string[] {
  if (value === undefined) return Object.freeze([])
  if (!Array.isArray(value) || value.length > MAX_ITEMS) {
    errors.push({ at, message: `expected a list of at most ${MAX_ITEMS} strings, not ${show(value)}` })
    return []
  }
  value.forEach((item: unknown, index) => {
    const message = itemError(item, ruleFor)
    if (message !== null) errors.push({ at: `${at}[${index}]`, message })
  })
  return Object.freeze(value.map(String))
}

function itemError(item: unknown, ruleFor: (item: string) => OmitRule): string | null {
  if (typeof item !== 'string' || item.trim() === '' || item.length > MAX_ITEM_CHARS) {
    return `expected a string of 1 to ${MAX_ITEM_CHARS} characters, not ${show(item)}`
  }
  try {
    createOmitRules([ruleFor(item)])
    return null
  } catch (error) {
    if (isAppError(error)) return error.message
    throw error
  }
}
