import { createHash, randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { parseDuration } from '../../config/quantities.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import type { Profile } from '../../core/profile.ts'
import type { KeyedProfile, ProfileStore } from '../../store/contracts/profiles.ts'
import type { HoldingLimits } from '../profiles/holdings.ts'
import type { PrivateAddress } from '../profiles/private-address.ts'
import { changeProfiles } from '../profiles/profile-changes.ts'
import { supportOf } from '../profiles/protocols.ts'
import { MAX_SOURCES, type ProfileRules, readProfileJson } from '../profiles/values/profile-values.ts'
import { looksLikeOpml, readOpml } from './opml.ts'
import type { SourceService } from './source-service.ts'
import { type ListedUrl, readUrlList, type SkippedLine, shown } from './url-list.ts'

export type SourceImportDeps = {
  profiles: Pick<ProfileStore, 'find' | 'revision' | 'put'>
  keyed(profile: Profile): KeyedProfile
  sources: Pick<SourceService, 'held'>
  rules: ProfileRules
  limits: HoldingLimits
  privateAddress: PrivateAddress
}

/** `default`: all go to one profile of the owner, which is created if missing. `own`: each gets a profile of its own. */
export type ImportTarget = 'own' | 'default'

export type ImportedList = { text: string; format: 'auto' | 'list' | 'opml'; every?: string; into?: ImportTarget }

export type ImportedSources = {
  added: number
  profiles: { id: string; name: string }[]
  sources: { uri: string; profile: string }[]
  skipped: SkippedLine[]
}

const AT_ONCE = 100
/** Skipped lines cost time as well. */
const LINES_AT_ONCE = 200
const MAX_SKIPPED = 2000
const MAX_NAME = 200
/** Sources listed in the answer. */
const MAX_LISTED = 100
const DEFAULT_NAME = 'My pages'

/** Watches each address of a list: every change of that page is tracked. Gives a reason for each skipped one. */
export function createSourceImport(deps: SourceImportDeps) {
  const { profiles, keyed, sources, rules, limits, privateAddress } = deps
  function profileOf(owner: string, { url, name }: ListedUrl, every: string | undefined): KeyedProfile {
    const support = supportOf(url, [...rules.abilities.keys()])
    if (support.kind !== 'supported') throw new AppError('url-invalid', support.message)
    const refusal = privateAddress(url)
    if (refusal !== null) throw new AppError('url-invalid', refusal)
    const source = { uri: url, depth: 0, scope: 'page', process: 'track', ...(every === undefined ? {} : { every }) }
    const read = readProfileJson(
      {
        name: withoutCredentials(name ?? nameOf(url))
          .slice(0, MAX_NAME)
          .toWellFormed(),
        sources: [source],
      },
      rules,
    )
    if (read.kind === 'invalid') throw new AppError('url-invalid', read.errors.map(({ message }) => message).join('; '))
    return keyed({ ...read.profile, id: randomUUID(), owner })
  }

  /** Adds their sources to the default profile, or to another one when that is full. */
  async function putTogether(owner: string, ready: readonly KeyedProfile[]): Promise<Profile[]> {
    const put: Profile[] = []
    const waiting = ready.flatMap(({ profile }) => profile.sources)
    for (let n = 0; waiting.length > 0; n++) {
      const id = defaultProfileId(owner, n)
      const name = n === 0 ? DEFAULT_NAME : `${DEFAULT_NAME} ${n + 1}`
      let taken = 0
      const [changed] = await changeProfiles(profiles, async () => {
        const profile = (await profiles.find(id)) ?? { ...ready[0]!.profile, id, name, sources: [] }
        const fitting = waiting.slice(0, Math.max(0, MAX_SOURCES - profile.sources.length))
        taken = fitting.length
        return taken === 0 ? [] : [keyed({ ...profile, sources: [...profile.sources, ...fitting] })]
      })
      waiting.splice(0, taken)
      if (changed !== undefined) put.push(changed.profile)
    }
    return put
  }

  const turns = new Map<string, Promise<unknown>>()
  /** Serialises imports per owner: two concurrent ones that add to the same profile would lose an update. */
  async function inTurn<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const next = (turns.get(owner) ?? Promise.resolve()).then(work, work)
    turns.set(owner, next)
    try {
      return await next
    } finally {
      if (turns.get(owner) === next) turns.delete(owner)
    }
  }

  async function importSources(owner: string, list: ImportedList): Promise<ImportedSources> {
    const { text, format, every, into = 'own' } = list
    if (every !== undefined && !((parseDuration(every) ?? 0) > 0))
      throw new AppError('request-invalid', 'every: expected an interval such as 30s, 10m, 1h or 7d')
    const isOpml = format === 'opml' || (format === 'auto' && looksLikeOpml(text))
    const { urls, skipped } = isOpml ? await readOpml(text) : await readUrlList(text)
    const held = await sources.held(owner)
    const named = new Map<string, string>()
    const added: { uri: string; profile: string }[] = []
    let ready: KeyedProfile[] = []

    async function put(): Promise<void> {
      if (into === 'own') await profiles.put(ready)
      const put = into === 'own' ? ready.map(({ profile }) => profile) : await putTogether(owner, ready)
      for (const { id, name } of put) named.set(id, name)
      const last = put.at(-1)!.id
      for (const { profile } of ready)
        added.push({ uri: profile.sources[0]!.uri, profile: into === 'own' ? profile.id : last })
      ready = []
      await turn()
    }

    for (const [n, each] of urls.entries()) {
      if (n % LINES_AT_ONCE === LINES_AT_ONCE - 1) await turn()
      const made = make(() => profileOf(owner, each, every))
      const why = typeof made === 'string' ? made : refusalOf(made, held, into)
      if (why !== null) skipped.push({ line: each.line, text: shown(each.url), why })
      else if (typeof made !== 'string') ready.push(made)
      if (ready.length >= AT_ONCE) await put()
    }
    if (ready.length > 0) await put()
    return {
      added: added.length,
      profiles: [...named].map(([id, name]) => ({ id, name })),
      sources: added.slice(0, MAX_LISTED),
      skipped: shortened(skipped),
    }
  }

  /** Null if it is accepted; it then counts as watched. */
  function refusalOf({ keys }: KeyedProfile, held: Held, into: ImportTarget): string | null {
    const key = keys[0]!
    if (held.keys.has(key)) return 'Already watched'
    if (held.sources >= limits.maxSources) return `Limit of ${limits.maxSources} sources reached`
    // The default profile is exempt from the limit.
    if (into === 'own' && held.profiles >= limits.maxProfiles) return `Limit of ${limits.maxProfiles} profiles reached`
    held.keys.add(key)
    held.sources++
    if (into === 'own') held.profiles++
    return null
  }

  return (owner: string, list: ImportedList): Promise<ImportedSources> =>
    inTurn(owner, () => importSources(owner, list))
}

/** Derived from the owner alone, so that the profile is found even after a rename. */
export function defaultProfileId(owner: string, n = 0): string {
  const hex = createHash('sha256').update(`default profile ${n} of ${owner}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

type Held = Awaited<ReturnType<SourceService['held']>>

function make(profile: () => KeyedProfile): KeyedProfile | string {
  try {
    return profile()
  } catch (error) {
    if (!isAppError(error, 'url-invalid')) throw error
    return error.message
  }
}

/** Names are shown in many places and exported to others, so they must not contain a password from an address. */
function withoutCredentials(name: string): string {
  return name.replace(/(\b[a-z][a-z0-9+.-]{1,20}:\/\/|^)[^\s/@?#]{1,500}@(?=[^\s@]*\.|localhost|\[)/gi, '$1')
}

function nameOf(url: string): string {
  return url.replace(/^https?:\/\/(?:www\.)?/i, '').replace(/\/$/, '') || url
}

function shortened(skipped: SkippedLine[]): SkippedLine[] {
  const inOrder = skipped.toSorted((a, b) => a.line - b.line)
  if (inOrder.length <= MAX_SKIPPED) return inOrder
  const { line } = inOrder[MAX_SKIPPED]!
  return [...inOrder.slice(0, MAX_SKIPPED), { line, text: '', why: `and ${inOrder.length - MAX_SKIPPED} more` }]
}
