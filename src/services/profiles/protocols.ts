import { nearMiss } from '../../config/near-miss.ts'

/** Who speaks a protocol, and where it is usually spoken. */
export type ProxyKind = 'web' | 'mail' | 'news' | 'files' | 'db'

const protocols = new Map<string, { proxy: ProxyKind; port: number | null }>([
  ['http', { proxy: 'web', port: 80 }],
  ['https', { proxy: 'web', port: 443 }],
  ['imap', { proxy: 'mail', port: 143 }],
  ['imaps', { proxy: 'mail', port: 993 }],
  ['pop3', { proxy: 'mail', port: 110 }],
  ['pop3s', { proxy: 'mail', port: 995 }],
  ['nntp', { proxy: 'news', port: 119 }],
  ['nntps', { proxy: 'news', port: 563 }],
  ['news', { proxy: 'news', port: 119 }],
  ['snews', { proxy: 'news', port: 563 }],
  ['ftp', { proxy: 'files', port: 21 }],
  ['ftps', { proxy: 'files', port: 990 }],
  ['gopher', { proxy: 'files', port: 70 }],
  ['file', { proxy: 'files', port: null }],
  ['postgres', { proxy: 'db', port: 5432 }],
  ['postgresql', { proxy: 'db', port: 5432 }],
  ['mysql', { proxy: 'db', port: 3306 }],
  ['mariadb', { proxy: 'db', port: 3306 }],
  ['sqlite', { proxy: 'db', port: null }],
])

/** Agent-proxies that this version has. */
const present: readonly ProxyKind[] = ['web']

export type Support =
  | { kind: 'supported'; proxy: ProxyKind }
  /** Allowed in a profile, but not watched yet. */
  | { kind: 'not-available'; proxy: ProxyKind; message: string }
  | { kind: 'unknown'; message: string }

/** Whether a source can be watched. */
export function supported(uri: string): Support {
  const protocol = protocolOf(uri)
  const proxy = proxyOf(protocol)
  if (proxy === undefined) return { kind: 'unknown', message: unknownProtocol(protocol) }
  if (present.includes(proxy)) return { kind: 'supported', proxy }
  return { kind: 'not-available', proxy, message: `${protocol.toUpperCase()} isn't supported` }
}

export function proxyOf(protocol: string): ProxyKind | undefined {
  return protocols.get(protocol)?.proxy
}

/** The scheme of a URI, in small letters; '' where it has none. */
export function protocolOf(uri: string): string {
  return /^[a-z][a-z0-9+.-]{0,40}(?=:)/i.exec(uri)?.[0].toLowerCase() ?? ''
}

/** Null where the protocol has none. */
export function portOf(uri: string): number | null {
  const port = URL.parse(uri)?.port ?? ''
  return port === '' ? (protocols.get(protocolOf(uri))?.port ?? null) : Number(port)
}

export function unknownProtocol(word: string): string {
  if (word === '') return "that isn't a web address (http or https)"
  const near = nearMiss(word, protocols.keys())
  const hint = near === undefined ? '; use http or https' : `; did you mean ${near}?`
  return `unknown protocol ${JSON.stringify(word.slice(0, 40))}${hint}`
}
