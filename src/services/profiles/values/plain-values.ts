import { nearMiss } from '../../../config/near-miss.ts'
import type { ValidationError } from '../../../config/validation-errors.ts'

/** Maximum number of errors reported. */
const MAX_FAULTS = 500

export type PlainRecord = Readonly<Record<string, unknown>>

/**
 * Reads a value of unknown shape and collects all errors in it. Each reader returns a value to continue with, even for
 * invalid input: the result is valid only if there are no errors. Missing and null values are undefined.
 */
export type PlainValues = {
  readonly errors: readonly ValidationError[]
  reject(place: string, message: string): void
  record(value: unknown, place: string, keys: readonly string[]): PlainRecord
  /** Like `record`, but rejects a missing value; null if there is no object. */
  required(value: unknown, place: string, keys: readonly string[]): PlainRecord | null
  list(value: unknown, place: string, limit: number): readonly unknown[]
  text(value: unknown, place: string, limits?: { max?: number; mayBeEmpty?: boolean }): string | undefined
  number(value: unknown, place: string, limits?: { min?: number; max?: number; whole?: boolean }): number | undefined
  truth(value: unknown, place: string): boolean | undefined
  oneOf<T extends string>(value: unknown, place: string, words: readonly T[]): T | undefined
}

/** Characters not allowed in any name or term, nor in XML. */
const forbidden = /[\p{Cc}\p{Cs}\ufffe\uffff]/u

export function createPlainValues(): PlainValues {
  const errors: ValidationError[] = []

  function reject(place: string, message: string): void {
    if (errors.length < MAX_FAULTS) errors.push({ place, message })
  }

  function wrong(place: string, expected: string, value: unknown): undefined {
    reject(place, `expected ${expected}, not ${shown(value)}`)
    return undefined
  }

  function required(value: unknown, place: string, keys: readonly string[]): PlainRecord | null {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return wrong(place, 'an object', value) ?? null
    for (const key of Object.keys(value)) {
      if (keys.includes(key)) continue
      const near = nearMiss(key, keys)
      const at = place === '' ? key.slice(0, 100) : `${place}.${key.slice(0, 100)}`
      reject(at, `unknown key${near === undefined ? '' : `; did you mean ${near}?`}`)
    }
    return value as PlainRecord
  }

  return {
    errors,
    reject,
    record: (value, place, keys) => (isAbsent(value) ? {} : (required(value, place, keys) ?? {})),
    required,
    list(value, place, limit) {
      if (isAbsent(value)) return []
      if (!Array.isArray(value)) return wrong(place, 'a list', value) ?? []
      if (value.length > limit) reject(place, `has ${value.length} entries; the maximum is ${limit}`)
      return value.slice(0, limit)
    },
    text(value, place, { max = 500, mayBeEmpty = false } = {}) {
      if (isAbsent(value)) return undefined
      if (typeof value !== 'string') return wrong(place, 'a string', value)
      if (value.length > max) reject(place, `has ${value.length} characters; the maximum is ${max}`)
      else if (!mayBeEmpty && value.trim() === '') reject(place, 'is empty')
      else if (forbidden.test(value)) reject(place, 'contains a control character or an incomplete character')
      else return value
      return undefined
    },
    number(value, place, { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, whole = false } = {}) {
      if (isAbsent(value)) return undefined
      const expected = whole ? 'a whole number' : 'a number'
      if (typeof value !== 'number' || !Number.isFinite(value) || (whole && !Number.isInteger(value)))
        return wrong(place, expected, value)
      // Normalise -0, which would not survive a round trip.
      if (value >= min && value <= max) return value + 0
      return wrong(place, rangeText(expected, min, max), value)
    },
    truth(value, place) {
      if (isAbsent(value) || typeof value === 'boolean') return value ?? undefined
      return wrong(place, 'true or false', value)
    },
    oneOf(value, place, words) {
      if (isAbsent(value)) return undefined
      return words.find((word) => word === value) ?? wrong(place, `one of ${words.join(', ')}`, value)
    },
  }
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

function rangeText(expected: string, min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return `${expected} of at least ${min}`
  return `${expected} from ${min} to ${max}`
}

/** A value in a message. Lists and objects are not shown: their size and depth are not limited. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : String(value)
}
