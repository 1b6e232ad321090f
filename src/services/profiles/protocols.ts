import { nearMiss } from '../../config/near-miss.ts'
import { schemeOf } from '../../fetchers/fetcher.ts'

/** Capabilities of the sources of one scheme. */
export type SourceAbilities = {
  /** They push changes themselves, or through a hub, which must know the public address of this server. */
  push: boolean | 'by-hub'
  credentials: 'none' | 'optional' | 'required'
  /** They link to further pages or folders. */
  depth: boolean
  /** A browser can render them. */
  browser: boolean
}

/** Capabilities by scheme, for each that can be watched. */
export type ProtocolAbilities = ReadonlyMap<string, SourceAbilities>

/** Capabilities of the usual web fetcher. */
export const webAbilities: ProtocolAbilities = new Map(
  ['http', 'https'].map((scheme) => [scheme, { push: 'by-hub', credentials: 'optional', depth: true, browser: true }]),
)

/** Schemes allowed in profiles, with their protocol family and default port. Which of them can be watched depends on the fetchers. */
const protocols = new Map<string, { family: string; port: number | null }>([
  ['http', { family: 'web', port: 80 }],
  ['https', { family: 'web', port: 443 }],
  ['imap', { family: 'mail', port: 143 }],
  ['imaps', { family: 'mail', port: 993 }],
  ['pop3', { family: 'mail', port: 110 }],
  ['pop3s', { family: 'mail', port: 995 }],
  ['nntp', { family: 'news', port: 119 }],
  ['nntps', { family: 'news', port: 563 }],
  ['news', { family: 'news', port: 119 }],
  ['snews', { family: 'news', port: 563 }],
  ['ftp', { family: 'files', port: 21 }],
  ['ftps', { family: 'files', port: 990 }],
  ['gopher', { family: 'files', port: 70 }],
  ['file', { family: 'files', port: null }],
  ['query+http', { family: 'db', port: 80 }],
  ['query+https', { family: 'db', port: 443 }],
  ['postgres', { family: 'db', port: 5432 }],
  ['postgresql', { family: 'db', port: 5432 }],
  ['mysql', { family: 'db', port: 3306 }],
  ['mariadb', { family: 'db', port: 3306 }],
  ['sqlite', { family: 'db', port: null }],
])

export type Support =
  | { kind: 'supported' }
  /** Allowed in a profile, but no fetcher supports it. */
  | { kind: 'not-available'; message: string }
  | { kind: 'unknown'; message: string }

/** Whether a source can be watched with fetchers of these schemes. */
export function supportOf(uri: string, schemes: readonly string[]): Support {
  const scheme = schemeOf(uri)
  if (schemes.includes(scheme)) return { kind: 'supported' }
  if (!protocols.has(scheme)) return { kind: 'unknown', message: unknownScheme(scheme, schemes) }
  return { kind: 'not-available', message: `${scheme.toUpperCase()} isn't supported` }
}

/** The protocol family of a scheme. A scheme known only to its fetcher is a family of its own. */
export function familyOf(scheme: string): string {
  return protocols.get(scheme)?.family ?? scheme
}

const twins = new Map([
  ['news', 'nntp'],
  ['snews', 'nntp'],
  ['postgresql', 'postgres'],
  ['mariadb', 'mysql'],
])

/** Whether two schemes name the same protocol, ignoring TLS and aliases. */
export function isSameProtocol(one: string, other: string): boolean {
  const named = (scheme: string) => twins.get(scheme) ?? scheme
  return withoutTls(named(one)) === withoutTls(named(other))
}

function withoutTls(scheme: string): string {
  const plain = scheme.replace(/s$/, '')
  return plain !== scheme && protocols.has(plain) ? plain : scheme
}

/** The explicit or default port; null if the protocol has none. */
export function portOf(uri: string): number | null {
  const port = URL.parse(uri)?.port ?? ''
  return port === '' ? (protocols.get(schemeOf(uri))?.port ?? null) : Number(port)
}

/** Variants left out of error messages: aliases, and schemes with TLS. */
const spoken = new Set(['ftps', 'imaps', 'pop3s', 'nntps', 'news', 'snews', 'postgresql', 'mariadb', 'query+http'])

function unknownScheme(word: string, schemes: readonly string[]): string {
  if (word === '') return "that isn't a web address (http or https)"
  const near = nearMiss(word, new Set([...protocols.keys(), ...schemes]))
  const hint =
    near === undefined
      ? `; use ${new Intl.ListFormat('en', { type: 'disjunction' }).format(schemes.filter((each) => !spoken.has(each)))}`
      : `; did you mean ${near}?`
  return `unknown protocol ${JSON.stringify(word.slice(0, 40))}${hint}`
}
