import { attributes, bareTextElement, declaration, textElement, writeItems } from '../xml-writing.ts'

/** A profile as XML. The grammar, and what each element means, is in `profile.dtd`. */
export type WrittenProfile = {
  /** Omitted if ''; so is the owner. */
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly paused: boolean
  readonly sources: readonly WrittenSource[]
  readonly interests: WrittenInterests
  readonly urgency: number
  readonly amount: WrittenAmount
  readonly delivery: WrittenDelivery
}

/** Writes a file of many profiles, one in memory at a time. */
export function writeProfiles(
  profiles: Iterable<WrittenProfile> | AsyncIterable<WrittenProfile>,
): AsyncGenerator<string, void, undefined> {
  return writeItems('profiles', profiles, profileElement)
}

/** Writes a file of one profile, as its root element. */
export function writeProfile(profile: WrittenProfile): string {
  return declaration + profileElement(profile)
}

export function profileElement(profile: WrittenProfile): string {
  const { id, owner, name, paused, sources, interests, urgency } = profile
  const list = attributes({ id: id || null, owner: owner || null, name, paused: paused || null })
  let text = `<profile${list}>\n  <data>\n`
  for (const source of sources) text += sourceElement(source)
  text += '  </data>\n'
  const wishes = keywordsElement(interests, '    ') + interestElements(interests, '    ')
  if (wishes !== '') text += `  <interests>\n${wishes}  </interests>\n`
  text += `  <control>\n    <urgency${attributes({ urgent: urgency })}/>\n`
  text += amountElement(profile.amount, '    ') + deliveryElement(profile.delivery, '    ')
  return `${text}  </control>\n</profile>\n`
}

function sourceElement(source: WrittenSource): string {
  const { uri, template, everyMs, everyMaxMs, depth, process, scope, window } = source
  const list = attributes({
    every: interval(everyMs),
    max: everyMaxMs === everyMs ? null : interval(everyMaxMs),
    depth: depth === profileDefaults.depth ? null : depth,
    process,
  })
  let text = `    <source${list}>\n      ${bareTextElement('uri', template || uri)}\n`
  text += typeElement(source, '      ')
  text += scopeElement(scope, '      ') + windowElement(window, '      ') + partElements(source, '      ')
  return `${text}    </source>\n`
}

/** Attributes of `type` that say how a source is accessed. Defaults are omitted. */
export function accessAttributes({ render, credentials }: WrittenSource): Record<string, string | null> {
  return { render: render === profileDefaults.render ? null : render, credentials: credentials || null }
}

function typeElement(source: WrittenSource, indent: string): string {
  const method = source.method === profileDefaults.method ? null : source.method
  const list = attributes({ method, ...accessAttributes(source) })
  if (list === '') return ''
  const protocol = source.uri.slice(0, source.uri.indexOf(':'))
  return `${indent}<type${attributes({ protocol })}${list}/>\n`
}

/** Formats an interval in the largest unit that gives a whole number. */
function interval(ms: number): string {
  for (const [unit, size] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ] as const) {
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`
  }
  return `${ms}ms`
}

/** Default values of a profile. XML writers omit them, as the DTDs declare the same. */
export const profileDefaults = {
  /** Milliseconds. */
  every: 3_600_000,
  depth: 0,
  scope: 'host',
  urgency: 1,
  amount: 'summary',
  channels: ['inbox'],
  cadence: 'immediate',
  weight: 1,
  threshold: 0,
  stemming: '',
  scorer: 'keywords',
  aspects: ['text', 'links'],
  render: 'http',
  method: 'pull',
  match: 'change',
} as const

/** Default values of a window. */
export const windowDefaults = { zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '24:00' } as const

/** Types and writers shared by profiles and unified resource descriptions. Times are in milliseconds. */

export const scopeKinds = ['page', 'path', 'host', 'domain', 'pattern'] as const
export const processTypes = ['filter', 'track', 'archive'] as const
export const methods = ['pull', 'push'] as const
export const renders = ['http', 'browser'] as const
export const amounts = ['summary', 'change', 'full'] as const
export const aspects = ['text', 'links', 'images', 'title', 'description', 'data', 'status', 'headers'] as const
export const matches = ['change', 'page'] as const
export const truths = ['true', 'false'] as const

export type WrittenSource = {
  readonly uri: string
  /** Written instead of the URI, unless ''. */
  readonly template: string
  readonly everyMs: number
  readonly everyMaxMs: number
  readonly depth: number
  readonly scope: WrittenScope
  readonly process: (typeof processTypes)[number]
  readonly window: WrittenWindow | null
  readonly select: readonly string[]
  readonly omit: readonly string[]
  readonly aspects: readonly (typeof aspects)[number][]
  readonly conditions: readonly string[]
  readonly render: (typeof renders)[number]
  /** '' for none. */
  readonly credentials: string
  readonly method: (typeof methods)[number]
}

export type WrittenScope =
  | { readonly kind: 'page' | 'path' | 'host' | 'domain' }
  | { readonly kind: 'pattern'; readonly source: string }

export type WrittenWindow = {
  readonly zone: string
  /** 1 is Monday. */
  readonly days: readonly number[]
  readonly fromMinute: number
  readonly toMinute: number
}

export type WrittenInterests = {
  readonly keywords: readonly { readonly key: string; readonly weight: number }[]
  readonly exclude: readonly string[]
  readonly expression: string
  readonly threshold: number
  readonly stemming: string
  readonly scorer: string
  /** None if omitted. */
  readonly ignore?: readonly string[] | undefined
  readonly match: (typeof matches)[number]
}

export type WrittenDelivery = {
  readonly channels: readonly string[]
  readonly cadence: string
  readonly quiet: { readonly zone: string; readonly from: string; readonly to: string } | null
  readonly perHour: number | null
  readonly urgentFrom: number | null
  readonly escalation: { readonly channel: string; readonly after: string; readonly urgency: number } | null
}

export function scopeElement(scope: WrittenScope, indent: string): string {
  if (scope.kind === profileDefaults.scope) return ''
  if (scope.kind !== 'pattern') return `${indent}<scope kind="${scope.kind}"/>\n`
  return `${indent}${bareTextElement('scope', scope.source).replace('<scope', '<scope kind="pattern"')}\n`
}

export function windowElement(window: WrittenWindow | null, indent: string): string {
  if (window === null) return ''
  const { zone, days, fromMinute, toMinute } = window
  const list = attributes({ zone, days: days.join(' '), from: timeOfDay(fromMinute), to: timeOfDay(toMinute) })
  return `${indent}<window${list}/>\n`
}

/** Elements for the part of a page that counts, and its aspects and conditions. */
export function partElements({ select, omit, aspects, conditions }: WrittenSource, indent: string): string {
  let text = ''
  for (const selector of select) text += textElement('select', selector, indent)
  for (const selector of omit) text += textElement('omit', selector, indent)
  const kinds = aspects.join(' ')
  if (kinds !== profileDefaults.aspects.join(' ')) text += `${indent}<aspects${attributes({ kinds })}/>\n`
  for (const condition of conditions) text += textElement('condition', condition, indent)
  return text
}

export function timeOfDay(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}

export function keywordsElement({ keywords }: WrittenInterests, indent: string): string {
  if (keywords.length === 0) return ''
  let text = `${indent}<keywords>\n`
  for (const { key, weight } of keywords) text += `${indent}  <keyword${attributes({ key, weight })}/>\n`
  return `${text}${indent}</keywords>\n`
}

/** All interests except the keywords. Defaults are omitted. */
export function interestElements(interests: WrittenInterests, indent: string): string {
  const { exclude, expression, threshold, stemming, scorer, ignore = [], match } = interests
  let text = ''
  for (const key of exclude) text += `${indent}<exclude${attributes({ key })}/>\n`
  text += textElement('expression', expression, indent)
  if (threshold !== profileDefaults.threshold) text += `${indent}<threshold${attributes({ relevance: threshold })}/>\n`
  if (stemming !== profileDefaults.stemming) text += `${indent}<stemming${attributes({ language: stemming })}/>\n`
  if (scorer !== '' && scorer !== profileDefaults.scorer) text += `${indent}<scorer${attributes({ name: scorer })}/>\n`
  for (const source of ignore) text += textElement('ignore', source, indent)
  if (match !== profileDefaults.match) text += `${indent}<match${attributes({ on: match })}/>\n`
  return text
}

export function amountElement(amount: WrittenAmount, indent: string): string {
  return amount === profileDefaults.amount ? '' : `${indent}<amount size="${amount}"/>\n`
}

export type WrittenAmount = (typeof amounts)[number]

export function deliveryElement(delivery: WrittenDelivery, indent: string): string {
  const { channels, cadence, quiet, perHour, urgentFrom, escalation } = delivery
  const isUsual = channels.length === 1 && channels[0] === profileDefaults.channels[0]
  const isPlain = quiet === null && perHour === null && urgentFrom === null && escalation === null
  if (isUsual && isPlain && cadence === profileDefaults.cadence) return ''
  let text = `${indent}<delivery${attributes({ cadence, perhour: perHour, urgentfrom: urgentFrom })}>\n`
  for (const name of channels) text += `${indent}  <channel${attributes({ name })}/>\n`
  if (quiet !== null) text += `${indent}  <quiet${attributes({ ...quiet, zone: quiet.zone || null })}/>\n`
  if (escalation !== null) text += `${indent}  <escalation${attributes(escalation)}/>\n`
  return `${text}${indent}</delivery>\n`
}
