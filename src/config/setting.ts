import { isIP } from 'node:net'
import { isAppError } from '../core/errors.ts'
import { parseCidr } from '../core/url/address.ts'
import { formatBytes, formatDuration, parseBytes, parseDuration } from './quantities.ts'
import { type PartError, parseRetention } from './retention.ts'
import { parseSources } from './source-rules.ts'
import { parseUrlFilter } from './url-filter.ts'

type About = {
  /** One sentence for the documentation. */
  about: string
  /** Never printed, not even when it is invalid. */
  secret?: boolean
}

/** A setting of the schema. Defaults are written as in a file and read by the same parser. */
export type Setting = About &
  (
    | { kind: 'boolean'; default: boolean }
    | { kind: 'integer' | 'number'; default: number; min: number; max: number }
    | { kind: 'duration' | 'bytes'; default: string; min: string; max: string }
    | { kind: 'string'; default: string; pattern: RegExp; expected: string }
    | { kind: 'choice'; default: string; choices: readonly string[] }
    | {
        kind: 'list'
        default: readonly string[]
        pattern: RegExp
        expected: string
        /** An item `@FILE` names a file with one item per line, relative to the configuration file. */
        files?: true
      }
    | { kind: 'cidrs' | 'nameservers'; default: readonly string[] }
    | { kind: 'retention'; default: string }
    | { kind: 'sources'; default: readonly [] }
    | { kind: 'filter'; default: null }
    /** Built-in names, and files that `part-path.ts` allows. */
    | { kind: 'part'; default: string; builtIn: readonly string[]; expected: string }
    | { kind: 'parts'; default: readonly string[]; builtIn: readonly string[]; expected: string }
  )

/** Creates settings with a range, each in one line of the schema. */
const ranged =
  <const K extends 'integer' | 'number' | 'duration' | 'bytes', V extends number | string>(kind: K) =>
  (value: V, [min, max]: readonly [min: V, max: V], about: string) => ({ kind, default: value, min, max, about })
export const integer = ranged<'integer', number>('integer')
export const number = ranged<'number', number>('number')
export const duration = ranged<'duration', string>('duration')
export const bytes = ranged<'bytes', string>('bytes')

export type Parsed =
  | { kind: 'value'; value: unknown }
  | { kind: 'wrong'; expected: string }
  /** For a value with parts: each invalid part, with its position after the setting's name. */
  | { kind: 'parts-wrong'; errors: readonly PartError[] }

const MAX_ITEMS = 10_000

/** Reads a value from a file (typed), or from the environment and the command line (text). */
export function parseSetting(setting: Setting, value: unknown): Parsed {
  switch (setting.kind) {
    case 'boolean':
      return accept(parseBoolean(value), 'true or false')
    case 'integer':
    case 'number':
      return parseNumber(setting, value)
    case 'duration': {
      const { min, max } = setting
      return within(parseDuration(value), parseDuration(min)!, parseDuration(max)!, expectedRange(setting))
    }
    case 'bytes': {
      const { min, max } = setting
      return within(parseBytes(value), parseBytes(min)!, parseBytes(max)!, expectedRange(setting))
    }
    case 'string':
      return accept(typeof value === 'string' && setting.pattern.test(value) ? value : undefined, setting.expected)
    case 'choice':
      return accept(
        typeof value === 'string' && setting.choices.includes(value) ? value : undefined,
        `one of ${setting.choices.join(', ')}`,
      )
    case 'list':
      return parseList(value, (item) => (setting.pattern.test(item) ? item : undefined), setting.expected)
    case 'cidrs':
      return parseList(value, networkText, 'a list of networks such as 10.0.0.0/8 or fd00::/8')
    case 'nameservers':
      return parseList(value, (item) => (isServerAddress(item) ? item : undefined), nameserversExpected)
    case 'retention':
      return acceptParts((errors) => parseRetention(value, '', errors))
    case 'sources':
      return acceptParts((errors) => parseSources(value, errors))
    case 'filter':
      return acceptParts((errors) => parseUrlFilter(value, errors))
    case 'part':
      return accept(typeof value === 'string' ? partName(setting, value.trim()) : undefined, setting.expected)
    case 'parts':
      return parseList(value, (item) => partName(setting, item), setting.expected)
  }
}

/** The allowed range, for messages and documentation. */
export function expectedRange(setting: Setting & { min: number | string; max: number | string }): string {
  const { min, max } = setting
  switch (setting.kind) {
    case 'duration':
      return `a duration from ${formatDuration(parseDuration(min)!)} to ${formatDuration(parseDuration(max)!)} (such as 500ms, 30s, 10m)`
    case 'bytes':
      return `a size from ${formatBytes(parseBytes(min)!)} to ${formatBytes(parseBytes(max)!)} (such as 64KiB, 10MB)`
    default:
      return `${setting.kind === 'integer' ? 'a whole number' : 'a number'} from ${min} to ${max}`
  }
}

function accept(value: unknown, expected: string): Parsed {
  return value === undefined ? { kind: 'wrong', expected } : { kind: 'value', value }
}

function acceptParts(parse: (errors: PartError[]) => unknown): Parsed {
  const errors: PartError[] = []
  const value = parse(errors)
  return errors.length === 0 ? { kind: 'value', value } : { kind: 'parts-wrong', errors }
}

function within(value: number | undefined, min: number, max: number, expected: string): Parsed {
  return accept(value !== undefined && value >= min && value <= max ? value : undefined, expected)
}

function parseNumber(setting: Extract<Setting, { min: number }>, value: unknown): Parsed {
  const text = typeof value === 'number' ? String(value) : value
  const pattern = setting.kind === 'integer' ? /^-?\d{1,15}$/ : /^-?\d{1,15}(\.\d{1,15})?$/
  const number = typeof text === 'string' && pattern.test(text.trim()) ? Number(text) : undefined
  return within(number, setting.min, setting.max, expectedRange(setting))
}

function parseBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return undefined
  const text = value.trim().toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(text)) return true
  return ['false', '0', 'no', 'off'].includes(text) ? false : undefined
}

/** An array, or text separated by commas; empty text is the empty list. */
function parseList(value: unknown, parseItem: (item: string) => string | undefined, expected: string): Parsed {
  const items = typeof value === 'string' ? value.split(',').filter((item) => item.trim() !== '') : value
  if (!Array.isArray(items) || items.length > MAX_ITEMS) return { kind: 'wrong', expected }
  const parsed: string[] = []
  for (const item of items) {
    const one = typeof item === 'string' ? parseItem(item.trim()) : undefined
    if (one === undefined) return { kind: 'wrong', expected }
    parsed.push(one)
  }
  return { kind: 'value', value: parsed }
}

/** A built-in name or a path. Whether the file exists is checked later, when its base folder is known. */
function partName({ builtIn }: { builtIn: readonly string[] }, text: string): string | undefined {
  return builtIn.includes(text) || /^\.\/[^\p{Cc}]{1,1000}$/u.test(text) ? text : undefined
}

export const nameserversExpected = 'a list of addresses such as 192.0.2.53 or [2001:db8::53]:5353'

/** An IP address with an optional port; an IPv6 address with a port is in brackets. */
function isServerAddress(text: string): boolean {
  if (isIP(text) !== 0) return true
  const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false
  return v6 === undefined ? isIP(v4 ?? '') === 4 : isIP(v6) === 6
}

/** The network in CIDR notation; undefined if it is invalid. */
function networkText(text: string): string | undefined {
  try {
    const { prefixBits } = parseCidr(text)
    return text.includes('/') ? `${text.slice(0, text.indexOf('/'))}/${prefixBits}` : `${text}/${prefixBits}`
  } catch (error) {
    if (isAppError(error, 'usage-wrong')) return undefined
    throw error
  }
}
