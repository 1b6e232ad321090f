import type { ValidationError } from '../../../config/validation-errors.ts'
import type { Profile, ProfileDraft, ProfileUrd, Source } from '../../../core/profile.ts'
import { schemeOf } from '../../../fetchers/fetcher.ts'
import type { WrittenUrd } from '../../../xml/profile/urd.ts'
import type { PlainUrd } from '../../../xml/profile/urd-reader.ts'
import { isSameProtocol, portOf, supportOf } from '../protocols.ts'
import { createPlainValues, type PlainValues } from './plain-values.ts'
import { type ProfileRules, readProfileJson } from './profile-values.ts'

/** The maximum value of a Date. */
const LAST_MS = 8.64e15

export type ReadUrd = { kind: 'urd'; urd: ProfileUrd } | { kind: 'invalid'; errors: ValidationError[] }

/** Applies the rules for profiles to one source; places of errors as there, plus `protocol`, `port` and `lastCheckedAt`. */
export function readUrdValues(item: PlainUrd, rules: ProfileRules): ReadUrd {
  const { id, owner, plain, profile: profileId, protocol } = item
  const values = createPlainValues()
  const read = readProfileJson({ ...plain, id: id || null, owner: owner || null }, rules)
  const source = read.kind === 'profile' ? read.profile.sources[0]! : null
  const support = supportOf(`${protocol}:`, [...rules.abilities.keys()])
  if (protocol === '') values.reject('protocol', 'is missing')
  else if (support.kind === 'unknown') values.reject('protocol', support.message)
  else if (source !== null && !isSameProtocol(protocol.toLowerCase(), schemeOf(source.uri)))
    values.reject('protocol', `is ${protocol}, but the URI starts with ${schemeOf(source.uri)}:`)
  const lastCheckedAt = values.number(item.lastCheckedAt, 'lastCheckedAt', { min: 0, max: LAST_MS, whole: true }) ?? 0
  const uri = withPort(source?.uri ?? null, item.port, values)
  if (read.kind === 'invalid') return { kind: 'invalid', errors: [...read.errors, ...values.errors] }
  if (values.errors.length > 0) return { kind: 'invalid', errors: [...values.errors] }
  const { name: _, sources, ...rest } = read.profile
  const watched: Source = { ...sources[0]!, uri }
  return { kind: 'urd', urd: { ...rest, id, owner, profile: profileId, source: watched, lastCheckedAt } }
}

/** Adds the port if the URI has none; two different ports are an error. */
function withPort(uri: string | null, given: unknown, values: PlainValues): string {
  const port = values.number(given, 'port', { min: 1, max: 65_535, whole: true })
  const url = URL.parse(uri ?? '')
  if (uri === null || url === null || port === undefined || port === portOf(uri)) return uri ?? ''
  if (url.port !== '') values.reject('port', `is ${port}, but the URI has ${url.port}`)
  else if (url.host === '') values.reject('port', 'requires a host, but the URI has none')
  url.port = String(port)
  return url.href
}

/** One URD per source. `factsOf` provides what only the scheduler knows. */
export function urdsOf(
  { sources, id, name: _, ...profile }: Profile,
  factsOf: (index: number) => { id: string; lastCheckedAt: number },
): ProfileUrd[] {
  return sources.map((source, index) => {
    const { id: own, lastCheckedAt } = factsOf(index)
    return { ...profile, id: own, profile: id, source, lastCheckedAt }
  })
}

export function writtenUrd(urd: ProfileUrd): WrittenUrd {
  return { ...urd, protocol: schemeOf(urd.source.uri), port: portOf(urd.source.uri) }
}

/** The profiles that URDs come from: URDs of one profile are merged if they agree. */
export function profilesOfUrds<T extends { urd: ProfileUrd }>(
  items: readonly T[],
): { draft: ProfileDraft; first: T }[] {
  const found = new Map<string, { draft: ProfileDraft & { sources: Source[] }; first: T }>()
  for (const [index, item] of items.entries()) {
    const { id: _, owner, profile, source, lastCheckedAt: __, ...shared } = item.urd
    const key = profile === '' ? String(index) : JSON.stringify([owner, profile, shared])
    const known = found.get(key)
    if (known !== undefined) known.draft.sources.push(source)
    else {
      const name = URL.parse(source.uri)?.host || source.uri.slice(0, 200)
      found.set(key, { draft: { ...shared, name, sources: [source] }, first: item })
    }
  }
  return [...found.values()]
}
