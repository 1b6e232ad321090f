import { isAppError } from '../core/errors.ts'
import { createPattern } from '../core/pattern/pattern.ts'
import { createSourceMatch } from '../core/url/source-match.ts'
import type { UrlCondition } from '../core/url/url-condition.ts'
import { nearMiss } from './near-miss.ts'
import { type PartError, show } from './retention.ts'

const MAX_CONDITIONS = 1000
const MAX_DEPTH = 20
const MAX_TEXT_CHARS = 1_000_000
const MAX_ITEM_CHARS = 2000
const MAX_LENGTH = 1_000_000

const names = ['all', 'any', 'not', 'url', 'host', 'prefix', 'protocol', 'suffix', 'length'] as const
type Name = (typeof names)[number]

const expected = `one condition such as { any: [{ host: ".example.org" }, { not: { suffix: "pdf" } }] }`

/** Reads a tree of conditions, or its JSON text; null for none. Undefined, with errors added, when it is invalid. */
export function parseUrlFilter(value: unknown, errors: PartError[]): UrlCondition | null | undefined {
  if (value === null) return null
  const errorsBefore = errors.length
  const condition = readCondition(typeof value === 'string' ? fromJson(value) : value, '', {
    ...{ errors, depth: 0, count: { conditions: 0 } },
  })
  return errors.length > errorsBefore ? undefined : condition
}

type Reading = { errors: PartError[]; depth: number; count: { conditions: number } }

function readCondition(value: unknown, at: string, reading: Reading): UrlCondition | undefined {
  const { errors, depth, count } = reading
  const refuse = (message: string, place = at): undefined => void errors.push({ at: place, message })
  const keys = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  const [name] = keys
  if (name === undefined || keys.length > 1) return refuse(`expected ${expected}, not ${show(value)}`)
  const place = `${at}.${name.slice(0, 40)}`
  if (!isName(name)) {
    const near = nearMiss(name, names)
    return refuse(
      `unknown condition${near === undefined ? ` (conditions: ${names.join(', ')})` : `; did you mean ${near}?`}`,
      place,
    )
  }
  count.conditions++
  // Report this once, not for each of a million conditions.
  if (count.conditions > MAX_CONDITIONS)
    return count.conditions === MAX_CONDITIONS + 1
      ? refuse(`has more than ${MAX_CONDITIONS} conditions`, '')
      : undefined
  if (depth > MAX_DEPTH) return refuse(`is nested more than ${MAX_DEPTH} deep`)
  const given = (value as Record<Name, unknown>)[name]
  const inner = { ...reading, depth: depth + 1 }
  if (name === 'not') {
    const not = readCondition(given, place, inner)
    return not === undefined ? undefined : Object.freeze({ not })
  }
  if (name === 'all' || name === 'any') {
    if (!Array.isArray(given) || given.length === 0 || given.length > MAX_CONDITIONS)
      return refuse(`expected a list of 1 to ${MAX_CONDITIONS} conditions, not ${show(given)}`, place)
    const conditions = given
      .map((each: unknown, index) => readCondition(each, `${place}[${index}]`, inner))
      .filter((each) => each !== undefined)
    return Object.freeze(name === 'all' ? { all: conditions } : { any: conditions })
  }
  if (name === 'length') return readLength(given, place, errors)
  const fault = faultOf(name, given)
  return fault === null ? (Object.freeze({ [name]: textOf(name, given) }) as UrlCondition) : refuse(fault, place)
}

/** The error in the text of a condition; null if it is valid. */
function faultOf(name: Exclude<Name, 'all' | 'any' | 'not' | 'length'>, given: unknown): string | null {
  if (typeof given !== 'string' || given === '' || given.length > MAX_ITEM_CHARS)
    return `expected text of 1 to ${MAX_ITEM_CHARS} characters, not ${show(given)}`
  switch (name) {
    case 'url':
      return patternFault(given)
    case 'host':
      return !given.includes('://') && given !== '*' && createSourceMatch(given) !== null
        ? null
        : `expected a host or a domain such as .example.org, not ${show(given)}`
    case 'prefix':
      return given.includes('://') && createSourceMatch(given) !== null
        ? null
        : `expected the beginning of an http(s) URL, not ${show(given)}`
    case 'protocol':
      return given === 'http' || given === 'https' ? null : `expected http or https, not ${show(given)}`
    case 'suffix':
      return /^\.?[^\s/?#.][^\s/?#]{0,49}$/.test(given)
        ? null
        : `expected a file suffix such as pdf, not ${show(given)}`
  }
}

function textOf(name: Name, given: unknown): string {
  return name === 'suffix' ? String(given).replace(/^\./, '').toLowerCase() : String(given)
}

function patternFault(source: string): string | null {
  try {
    createPattern(source)
    return null
  } catch (error) {
    if (isAppError(error)) return error.message
    throw error
  }
}

function readLength(given: unknown, at: string, errors: PartError[]): UrlCondition | undefined {
  const bounds = typeof given === 'object' && given !== null && !Array.isArray(given) ? Object.entries(given) : []
  const isWrong = ([name, bound]: [string, unknown]): boolean =>
    (name !== 'min' && name !== 'max') ||
    !Number.isSafeInteger(bound) ||
    Number(bound) < 0 ||
    Number(bound) > MAX_LENGTH
  if (bounds.length === 0 || bounds.length > 2 || bounds.some(isWrong)) {
    errors.push({ at, message: `expected min, max or both, from 0 to ${MAX_LENGTH}, not ${show(given)}` })
    return undefined
  }
  return Object.freeze({ length: Object.freeze(Object.fromEntries(bounds)) })
}

function isName(name: string): name is Name {
  return (names as readonly string[]).includes(name)
}

function fromJson(text: string): unknown {
  if (text.length > MAX_TEXT_CHARS) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
