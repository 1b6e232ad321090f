import { AppError } from '../../core/errors.ts'
import { type Profile, type Source, watchedUri } from '../../core/profile.ts'
import { withoutAccess } from '../../core/url/access.ts'
import { expandParameters } from '../../core/url/data-parameters.ts'
import type { NormaliserOptions } from '../../crawl/normalize/normaliser.ts'
import { createSourceNaming } from '../../crawl/normalize/source-naming.ts'
import { schemeOf } from '../../fetchers/fetcher.ts'
import type { KeyedProfile } from '../../store/contracts/profiles.ts'
import { watchKey } from '../scheduler/urds/urd.ts'
import { familyOf } from './protocols.ts'

/**
 * Gives the sources of profiles the keys by which equal ones are fetched as one. `spell` normalises URIs of protocols other than the
 * web's; it throws `url-invalid` for an invalid one. `{keywords}` in an address is replaced by those of the profile; the original
 * address is kept as `template`.
 */
export function createProfileKeys(
  naming: NormaliserOptions,
  spell: (uri: string) => string = (uri) => uri,
): (profile: Profile) => KeyedProfile {
  const nameOf = createSourceNaming(naming)

  function name(owner: string, source: Source): { uri: string; key: string } {
    const { uri } = source
    const family = familyOf(schemeOf(uri))
    if (family !== 'web' && family !== '') {
      const spelt = spell(uri)
      return { uri: spelt, key: watchKey(family, watchedUri(owner, { ...source, uri: spelt })) }
    }
    const url = URL.parse(uri)?.href
    if (url === undefined) throw new AppError('url-invalid', `${uri.slice(0, 200)} can't be watched`)
    const named = nameOf(watchedUri(owner, { ...source, uri: url }))
    return { uri: withoutAccess(named.url), key: watchKey('web', named.key) }
  }

  return (profile) => {
    const keywords = profile.interests.keywords.map(({ key }) => key)
    const named = profile.sources.map((source) => {
      const written = source.template || source.uri
      const uri = expandParameters(written, { keywords })
      return { ...name(profile.owner, { ...source, uri }), template: uri === written ? '' : written }
    })
    const sources = profile.sources.map((source, place) => {
      const { uri, template } = named[place]!
      return { ...source, uri, template }
    })
    return { profile: { ...profile, sources }, keys: named.map(({ key }) => key) }
  }
}
