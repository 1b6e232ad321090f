import { hostNameOf } from '../../core/partition.ts'
import { createPattern } from '../../core/pattern/pattern.ts'
import { rememberHost } from './host-memo.ts'

/**
 * Mercator's URL filters: each answers whether a URL may be fetched, and filters are put together with `and`, `or` and
 * `not`. They are given normalised URLs.
 */
export type UrlFilter = { readonly name: string; accepts(url: string): boolean }

/** Accepts what all accept; without filters, everything. */
export function and(...filters: UrlFilter[]): UrlFilter {
  return { name: joined('and', filters), accepts: (url) => filters.every((filter) => filter.accepts(url)) }
}

/** Accepts what at least one accepts; without filters, nothing. */
export function or(...filters: UrlFilter[]): UrlFilter {
  return { name: joined('or', filters), accepts: (url) => filters.some((filter) => filter.accepts(url)) }
}

export function not(filter: UrlFilter): UrlFilter {
  return { name: `not(${filter.name})`, accepts: (url) => !filter.accepts(url) }
}

function joined(word: string, filters: UrlFilter[]): string {
  return `${word}(${filters.map((filter) => filter.name).join(', ')})`
}

/** Hosts that are one of the domains or lie below one; `example.org` takes in `www.example.org`, not `myexample.org`. */
export function domainFilter(domains: Iterable<string>): UrlFilter {
  const known = new Set<string>()
  for (const domain of domains) known.add(domain.replace(/^\./, '').toLowerCase())
  return { name: 'domain', accepts: rememberHost((host) => isWithin(known, hostNameOf(host))) }
}

/** True where the host or a domain above it is in the set: one look-up a label. */
export function isWithin(domains: ReadonlySet<string>, host: string): boolean {
  for (let from = 0; ; ) {
    if (domains.has(from === 0 ? host : host.slice(from))) return true
    const dot = host.indexOf('.', from)
    if (dot === -1) return false
    from = dot + 1
  }
}

export function prefixFilter(prefixes: Iterable<string>): UrlFilter {
  const all = [...prefixes]
  return { name: 'prefix', accepts: (url) => all.some((prefix) => url.startsWith(prefix)) }
}

/** Schemes without their colon. */
export function protocolFilter(protocols: Iterable<string>): UrlFilter {
  const known = new Set<string>()
  for (const protocol of protocols) known.add(protocol.toLowerCase().replace(/:$/, ''))
  return {
    name: 'protocol',
    accepts(url) {
      const colon = url.indexOf(':')
      return colon > 0 && known.has(url.slice(0, colon).toLowerCase())
    },
  }
}

/** The expression may match anywhere in the URL. Throws `usage-wrong` where it cannot be used. */
export function regexFilter(source: string): UrlFilter {
  const pattern = createPattern(source)
  return { name: `regex(${source})`, accepts: (url) => pattern.matches(url) }
}

export function lengthFilter(maxUrlLength: number): UrlFilter {
  return { name: 'length', accepts: (url) => url.length <= maxUrlLength }
}

/** Places that widely used software links to on every page and that never hold a document of their own. */
const knownPaths = new RegExp(
  [
    // Sort links of directory listings: Apache 2, Apache 1.3.
    '\\?(?:C=[NMSD](?:[;&]O=[AD])?|[NMSD]=[AD])$',
    // One page for each comment to reply to and each sharing button.
    '[?&](?:replytocom=\\d|share=(?:twitter|facebook|linkedin|pinterest|reddit|tumblr|email|telegram|x)(?:&|$))',
    // Sign-in, protected addresses, remains of site editors.
    '/(?:wp-login\\.php(?:\\?|$)|cdn-cgi/|_vti_(?:bin|history|cnf)/)',
  ].join('|'),
)

/** Declines the places that are known to be no documents. */
export function knownPathsFilter(): UrlFilter {
  return { name: 'known-paths', accepts: (url) => !knownPaths.test(url) }
}
