import { AppError } from '../../core/errors.ts'
import type { Profile } from '../../core/profile.ts'
import { createNormaliser } from '../../crawl/normalise/normaliser.ts'
import type { KeyedProfile } from '../../store/profiles.ts'
import { watchKey } from '../scheduler/urd.ts'

type Naming = NonNullable<Parameters<typeof createNormaliser>[0]>

/** Gives the sources of profiles the keys by which equal ones are fetched as one. */
export function createProfileKeys(naming: Naming): (profile: Profile) => KeyedProfile {
  const normalise = createNormaliser(naming)
  return (profile) => {
    const named = profile.sources.map((source) => {
      const url = URL.parse(source.uri)?.href
      const result = url === undefined ? null : normalise(url)
      if (result === null || result.kind === 'rejected')
        throw new AppError('url-invalid', `${source.uri.slice(0, 200)} can't be watched`)
      return { source: { ...source, uri: result.url }, key: watchKey('web', result.key) }
    })
    return { profile: { ...profile, sources: named.map(({ source }) => source) }, keys: named.map(({ key }) => key) }
  }
}
