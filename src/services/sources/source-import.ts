import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { parseDuration } from '../../config/quantities.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import type { Profile } from '../../core/profile.ts'
import type { KeyedProfile, ProfileStore } from '../../store/contracts/profiles.ts'
import type { HoldingLimits } from '../profiles/holdings.ts'
import type { PrivateAddress } from '../profiles/private-address.ts'
import { supportOf } from '../profiles/protocols.ts'
import { type ProfileRules, readProfileJson } from '../profiles/values/profile-values.ts'
import { looksLikeOpml, readOpml } from './opml.ts'
import type { SourceService } from './source-service.ts'
import { type ListedUrl, readUrlList, type SkippedLine, shown } from './url-list.ts'

export type SourceImportDeps = {
  profiles: Pick<ProfileStore, 'put'>
  keyed(profile: Profile): KeyedProfile
  sources: Pick<SourceService, 'held'>
  rules: ProfileRules
  limits: HoldingLimits
  privateAddress: PrivateAddress
}

export type ImportedList = { text: string; format: 'auto' | 'list' | 'opml'; every?: string }

export type ImportedSources = { profiles: { id: string; name: string }[]; skipped: SkippedLine[] }

const AT_ONCE = 100
/** Skipped lines cost time as well. */
const LINES_AT_ONCE = 200
const MAX_SKIPPED = 2000
const MAX_NAME = 200

/** Creates a profile per address of a list, which tracks every change of that page. Gives a reason for each skipped one. */
export function createSourceImport(deps: SourceImportDeps) {
  const { profiles, keyed, sources, rules, limits, privateAddress } = deps
  function profileOf(owner: string, { url, name }: ListedUrl, every: string | undefined): KeyedProfile {
    const support = supportOf(url, rules.schemes)
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

  return async function importSources(owner: string, { text, format, every }: ImportedList): Promise<ImportedSources> {
    if (every !== undefined && !((parseDuration(every) ?? 0) > 0))
      throw new AppError('request-invalid', 'every: expected an interval such as 30s, 10m, 1h or 7d')
    const isOpml = format === 'opml' || (format === 'auto' && looksLikeOpml(text))
    const { urls, skipped } = isOpml ? await readOpml(text) : await readUrlList(text)
    const held = await sources.held(owner)
    const added: { id: string; name: string }[] = []
    let ready: KeyedProfile[] = []

    async function put(): Promise<void> {
      await profiles.put(ready)
      for (const { profile } of ready) added.push({ id: profile.id, name: profile.name })
      ready = []
      await turn()
    }

    for (const [n, each] of urls.entries()) {
      if (n % LINES_AT_ONCE === LINES_AT_ONCE - 1) await turn()
      const made = make(() => profileOf(owner, each, every))
      const why = typeof made === 'string' ? made : refusalOf(made, held)
      if (why !== null) skipped.push({ line: each.line, text: shown(each.url), why })
      else if (typeof made !== 'string') ready.push(made)
      if (ready.length >= AT_ONCE) await put()
    }
    if (ready.length > 0) await put()
    return { profiles: added, skipped: shortened(skipped) }
  }

  /** Null if it is accepted; it then counts as watched. */
  function refusalOf({ keys }: KeyedProfile, held: Held): string | null {
    const key = keys[0]!
    if (held.keys.has(key)) return 'Already watched'
    if (held.sources >= limits.maxSources) return `Limit of ${limits.maxSources} sources reached`
    if (held.profiles >= limits.maxProfiles) return `Limit of ${limits.maxProfiles} profiles reached`
    held.keys.add(key)
    held.sources++
    held.profiles++
    return null
  }
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

/** Names are shown in many places, and to others in exports; a password in an address isn't for them. */
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
