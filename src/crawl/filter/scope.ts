import { AppError, isAppError } from '../../core/errors.ts'
import { hostKey, registrableDomain } from '../../core/url/partition.ts'
import { createSourceNaming } from '../normalize/source-naming.ts'
import { regexFilter, rememberHost, type UrlFilter } from './url-filter.ts'

/**
 * How far a crawl goes from its seeds: the pages themselves, everything below their folders, their hosts (the default), or
 * their registrable domains. The scheme does not matter, the port does, as for politeness. If there is an expression, it
 * alone decides; like LARM's `-restrictto` it may match anywhere in the normalised URL.
 */
export type ScopeKind = 'page' | 'path' | 'host' | 'domain'
export type ScopeOptions = { seeds: readonly string[]; kind?: ScopeKind; restrict?: string }

/** Throws `url-invalid` naming all seeds that can't be fetched, and `usage-wrong` for an invalid expression. */
export function createScope({ seeds, kind = 'host', restrict }: ScopeOptions): UrlFilter {
  const starts = normalisedSeeds(seeds)
  if (restrict !== undefined) return { name: 'scope(restrict)', accepts: regexFilter(restrict).accepts }
  return { name: `scope(${kind})`, accepts: acceptedBy(kind, starts) }
}

function acceptedBy(kind: ScopeKind, seeds: string[]): (url: string) => boolean {
  switch (kind) {
    case 'page': {
      const pages = new Set(seeds.map(withoutScheme))
      return (url) => pages.has(withoutScheme(url))
    }
    case 'path':
      return withinFolders(
        seeds.map((seed) =>
          withoutScheme(seed)
            .replace(/\?.*$/s, '')
            .replace(/[^/]*$/, ''),
        ),
      )
    case 'host': {
      const hosts = new Set(seeds.map(hostKey))
      return rememberHost((host) => hosts.has(host))
    }
    case 'domain': {
      const domains = new Set(seeds.map((seed) => registrableDomain(hostKey(seed))))
      return rememberHost((host) => domains.has(registrableDomain(host)))
    }
  }
}

/** Groups folders by host, so that of a thousand seeds only those on the URL's own host cost time. */
function withinFolders(folders: string[]): (url: string) => boolean {
  const byHost = new Map<string, string[]>()
  for (const folder of new Set(folders)) {
    const host = folder.slice(0, folder.indexOf('/'))
    byHost.set(host, [...(byHost.get(host) ?? []), folder])
  }
  return (url) => {
    const rest = withoutScheme(url)
    const own = byHost.get(rest.slice(0, rest.indexOf('/')))
    return own?.some((folder) => rest.startsWith(folder)) ?? false
  }
}

function withoutScheme(url: string): string {
  return hostKey(url) + url.slice(url.indexOf('/', url.indexOf(':') + 3))
}

/** Created once: its expressions cost more than a check of an unchanged page, and every check has a scope. */
const nameOf = createSourceNaming({})

function normalisedSeeds(seeds: readonly string[]): string[] {
  const wrong: string[] = []
  const urls: string[] = []
  for (const seed of seeds) {
    try {
      urls.push(nameOf(seed).url)
    } catch (error) {
      if (!isAppError(error, 'url-invalid')) throw error
      wrong.push(error.message)
    }
  }
  if (wrong.length > 0) throw new AppError('url-invalid', `seeds that cannot be fetched: ${wrong.join(', ')}`)
  return urls
}
