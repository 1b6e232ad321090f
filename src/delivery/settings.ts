import type { ChannelAgent, ServiceFacts, SettingField, Settings } from './channel-agent.ts'

export type SettingError = { readonly place: string; readonly message: string }

const MAX_TEXT = 2000
const MAX_LONG = 20_000
const MAX_LINES = 50

type Value = Settings[string]

/**
 * Reads the settings given for a channel. An omitted secret keeps its known value. All errors are reported together. `made` has the
 * secrets that were generated here, which must be shown to their owner once.
 */
export function readSettings(
  agent: Pick<ChannelAgent, 'settings' | 'check'>,
  given: unknown,
  known: Settings = {},
  service?: ServiceFacts,
): { settings: Settings; errors: SettingError[]; made: Record<string, string> } {
  const errors: SettingError[] = []
  const made: [string, string][] = []
  const isRecord = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (!isRecord) return { settings: {}, errors: [{ place: 'settings', message: 'expected an object' }], made: {} }
  const values = new Map<string, unknown>(Object.entries(given))
  const settings = new Map<string, Value>()
  for (const field of agent.settings) {
    const place = `settings.${field.name}`
    if (field.isHidden === true) {
      if (Object.hasOwn(known, field.name)) settings.set(field.name, known[field.name]!)
      else if (field.usual !== undefined) settings.set(field.name, field.usual)
      continue
    }
    const value = values.get(field.name)
    values.delete(field.name)
    const isLeftOut = value === undefined || value === null || value === ''
    const kept =
      isLeftOut && field.type === 'secret' && Object.hasOwn(known, field.name) ? known[field.name] : undefined
    if (kept !== undefined) settings.set(field.name, kept)
    else if (isLeftOut) {
      if (field.usual !== undefined) settings.set(field.name, field.usual)
      else if (field.fresh !== undefined) {
        const value = field.fresh()
        settings.set(field.name, value)
        made.push([field.name, value])
      } else if (field.isRequired === true) errors.push({ place, message: 'is missing' })
    } else {
      const read = readValue(field, value)
      if (typeof read === 'object' && 'wrong' in read) errors.push({ place, message: read.wrong })
      else settings.set(field.name, read)
    }
  }
  for (const name of values.keys()) errors.push({ place: `settings.${name.slice(0, 100)}`, message: 'is unknown' })
  const read = Object.fromEntries(settings)
  const fault = errors.length === 0 ? (agent.check?.(read, service) ?? null) : null
  if (fault !== null) errors.push({ place: 'settings', message: fault })
  return { settings: read, errors, made: Object.fromEntries(made) }
}

function readValue(field: SettingField, value: unknown): Value | { wrong: string } {
  switch (field.type) {
    case 'flag':
      return typeof value === 'boolean' ? value : { wrong: 'expected true or false' }
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : { wrong: 'expected a number' }
    case 'lines':
      return readLines(value)
    case 'choice':
      return typeof value === 'string' && field.choices?.includes(value) === true
        ? value
        : { wrong: `expected one of ${field.choices?.join(', ')}` }
    default:
      return readText(field, value)
  }
}

function readText({ type }: SettingField, value: unknown): string | { wrong: string } {
  if (typeof value !== 'string') return { wrong: 'expected text' }
  const text = type === 'long' ? value : value.trim()
  const max = type === 'long' ? MAX_LONG : MAX_TEXT
  if (text.length > max) return { wrong: `is longer than ${max} characters` }
  if (type !== 'long' && /[\p{Cc}\u2028\u2029]/u.test(text)) return { wrong: 'has a line end or a control character' }
  if (type === 'url') {
    const wrong = !isHttp(text) ? 'expected an address that begins with https:// or http://' : signInFault(text)
    if (wrong !== null) return { wrong }
  }
  if (type === 'email' && !isAddress(text)) return { wrong: 'expected an email address' }
  return text
}

function readLines(value: unknown): readonly string[] | { wrong: string } {
  const lines = typeof value === 'string' ? value.split('\n') : value
  if (!Array.isArray(lines) || lines.length > MAX_LINES)
    return { wrong: `expected a list of at most ${MAX_LINES} lines` }
  const texts: string[] = []
  for (const line of lines) {
    if (typeof line !== 'string' || line.length > MAX_TEXT || /[\p{Cc}]/u.test(line.trim()))
      return { wrong: 'expected lines of text' }
    if (line.trim() !== '') texts.push(line.trim())
  }
  return texts
}

function isHttp(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

/** A single address, without anything that could become a second one or a header. */
export function isAddress(text: string): boolean {
  return /^[^\s@<>(),;:"\\[\]\p{Cc}]{1,64}@[^\s@<>(),;:"\\[\]\p{Cc}]{1,253}$/u.test(text)
}

/** The settings that may be shown. For a secret, only a flag that it is set. */
export function shownSettings(agent: Pick<ChannelAgent, 'settings'>, settings: Settings): Record<string, Value> {
  const shown: [string, Value][] = []
  for (const { name, type, isHidden } of agent.settings) {
    if (isHidden === true || !Object.hasOwn(settings, name)) continue
    shown.push(type === 'secret' ? [`has${name[0]!.toUpperCase()}${name.slice(1)}`, true] : [name, settings[name]!])
  }
  return Object.fromEntries(shown)
}

export function textOf(settings: Settings, name: string): string {
  const value = Object.hasOwn(settings, name) ? settings[name] : undefined
  return typeof value === 'string' ? value : ''
}

export function linesOf(settings: Settings, name: string): readonly string[] {
  const value = Object.hasOwn(settings, name) ? settings[name] : undefined
  return Array.isArray(value) ? value : []
}

/** Validates a URL in a `secret` field, for services where the address itself is the secret. */
export function urlFault(url: string): string | null {
  return isHttp(url) ? signInFault(url) : 'expected an address that begins with https://'
}

/** A user name and password in an address are never sent, and the password would be shown. */
function signInFault(url: string): string | null {
  const { username, password } = new URL(url)
  return username === '' && password === '' ? null : "can't have a user name or password in it"
}
