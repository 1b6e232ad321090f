import { nearMiss } from './near-miss.ts'
import { parseBytes, parseDuration } from './quantities.ts'

/**
 * How long superseded versions are kept. Null means no limit; with several limits, a version goes as soon as it passes
 * one of them.
 */
export type Retention =
  | { readonly kind: 'forever' }
  | {
      readonly kind: 'limits'
      /** Counted from the next version. */
      readonly maxAgeMs: number | null
      /** Per document, including the newest. */
      readonly maxVersions: number | null
      /** Over everything this retention applies to, including the newest versions. */
      readonly maxBytes: number | null
    }

/** `at` follows the setting's name: `.age`, `[2].omit[0]`; empty for the whole value. */
export type PartError = { at: string; message: string }

const retentionExpected = 'forever, a duration such as 90d, or age, versions and size (age=90d,versions=10,size=5GB)'

const MAX_VERSIONS = 1_000_000_000
const parts = {
  age: { parse: positive(parseDuration), expected: 'a duration such as 90d' },
  versions: { parse: parseCount, expected: `a whole number from 1 to ${MAX_VERSIONS}` },
  size: { parse: positive(parseBytes), expected: 'a size such as 5GB' },
} as const
type Part = keyof typeof parts
const partNames = Object.keys(parts) as Part[]

/** Reads `forever`, a duration, the parts as text, or the parts as an object. Undefined, with errors added, when it is invalid. */
export function parseRetention(value: unknown, at: string, errors: PartError[]): Retention | undefined {
  if (value === 'forever') return Object.freeze({ kind: 'forever' })
  const given = typeof value === 'string' && value.includes('=') ? splitText(value, at, errors) : ownEntries(value)
  if (given === null) {
    const maxAgeMs = parts.age.parse(value)
    if (maxAgeMs !== undefined) return limits(new Map([['age', maxAgeMs]]))
    errors.push({ at, message: `expected ${retentionExpected}, not ${show(value)}` })
    return undefined
  }
  const errorsBefore = errors.length
  const read = new Map<Part, number>()
  for (const [name, part] of given.slice(0, 2 * partNames.length)) readPart(name, part, at, read, errors)
  if (given.length === 0) errors.push({ at, message: `expected ${retentionExpected}` })
  return errors.length > errorsBefore ? undefined : limits(read)
}

function readPart(name: string, value: unknown, at: string, read: Map<Part, number>, errors: PartError[]): void {
  const place = `${at}.${name.slice(0, 40)}`
  if (!Object.hasOwn(parts, name)) {
    const near = nearMiss(name, partNames)
    const hint = near === undefined ? ` (parts: ${partNames.join(', ')})` : `; did you mean ${near}?`
    errors.push({ at: place, message: `unknown part${hint}` })
    return
  }
  const part = name as Part
  const parsed = parts[part].parse(value)
  if (read.has(part)) errors.push({ at: place, message: 'is set twice' })
  else if (parsed === undefined) {
    errors.push({ at: place, message: `expected ${parts[part].expected}, not ${show(value)}` })
  } else read.set(part, parsed)
}

function limits(read: ReadonlyMap<Part, number>): Retention {
  return Object.freeze({
    kind: 'limits',
    maxAgeMs: read.get('age') ?? null,
    maxVersions: read.get('versions') ?? null,
    maxBytes: read.get('size') ?? null,
  })
}

function splitText(text: string, at: string, errors: PartError[]): [string, unknown][] {
  const given: [string, unknown][] = []
  for (const piece of text.slice(0, 200).split(',')) {
    const equals = piece.indexOf('=')
    if (equals < 0) errors.push({ at, message: `expected NAME=VALUE, not ${show(piece)}` })
    else given.push([piece.slice(0, equals).trim(), piece.slice(equals + 1).trim()])
  }
  return given
}

/** Null unless it is an object of parts. */
function ownEntries(value: unknown): [string, unknown][] | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : null
}

function positive(parse: (value: unknown) => number | undefined): (value: unknown) => number | undefined {
  return (value) => {
    const number = parse(value)
    return number !== undefined && number > 0 && Number.isSafeInteger(number) ? number : undefined
  }
}

function parseCount(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value
  const count = typeof text === 'string' && /^\d{1,10}$/.test(text.trim()) ? Number(text) : 0
  return count >= 1 && count <= MAX_VERSIONS ? count : undefined
}

export function show(value: unknown): string {
  const isPlain = typeof value === 'string' || (typeof value === 'object' && value !== null)
  const text = isPlain ? (JSON.stringify(value) ?? '') : String(value)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
