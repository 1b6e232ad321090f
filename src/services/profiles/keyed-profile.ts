import { AppError } from '../../core/errors.ts'
import { type Profile, type Source, watchedUri } from '../../core/profile.ts'
import { createNormaliser, type NormaliserOptions } from '../../crawl/normalize/normaliser.ts'
import { schemeOf } from '../../fetchers/fetcher.ts'
import type { KeyedProfile } from '../../store/contracts/profiles.ts'
import { watchKey } from '../scheduler/urds/urd.ts'
import { familyOf } from './protocols.ts'

/** Gives the sources of profiles the keys by which equal ones are fetched as one. */
export function createProfileKeys(naming: NormaliserOptions): (profile: Profile) => KeyedProfile {
  const normalise = createNormaliser(naming)

  function name(owner: string, source: Source): { uri: string; key: string } {
    const { uri } = source
    const keyOf = (key: string) => watchedUri(owner, { ...source, uri: key })
    const family = familyOf(schemeOf(uri))
    if (family !== 'web' && family !== '') return { uri, key: watchKey(family, keyOf(uri)) }
    const url = URL.parse(uri)?.href
    const named = url === undefined ? null : normalise(url)
    if (named === null || named.kind === 'rejected')
      throw new AppError('url-invalid', `${uri.slice(0, 200)} can't be watched`)
    return { uri: named.url, key: watchKey('web', keyOf(named.key)) }
  }

  return (profile) => {
    const named = profile.sources.map((source) => name(profile.owner, source))
    const sources = profile.sources.map((source, place) => ({ ...source, uri: named[place]!.uri }))
    return { profile: { ...profile, sources }, keys: named.map(({ key }) => key) }
  }
}
