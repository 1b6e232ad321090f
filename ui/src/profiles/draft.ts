import type { Profile } from '../api/types.ts'
import { complete } from './source-uri.ts'

/**
 * A profile being edited: every field has a value, rows have stable keys, and empty rows are not sent. `bodyOf` returns the
 * request body and the row that each of its members came from, so that errors can be shown at their fields.
 */
export const scopeKinds = ['page', 'path', 'host', 'domain', 'pattern'] as const
export type ScopeKind = (typeof scopeKinds)[number]
export type DraftWindow = NonNullable<Profile['sources'][number]['window']>
export type DraftSource = {
  key: string
  uri: string
  every: string
  everyMax: string
  depth: number
  scope: ScopeKind
  pattern: string
  /** Empty: by the interests if there are any, else every change. */
  process: '' | Profile['sources'][number]['process']
  window: DraftWindow | null
  /** One per line; empty lines are not sent. */
  select: string[]
  omit: string[]
  conditions: string[]
  aspects: Aspect[]
  /** How the source is fetched. */
  access: Access
}
export type Access = Pick<Profile['sources'][number], 'render' | 'credentials' | 'method'>
export type Aspect = Profile['sources'][number]['aspects'][number]
export type DraftTerm = { key: string; term: string; weight: number }
export type Draft = {
  name: string
  paused: boolean
  sources: DraftSource[]
  terms: DraftTerm[]
  exclude: string[]
  expression: string
  threshold: number
  stemming: string
  scorer: string
  /** One per line; empty lines are not sent. */
  ignore: string[]
  match: Profile['interests']['match']
  urgency: number
  amount: Profile['amount']
  channels: string[]
  cadence: string
  /** The other delivery settings. */
  policy: Omit<Profile['delivery'], 'channels' | 'cadence'>
}
export type ValidationError = { place: string; message: string }
export type Prefill = { name?: string; uri?: string; expression?: string }

let rows = 0
const newKey = () => `row-${++rows}`

export function newSource(uri = ''): DraftSource {
  const scope = 'host'
  return {
    key: newKey(),
    uri,
    every: '1h',
    everyMax: '',
    depth: 0,
    scope,
    pattern: '',
    process: '',
    window: null,
    select: [],
    omit: [],
    conditions: [],
    aspects: ['text', 'links'],
    access: { render: 'http', credentials: '', method: 'pull' },
  }
}

export function newTerm(term: string, weight = 1): DraftTerm {
  return { key: newKey(), term, weight }
}

export function emptyDraft({ name = '', uri = '', expression = '' }: Prefill = {}): Draft {
  return {
    name,
    paused: false,
    sources: [newSource(uri)],
    terms: [],
    exclude: [],
    expression,
    threshold: 0,
    stemming: '',
    scorer: 'keywords',
    ignore: [],
    match: 'change',
    urgency: 1,
    amount: 'summary',
    channels: ['inbox'],
    cadence: 'immediate',
    policy: { quiet: null, perHour: null, urgentFrom: null, escalation: null },
  }
}

function draftSource(source: Profile['sources'][number]): DraftSource {
  const { uri, every, everyMax = '', depth, process, window = null, select, omit, conditions, aspects } = source
  const { render, credentials, method } = source
  const given = typeof source.scope === 'string' ? source.scope : ''
  const kind = scopeKinds.find((scope) => scope === given && scope !== 'pattern')
  const pattern = typeof source.scope === 'string' ? given : source.scope.pattern
  const scope = kind ?? 'pattern'
  const rest = { scope, pattern: kind ? '' : pattern, process, window, select, omit, conditions, aspects }
  return { key: newKey(), uri, every, everyMax, depth, ...rest, access: { render, credentials, method } }
}

export function draftOf(profile: Profile): Draft {
  const { name, paused, sources, interests, urgency, amount, delivery } = profile
  const { keywords, exclude, expression, threshold, stemming, scorer, ignore, match } = interests
  const { channels, cadence, ...policy } = delivery
  return {
    name,
    paused,
    sources: sources.map(draftSource),
    terms: keywords.map(({ key, weight }) => newTerm(key, weight)),
    exclude: [...exclude],
    expression,
    threshold,
    stemming,
    scorer,
    ignore: [...ignore],
    match,
    urgency,
    amount,
    channels: [...channels],
    cadence,
    policy,
  }
}

export type DraftBody = {
  body: Record<string, unknown>
  sourceRows: number[]
  termRows: number[]
  ignoreRows: number[]
  /** For each source that is sent, the lines it came from. */
  lineRows: Record<LineField, number[]>[]
}

const lineFields = ['select', 'omit', 'conditions'] as const
type LineField = (typeof lineFields)[number]

function sourceBody(source: DraftSource, lines: Record<LineField, number[]>) {
  const { uri, every, everyMax, depth, scope, pattern, process, window, aspects } = source
  return {
    ...Object.fromEntries(lineFields.map((field) => [field, lines[field].map((at) => source[field][at]!)])),
    aspects,
    ...source.access,
    uri: complete(uri.trim()),
    every: every.trim(),
    ...(everyMax.trim() !== '' && { everyMax: everyMax.trim() }),
    depth,
    scope: scope === 'pattern' ? { pattern } : scope,
    ...(process !== '' && { process }),
    ...(window !== null && { window }),
  }
}

function lineRowsOf({ select, omit, conditions }: DraftSource): Record<LineField, number[]> {
  const isSent = (line: string) => line.trim() !== ''
  return { select: rowsOf(select, isSent), omit: rowsOf(omit, isSent), conditions: rowsOf(conditions, isSent) }
}

export function bodyOf(draft: Draft): DraftBody {
  const sourceRows = rowsOf(draft.sources, ({ uri }) => uri.trim() !== '')
  const termRows = rowsOf(draft.terms, ({ term }) => term.trim() !== '')
  const ignoreRows = rowsOf(draft.ignore, (line) => line.trim() !== '')
  const lineRows = sourceRows.map((at) => lineRowsOf(draft.sources[at]!))
  const { name, paused, exclude, expression, threshold, stemming, scorer, match } = draft
  const { urgency, amount, channels, cadence, policy } = draft
  const body = {
    ...(name.trim() !== '' && { name: name.trim() }),
    paused,
    sources: sourceRows.map((at, place) => sourceBody(draft.sources[at]!, lineRows[place]!)),
    interests: {
      keywords: termRows.map((at) => ({ key: draft.terms[at]!.term.trim(), weight: draft.terms[at]!.weight })),
      exclude,
      expression,
      threshold,
      stemming,
      scorer,
      ignore: ignoreRows.map((at) => draft.ignore[at]!),
      match,
    },
    urgency,
    amount,
    delivery: { channels, cadence, ...policy },
  }
  return { body, sourceRows, termRows, ignoreRows, lineRows }
}

/** The request body for trying one source, with the profile's keywords if the address is a template for them. */
export function triedBodyOf(source: DraftSource, terms: readonly DraftTerm[]) {
  const keywords = terms.map(({ term }) => term.trim()).filter((term) => term !== '')
  const isTemplate = /\{keywords\}|%7Bkeywords%7D/i.test(source.uri)
  return { ...sourceBody(source, lineRowsOf(source)), ...(isTemplate && { keywords }) }
}

function rowsOf<T>(list: readonly T[], isSent: (each: T) => boolean): number[] {
  return list.flatMap((each, at) => (isSent(each) ? [at] : []))
}

/** Maps errors from positions in the body to rows of the draft. */
export function mapErrors(
  errors: readonly ValidationError[],
  { sourceRows, termRows, ignoreRows, lineRows }: DraftBody,
): ValidationError[] {
  return errors.map(({ place, message }) => ({
    place: place
      .replace(/^(sources\[(\d+)\]\.(select|omit|conditions))\[(\d+)\]/, (_, field, source, name, at) => {
        const line = lineFields.find((each) => each === name)
        const rows = line && lineRows[Number(source)]?.[line]
        return `${field}[${rows?.[Number(at)] ?? at}]`
      })
      .replace(/^sources\[(\d+)\]/, (_, at) => `sources[${sourceRows[Number(at)] ?? at}]`)
      .replace(/^interests\.keywords\[(\d+)\]/, (_, at) => `terms[${termRows[Number(at)] ?? at}]`)
      .replace(/^interests\.ignore\[(\d+)\]/, (_, at) => `ignore[${ignoreRows[Number(at)] ?? at}]`)
      .replace(/^interests\./, ''),
    message,
  }))
}

/** Row keys don't count as content. */
export function isSameDraft(one: Draft, other: Draft): boolean {
  const flat = (draft: Draft) => JSON.stringify(draft, (name, value) => (name === 'key' ? undefined : value))
  return flat(one) === flat(other)
}

export function totalWeight({ terms }: Draft): number {
  return terms.reduce((sum, { weight }) => sum + (Number.isFinite(weight) ? weight : 0), 0)
}

export function hasInterests({ terms, exclude, expression }: Draft): boolean {
  return terms.length > 0 || exclude.length > 0 || expression.trim() !== ''
}
