import { parseDuration } from '../../../config/quantities.ts'
import { AppError } from '../../../core/errors.ts'
import { createPattern } from '../../../core/pattern/pattern.ts'
import { readCondition } from '../../../core/price/conditions.ts'
import {
  type Aspect,
  aspects,
  methods,
  partDefaults,
  type Scope,
  type Source,
  type TimeWindow,
} from '../../../core/profile.ts'
import { readSelector } from '../../../core/select/selector.ts'
import { renders } from '../../../core/url/access.ts'
import { formatRenderSteps, parseRenderSteps, renderMark } from '../../../core/url/render-steps.ts'
import { maxOtherUrlLength } from '../../../crawl/normalize/source-naming.ts'
import { schemeOf } from '../../../fetchers/fetcher.ts'
import { profileDefaults, windowDefaults } from '../../../xml/profile/profile.ts'
import { isSameProtocol, type ProtocolAbilities, type SourceAbilities, supportOf } from '../protocols.ts'
import { type PlainRecord, type PlainValues, shown } from './plain-values.ts'

export type SourceRules = {
  maxUriLength: number
  /** What can be watched, and how. */
  abilities: ProtocolAbilities
  /** The public address of this server is known. */
  hubsReachUs: boolean
  /** What is wrong with the name of credentials; null if the owner has them. */
  checkCredentials(name: string): string | null
}

const partKeys = ['select', 'omit', 'aspects', 'conditions']
const sourceKeys = [
  'uri',
  'arguments',
  'every',
  'everyMax',
  'depth',
  'scope',
  'process',
  'window',
  'protocol',
  'method',
  'render',
  'credentials',
  ...partKeys,
]
const scopeWords = ['page', 'path', 'host', 'domain'] as const
const MAX_EVERY_MS = 365 * 86_400_000
const MAX_DEPTH = 1000
const MAX_ARGUMENTS = 100
const selectorLimits = { count: 20, length: 500 }
const conditionLimits = { count: 10, length: 60 }

/** The placeholder for an invalid source, which gets no further errors. */
const stopper: PlainRecord = { uri: 'http://0.0.0.0/' }

/** One source. `process` is the default if the source doesn't name one. */
export function readSourceValues(
  value: unknown,
  place: string,
  { rules, process }: { rules: SourceRules; process: Source['process'] },
  values: PlainValues,
): Source {
  const given = values.required(value, place, sourceKeys) ?? stopper
  const everyMs = readInterval(given.every, `${place}.every`, values) ?? profileDefaults.every
  const everyMaxMs = readInterval(given.everyMax, `${place}.everyMax`, values) ?? everyMs
  const uri = readUri(given, place, rules, values)
  if (everyMaxMs < everyMs) values.reject(`${place}.everyMax`, 'must not be shorter than the interval')
  return {
    uri,
    template: partDefaults.template,
    // The scheduler raises intervals that are too short; the profile keeps its owner's value.
    everyMs,
    everyMaxMs,
    depth:
      values.number(given.depth, `${place}.depth`, { min: 0, max: MAX_DEPTH, whole: true }) ?? profileDefaults.depth,
    scope: readScope(given.scope, `${place}.scope`, values),
    process: values.oneOf(given.process, `${place}.process`, ['filter', 'track', 'archive']) ?? process,
    window: readWindowValues(given.window, `${place}.window`, values),
    select: readLines(given.select, `${place}.select`, selectorLimits, selectorFault, values),
    omit: readLines(given.omit, `${place}.omit`, selectorLimits, selectorFault, values),
    aspects: readAspects(given.aspects, `${place}.aspects`, values),
    conditions: readLines(given.conditions, `${place}.conditions`, conditionLimits, conditionFault, values),
    ...readAccess(given, place, { uri, rules }, values),
  }
}

type LineLimits = { count: number; length: number }

/** Trims and deduplicates the lines. `faultOf` returns what is wrong with a line, or null. */
function readLines(
  value: unknown,
  place: string,
  { count, length }: LineLimits,
  faultOf: (line: string) => string | null,
  values: PlainValues,
): string[] {
  const lines = values.list(value, place, count).map((each, index) => {
    const at = `${place}[${index}]`
    if (each === undefined || each === null) values.reject(at, 'is missing')
    const line = values.text(each, at, { max: length })?.trim() ?? ''
    const fault = line === '' ? null : faultOf(line)
    if (fault !== null) values.reject(at, fault)
    return line
  })
  return [...new Set(lines)]
}

function selectorFault(selector: string): string | null {
  try {
    readSelector(selector)
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.message
  }
}

function conditionFault(line: string): string | null {
  return readCondition(line) === null
    ? `expected a condition such as below 30, above 100, drops by 10 %, back in stock or changes, not ${shown(line)}`
    : null
}

function readAspects(value: unknown, place: string, values: PlainValues): readonly Aspect[] {
  if (value === undefined || value === null) return partDefaults.aspects
  const given = values
    .list(value, place, aspects.length * 2)
    .map((each, index) => values.oneOf(each, `${place}[${index}]`, aspects))
  if (Array.isArray(value) && value.length === 0) values.reject(place, 'is empty, so nothing would count as a change')
  return aspects.filter((aspect) => given.includes(aspect))
}

/** Reads how to request the source. Rejects what its protocol can't do. */
function readAccess(
  given: PlainRecord,
  place: string,
  { uri, rules }: { uri: string; rules: SourceRules },
  values: PlainValues,
): Pick<Source, 'render' | 'credentials' | 'method'> {
  const method = values.oneOf(given.method, `${place}.method`, methods) ?? partDefaults.method
  const render = values.oneOf(given.render, `${place}.render`, renders) ?? partDefaults.render
  const credentials = values.text(given.credentials, `${place}.credentials`, { mayBeEmpty: true }) ?? ''
  const fault = credentials === '' ? null : rules.checkCredentials(credentials)
  if (fault !== null) values.reject(`${place}.credentials`, fault)
  const scheme = schemeOf(uri)
  const protocol = values.text(given.protocol, `${place}.protocol`)?.trim().toLowerCase() ?? ''
  if (protocol !== '' && uri !== '' && !isSameProtocol(protocol, scheme))
    values.reject(`${place}.protocol`, `is ${shown(protocol)}, but the URI starts with ${scheme}:`)
  const can = rules.abilities.get(scheme) ?? unsupported
  if (uri !== '') refuseDisabled({ method, render, credentials }, { scheme, can, ...rules }, place, values)
  return { render, credentials, method }
}

const unsupported: SourceAbilities = { push: false, credentials: 'optional', depth: true, browser: false }

function refuseDisabled(
  { method, render, credentials }: Pick<Source, 'render' | 'credentials' | 'method'>,
  { scheme, can, hubsReachUs }: { scheme: string; can: SourceAbilities; hubsReachUs: boolean },
  place: string,
  values: PlainValues,
): void {
  if (method === 'push' && !can.push) values.reject(`${place}.method`, `sources of ${scheme} can't push; use pull`)
  if (method === 'push' && can.push === 'by-hub' && !hubsReachUs)
    values.reject(
      `${place}.method`,
      "the hub of a feed must be able to call this server, which doesn't know its public address (server.url); use pull",
    )
  if (method === 'push' && can.push === 'by-hub' && render === 'browser')
    values.reject(`${place}.method`, "a page that a browser shows can't push; use pull")
  if (render === 'browser' && !can.browser)
    values.reject(`${place}.render`, `a browser can't show sources of ${scheme}; use http`)
  if (credentials !== '' && can.credentials === 'none')
    values.reject(`${place}.credentials`, `sources of ${scheme} take no credentials; leave them out`)
  if (credentials === '' && can.credentials === 'required')
    values.reject(
      `${place}.credentials`,
      `sources of ${scheme} need credentials; store them first and put their name here`,
    )
}

function readInterval(value: unknown, place: string, values: PlainValues): number | undefined {
  if (value === undefined || value === null) return undefined
  const ms = parseDuration(value)
  if (ms !== undefined && ms > 0 && ms <= MAX_EVERY_MS) return ms
  values.reject(place, `expected an interval such as 30s, 10m, 1h or 7d, at most 365d, not ${shown(value)}`)
  return undefined
}

/** Normalised by the URL parser, with the arguments in its query and without a fragment that only names a place in the page. */
function readUri(
  given: PlainRecord,
  place: string,
  { maxUriLength, abilities }: SourceRules,
  values: PlainValues,
): string {
  const at = `${place}.uri`
  if (given.uri === undefined || given.uri === null) values.reject(at, 'is missing')
  const isWeb = typeof given.uri !== 'string' || /^\s*https?:/i.test(given.uri)
  const max = isWeb ? maxUriLength : maxOtherUrlLength
  const text = values.text(given.uri, at, { max })
  const query = readArguments(given.arguments, `${place}.arguments`, values)
  if (text === undefined) return ''
  const uri = URL.parse(text)
  if (uri === null) {
    values.reject(at, `${shown(text)} is not an address; expected one such as https://example.org/news/`)
    return ''
  }
  const support = supportOf(uri.href, [...abilities.keys()])
  if (support.kind === 'unknown') values.reject(at, support.message)
  if (uri.username !== '' || uri.password !== '') {
    values.reject(
      at,
      "can't have a user name or password in it; store them as credentials, and name those in the source",
    )
    return ''
  }
  uri.hash = readFragment(uri, given.render, at, values)
  // Not through `searchParams`, which would re-encode the given query.
  if (query.length > 0) uri.search = `${uri.search}${uri.search === '' ? '?' : '&'}${new URLSearchParams(query)}`
  if (uri.href.length > max) values.reject(at, `is longer than ${max} characters with its arguments`)
  return uri.href
}

/** For web pages, keeps only fragments with browser steps. Other protocols define their own fragments. */
function readFragment({ protocol, hash }: URL, render: unknown, place: string, values: PlainValues): string {
  if (protocol !== 'http:' && protocol !== 'https:') return hash
  if (render !== 'browser' || !hash.startsWith(renderMark)) return ''
  try {
    const steps = formatRenderSteps(parseRenderSteps(hash))
    return steps === '' ? '' : renderMark + steps
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    values.reject(place, error.message)
    return ''
  }
}

function readArguments(value: unknown, place: string, values: PlainValues): [name: string, value: string][] {
  const list = values.list(value, place, MAX_ARGUMENTS)
  return list.map((each, index) => {
    const at = `${place}[${index}]`
    const given = values.required(each, at, ['name', 'value'])
    if (given === null) return ['', '']
    if (given.name === undefined || given.name === null) values.reject(`${at}.name`, 'is missing')
    const name = values.text(given.name, `${at}.name`) ?? ''
    return [name, values.text(given.value, `${at}.value`, { max: 2000, mayBeEmpty: true }) ?? '']
  })
}

/** A keyword, a regular expression, or `{ pattern }` for an expression that could be mistaken for a keyword. */
function readScope(value: unknown, place: string, values: PlainValues): Scope {
  if (value === undefined || value === null) return { kind: profileDefaults.scope }
  const kind = scopeWords.find((word) => word === value)
  if (kind !== undefined) return { kind }
  const given = typeof value === 'string' ? value : values.record(value, place, ['pattern']).pattern
  const source = values.text(given ?? '', place, { max: 2000 })
  if (source === undefined) return { kind: profileDefaults.scope }
  try {
    createPattern(source)
    return { kind: 'pattern', source }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    values.reject(place, error.message)
    return { kind: profileDefaults.scope }
  }
}

const MINUTES_OF_DAY = 1440

/** When a source may be checked; null for always. */
function readWindowValues(value: unknown, place: string, values: PlainValues): TimeWindow | null {
  if (value === undefined || value === null) return null
  const given = values.record(value, place, ['zone', 'days', 'from', 'to'])
  return {
    zone: readZone(given.zone, `${place}.zone`, values),
    days: readDays(given.days, `${place}.days`, values),
    fromMinute: readMinute(given.from ?? windowDefaults.from, `${place}.from`, MINUTES_OF_DAY - 1, values),
    toMinute: readMinute(given.to ?? windowDefaults.to, `${place}.to`, MINUTES_OF_DAY, values),
  }
}

function readZone(value: unknown, place: string, values: PlainValues): string {
  const zone = values.text(value, place, { max: 64 })
  if (zone === undefined) return windowDefaults.zone
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone })
    return zone
  } catch {
    values.reject(place, `${shown(zone)} is not a time zone; expected a name such as Europe/Nicosia`)
    return windowDefaults.zone
  }
}

function readDays(value: unknown, place: string, values: PlainValues): number[] {
  if (value === undefined || value === null) return [...windowDefaults.days]
  const days = new Set<number>()
  const list = values.list(value, place, 50)
  for (const each of list) {
    const day = values.number(each, place, { min: 1, max: 7, whole: true })
    if (day !== undefined) days.add(day)
  }
  if (Array.isArray(value) && value.length === 0) values.reject(place, 'is empty, so the source would never be checked')
  return [...days].sort((a, b) => a - b)
}

function readMinute(value: unknown, place: string, max: number, values: PlainValues): number {
  const match = typeof value === 'string' ? /^ *([01]\d|2[0-4]):([0-5]\d) *$/.exec(value) : null
  const minute = match === null ? Number.NaN : Number(match[1]) * 60 + Number(match[2])
  if (minute <= max) return minute
  values.reject(place, `expected a time such as 08:00, not ${shown(value)}`)
  return 0
}
