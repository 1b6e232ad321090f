import { profileDefaults } from './profile-defaults.ts'
import { attributes } from './xml-attributes.ts'
import { bareTextElement, textElement } from './xml-writing.ts'

/** What profiles and unified resource descriptions have in common, and how it is written. Times are milliseconds. */

export const scopeKinds = ['page', 'path', 'host', 'domain', 'pattern'] as const
export const processTypes = ['filter', 'track', 'archive'] as const
export const amounts = ['summary', 'full'] as const
export const truths = ['true', 'false'] as const

export type WrittenSource = {
  readonly uri: string
  readonly everyMs: number
  readonly everyMaxMs: number
  readonly depth: number
  readonly scope: WrittenScope
  readonly process: (typeof processTypes)[number]
  readonly window: WrittenWindow | null
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
  /** Left out, none. */
  readonly ignore?: readonly string[] | undefined
}

export type WrittenDelivery = { readonly channels: readonly string[]; readonly cadence: string }

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

/** All of the interests but the keywords, as far as they are not as usual. */
export function interestElements(interests: WrittenInterests, indent: string): string {
  const { exclude, expression, threshold, stemming, scorer, ignore = [] } = interests
  let text = ''
  for (const key of exclude) text += `${indent}<exclude${attributes({ key })}/>\n`
  text += textElement('expression', expression, indent)
  if (threshold !== profileDefaults.threshold) text += `${indent}<threshold${attributes({ relevance: threshold })}/>\n`
  if (stemming !== profileDefaults.stemming) text += `${indent}<stemming${attributes({ language: stemming })}/>\n`
  if (scorer !== '' && scorer !== profileDefaults.scorer) text += `${indent}<scorer${attributes({ name: scorer })}/>\n`
  for (const source of ignore) text += textElement('ignore', source, indent)
  return text
}

export function amountElement(amount: WrittenAmount, indent: string): string {
  return amount === profileDefaults.amount ? '' : `${indent}<amount size="${amount}"/>\n`
}

export type WrittenAmount = (typeof amounts)[number]

export function deliveryElement({ channels, cadence }: WrittenDelivery, indent: string): string {
  const isUsual = channels.length === 1 && channels[0] === profileDefaults.channels[0]
  if (isUsual && cadence === profileDefaults.cadence) return ''
  let text = `${indent}<delivery${attributes({ cadence })}>\n`
  for (const name of channels) text += `${indent}  <channel${attributes({ name })}/>\n`
  return `${text}${indent}</delivery>\n`
}
