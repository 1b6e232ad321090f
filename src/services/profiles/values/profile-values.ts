import type { Config } from '../../../config/config.ts'
import { formatDuration } from '../../../config/quantities.ts'
import type { ValidationError } from '../../../config/validation-errors.ts'
import {
  amounts,
  type Interests,
  type ProfileDraft,
  type Scope,
  type Source,
  type TimeWindow,
} from '../../../core/profile.ts'
import { ignoredBy } from '../../../core/text/ignored-text.ts'
import { validateInterests } from '../../../matching/interests/compile-interests.ts'
import type { ChannelStore } from '../../../store/contracts/channels.ts'
import type { CredentialStore } from '../../../store/contracts/credentials.ts'
import { profileDefaults, timeOfDay } from '../../../xml/profile/profile.ts'
import { scorersOf } from '../../scoring/scorers-of.ts'
import type { ProtocolAbilities } from '../protocols.ts'
import { type CheckChannel, readDeliveryValues, urgencies } from './delivery-values.ts'
import { readInterestValues } from './interest-values.ts'
import { createPlainValues, type PlainValues, shown } from './plain-values.ts'
import { readSourceValues, type SourceRules } from './source-values.ts'

/**
 * One set of rules for profiles in every format. Everything optional has a default, unknown keys are
 * rejected, and all errors are reported together.
 */
export type ProfileRules = SourceRules & {
  /** Validates interests for matching; positions as in `keywords[3].weight`. */
  checkInterests(interests: Interests): readonly ValidationError[]
  checkChannel: CheckChannel
}

export type ReadProfile =
  /** `id` and `owner` are null if missing; the caller decides whether they count. */
  | { kind: 'profile'; profile: ProfileDraft; id: string | null; owner: string | null }
  | { kind: 'invalid'; errors: ValidationError[] }

const profileKeys = ['id', 'owner', 'name', 'paused', 'sources', 'interests', 'urgency', 'amount', 'delivery']
export const MAX_SOURCES = 1000
const MAX_LISTED = 10
const MAX_NAME = 200

/** Channels that every user has. */
export const builtInChannels: readonly string[] = ['inbox']

/** Channels and credentials that the profiles of an owner may name. */
export type Belongings = {
  /** Ids of channels, built-in ones included. */
  channels: readonly string[]
  /** Names of stored credentials. */
  credentials: readonly string[]
}

export type BelongingsOf = (owner: string) => Promise<Belongings>

export type BelongingStores = {
  channels: Pick<ChannelStore, 'list'>
  credentials: Pick<CredentialStore, 'list'>
}

export function createBelongings({ channels, credentials }: BelongingStores): BelongingsOf {
  return async (owner) => ({
    channels: [...builtInChannels, ...(await channels.list(owner)).map(({ id }) => id)],
    credentials: (await credentials.list(owner)).map(({ name }) => name),
  })
}

const nobodys: Belongings = { channels: builtInChannels, credentials: [] }

/** `abilities`: the capabilities of the fetchers. */
export function profileRules(
  { crawl, server, parts }: Config,
  abilities: ProtocolAbilities,
  has: Belongings = nobodys,
): ProfileRules {
  const { scorers } = scorersOf({ parts })
  const checkInterests: ProfileRules['checkInterests'] = (interests) => validateInterests(interests, scorers)
  const hubsReachUs = server.url !== ''
  return { maxUriLength: crawl.maxUrlLength, abilities, hubsReachUs, checkInterests, ...belongingRules(has) }
}

/** The same rules for an owner with these channels and credentials. */
export function withBelongings(rules: ProfileRules, has: Belongings): ProfileRules {
  return { ...rules, ...belongingRules(has) }
}

function belongingRules({
  channels,
  credentials,
}: Belongings): Pick<ProfileRules, 'checkChannel' | 'checkCredentials'> {
  return { checkChannel: knownChannels(channels), checkCredentials: knownCredentials(credentials) }
}

function knownCredentials(names: readonly string[]): ProfileRules['checkCredentials'] {
  return (name) => {
    if (names.includes(name)) return null
    const expected = new Intl.ListFormat('en', { type: 'disjunction' }).format(names.slice(0, MAX_LISTED).map(shown))
    return `you have no credentials named ${shown(name)}; ${expected === '' ? 'store them first' : `expected ${expected}`}`
  }
}

function knownChannels(channels: readonly string[]): CheckChannel {
  const known = new Set(channels)
  return (id) => {
    if (known.has(id)) return null
    const expected = new Intl.ListFormat('en', { type: 'disjunction' }).format(channels.slice(0, MAX_LISTED))
    return `unknown channel ${shown(id)}; expected ${expected}`
  }
}

/** A profile from parsed JSON. */
export function readProfileJson(value: unknown, rules: ProfileRules): ReadProfile {
  const values = createPlainValues()
  const given = values.required(value, '', profileKeys)
  if (given === null) return { kind: 'invalid', errors: [...values.errors] }
  const interests = readInterestValues(given.interests, values)
  for (const { place, message } of rules.checkInterests(interests)) values.reject(`interests.${place}`, message)
  const sources = readSources(given.sources, { rules, process: usualProcess(interests) }, values)
  const profile: ProfileDraft = {
    name: values.text(given.name, 'name', { max: MAX_NAME }) ?? usualName(sources),
    paused: values.truth(given.paused, 'paused') ?? false,
    sources,
    interests,
    urgency: values.number(given.urgency, 'urgency', urgencies) ?? profileDefaults.urgency,
    amount: values.oneOf(given.amount, 'amount', amounts) ?? profileDefaults.amount,
    delivery: readDeliveryValues(given.delivery, rules.checkChannel, values),
  }
  const id = values.text(given.id, 'id') ?? null
  const owner = values.text(given.owner, 'owner') ?? null
  return values.errors.length > 0
    ? { kind: 'invalid', errors: [...values.errors] }
    : { kind: 'profile', profile, id, owner }
}

function readSources(
  value: unknown,
  deps: { rules: SourceRules; process: Source['process'] },
  values: PlainValues,
): Source[] {
  const list = values.list(value, 'sources', MAX_SOURCES)
  const isEmpty = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
  if (isEmpty) values.reject('sources', 'a profile needs at least one source')
  return list.map((source, index) => readSourceValues(source, `sources[${index}]`, deps, values))
}

function usualProcess({ keywords, exclude, expression }: Interests): Source['process'] {
  return keywords.length > 0 || exclude.length > 0 || expression !== '' ? 'filter' : 'track'
}

function usualName([first]: readonly Source[]): string {
  const uri = URL.parse(first?.uri ?? '')
  return (uri?.host || uri?.pathname || 'profile').slice(0, MAX_NAME)
}

/** The format that `readProfileJson` reads, with every value filled in; `id` and `owner` if the profile has them. */
export function profileToJson(profile: ProfileDraft & { id?: string; owner?: string }): Record<string, unknown> {
  const { id, owner, name, paused, sources, interests, urgency, amount, delivery } = profile
  return {
    ...(id === undefined ? {} : { id }),
    ...(owner === undefined ? {} : { owner }),
    name,
    paused,
    sources: sources.map(sourceToJson),
    interests: {
      ...interests,
      keywords: interests.keywords.map(({ key, weight }) => ({ key, weight })),
      exclude: [...interests.exclude],
      ignore: [...ignoredBy(interests)],
      match: interests.match,
    },
    urgency,
    amount,
    delivery: { ...delivery, channels: [...delivery.channels] },
  }
}

function sourceToJson(source: Source): Record<string, unknown> {
  const { uri, template, everyMs, everyMaxMs, depth, scope, process, window } = source
  return {
    uri: template || uri,
    every: formatDuration(everyMs),
    ...(everyMaxMs === everyMs ? {} : { everyMax: formatDuration(everyMaxMs) }),
    depth,
    scope: scopeToJson(scope),
    process,
    ...(window === null ? {} : { window: windowToJson(window) }),
    select: [...source.select],
    omit: [...source.omit],
    aspects: [...source.aspects],
    conditions: [...source.conditions],
    render: source.render,
    credentials: source.credentials,
    method: source.method,
  }
}

function scopeToJson(scope: Scope): unknown {
  if (scope.kind !== 'pattern') return scope.kind
  return ['page', 'path', 'host', 'domain'].includes(scope.source) ? { pattern: scope.source } : scope.source
}

function windowToJson({ zone, days, fromMinute, toMinute }: TimeWindow): unknown {
  return { zone, days: [...days], from: timeOfDay(fromMinute), to: timeOfDay(toMinute) }
}
