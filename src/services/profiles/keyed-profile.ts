import { AppError } from '../../core/errors.ts'
import type { Profile } from '../../core/profile.ts'
import { createNormaliser, type NormaliserOptions } from '../../crawl/normalize/normaliser.ts'
import { schemeOf } from '../../fetchers/fetcher.ts'
import type { KeyedProfile } from '../../store/contracts/profiles.ts'
import { watchKey } from '../scheduler/urds/urd.ts'
import { familyOf } from './protocols.ts'

/** Gives the sources of profiles the keys by which equal ones are fetched as one. */
export function createProfileKeys(naming: NormaliserOptions): (profile: Profile) => KeyedProfile {
  const normalise = createNormaliser(naming)

  function name(uri: string): { uri: string; key: string } {
    const family = familyOf(schemeOf(uri))
    if (family !== 'web' && family !== '') return { uri, key: watchKey(family, uri) }
    const url = URL.parse(uri)?.href
    const named = url === undefined ? null : normalise(url)
    if (named === null || named.kind === 'rejected')
      throw new AppError('url-invalid', `${uri.slice(0, 200)} can't be watched`)
    return { uri: named.url, key: watchKey('web', named.key) }
  }

  return (profile) => {
    const named = profile.sources.map(({ uri }) => name(uri))
    const sources = profile.sources.map((source, place) => ({ ...source, uri: named[place]!.uri }))
    return { profile: { ...profile, sources }, keys: named.map(({ key }) => key) }
  }
}
