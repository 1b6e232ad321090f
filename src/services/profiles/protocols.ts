import { nearMiss } from '../../config/near-miss.ts'
import { schemeOf } from '../../fetchers/fetcher.ts'

/** What can be asked of sources of one scheme. */
export type SourceAbilities = {
  /** They tell of news by themselves; or a hub does, which must know the public address of this server. */
  push: boolean | 'by-hub'
  credentials: 'none' | 'optional' | 'required'
  /** They lead to further pages or folders. */
  depth: boolean
  /** A browser can show them. */
  browser: boolean
}

/** By scheme, for each that can be watched. */
export type ProtocolAbilities = ReadonlyMap<string, SourceAbilities>

/** Of a web that is asked for its pages, as it usually is. */
export const webAbilities: ProtocolAbilities = new Map(
  ['http', 'https'].map((scheme) => [scheme, { push: 'by-hub', credentials: 'optional', depth: true, browser: true }]),
)

/** Schemes that profiles may name, with their family of protocols and usual port. Which of them are watched depends on the fetchers. */
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
  /** A profile may have it, but no fetcher serves it. */
  | { kind: 'not-available'; message: string }
  | { kind: 'unknown'; message: string }

/** Whether a source can be watched with fetchers of these schemes. */
export function supportOf(uri: string, schemes: readonly string[]): Support {
  const scheme = schemeOf(uri)
  if (schemes.includes(scheme)) return { kind: 'supported' }
  if (!protocols.has(scheme)) return { kind: 'unknown', message: unknownScheme(scheme, schemes) }
  return { kind: 'not-available', message: `${scheme.toUpperCase()} isn't supported` }
}

/** Schemes of one family name the same source. A scheme that only its fetcher knows is a family of its own. */
export function familyOf(scheme: string): string {
  return protocols.get(scheme)?.family ?? scheme
}

const twins = new Map([
  ['news', 'nntp'],
  ['snews', 'nntp'],
  ['postgresql', 'postgres'],
  ['mariadb', 'mysql'],
])

/** Whether two schemes name one protocol: they may differ in TLS, and some have two names. */
export function isSameProtocol(one: string, other: string): boolean {
  const named = (scheme: string) => twins.get(scheme) ?? scheme
  return withoutTls(named(one)) === withoutTls(named(other))
}

function withoutTls(scheme: string): string {
  const plain = scheme.replace(/s$/, '')
  return plain !== scheme && protocols.has(plain) ? plain : scheme
}

/** Null if the protocol has none. */
export function portOf(uri: string): number | null {
  const port = URL.parse(uri)?.port ?? ''
  return port === '' ? (protocols.get(schemeOf(uri))?.port ?? null) : Number(port)
}

/** Other spellings, and those with TLS, of schemes that are named. */
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
