import { getDomain } from 'tldts'

/**
 * Units of politeness and of ownership. The host key is the unit of politeness: one queue, one connection. The host name is the unit of
 * ownership: all ports of a name are in one partition, hence with one holder; hosts of one domain are spread.
 */

/** Number of partitions, fixed for ever. */
export const partitionCount = 256

/**
 * The host key of a normalised URL (see `createNormaliser`): `example.org` on the default ports of http and https alike, `example.org:8080`
 * on others, IPv6 in brackets. The root dot of `example.org.` is dropped, as it is the same host. Other protocols always have their port,
 * since another server answers there: `example.org:993`. The access of a URL (`access.ts`) is not part of its host.
 */
export function hostKey(url: string): string {
  if (!url.startsWith('http')) return otherHostKey(url)
  const scheme = url.charCodeAt(4) === 0x73 ? 8 : 7
  const start = url.charCodeAt(scheme) === 0x7e ? url.indexOf('@', scheme) + 1 : scheme
  const slash = url.indexOf('/', start)
  const end = slash === -1 ? url.length : slash
  const colon = endOfName(url, start, end)
  if (url.charCodeAt(colon - 1) !== 0x2e) return url.slice(start, end)
  return url.slice(start, colon - 1) + url.slice(colon, end)
}

const authority = /^(?:query\+)?([a-z][a-z0-9+.-]*):\/\/(?:[^/?#@]*@)?([^/?#]*)/

function otherHostKey(url: string): string {
  const [, scheme = '', host = ''] = authority.exec(url) ?? []
  if (scheme === 'http' || scheme === 'https') return hostKey(`${scheme}://${host}/`)
  if (host === '') return `${scheme}.localhost`
  const isNumbered = endOfName(host, 0, host.length) < host.length
  const port = isNumbered ? undefined : usualPorts.get(scheme)
  return port === undefined ? host : `${host}:${port}`
}

/** Default ports of protocols other than the web's. */
export const usualPorts: ReadonlyMap<string, number> = new Map([
  ['ftp', 21],
  ['ftps', 990],
  ['gopher', 70],
  ['imap', 143],
  ['imaps', 993],
  ['mysql', 3306],
  ['nntp', 119],
  ['nntps', 563],
  ['pop3', 110],
  ['pop3s', 995],
  ['postgres', 5432],
])

/** The host name of a host key, without its port. */
export function hostNameOf(host: string): string {
  const end = endOfName(host, 0, host.length)
  return end === host.length ? host : host.slice(0, end)
}

/** Where the name ends and the port, if any, begins. A port has at most five digits, so only the last characters are read. */
function endOfName(text: string, start: number, end: number): number {
  for (let at = end - 1; at > start && at > end - 7; at--) {
    const c = text.charCodeAt(at)
    if (c === 0x3a) return at
    if (c < 0x30 || c > 0x39) return end
  }
  return end
}

/** As `hostNameOf`, but without the root dot. */
function nameOf(host: string): string {
  const name = hostNameOf(host)
  return name.endsWith('.') ? name.slice(0, -1) : name
}

const suffixRules = {
  // `a.github.io` and `b.github.io` belong to different people, and so are different domains.
  allowPrivateDomains: true,
  extractHostname: false,
  validateHostname: false,
} as const

/** The registered domain: `example.org` for `www.example.org`. Addresses, bare suffixes and single labels are returned as they are. */
export function registrableDomain(host: string): string {
  const name = nameOf(host)
  return name.startsWith('[') ? name : (getDomain(name, suffixRules) ?? name)
}

/**
 * The partition of a host, with or without port: FNV-1a (32 bits) over the bytes of its name, mixed by the finaliser of MurmurHash3
 * (fmix32), modulo 256. The function is frozen: stored rows carry its result.
 */
export function partitionOf(host: string): number {
  const known = partitions.get(host)
  if (known !== undefined) return known
  const partition = older.get(host) ?? hashOfName(nameOf(host)) & (partitionCount - 1)
  remember(host, partition)
  return partition
}

// A cache of two generations, the older dropped when the younger is full: bounded, and hosts in use stay.
const maxRemembered = 10_000
let partitions = new Map<string, number>()
let older = new Map<string, number>()

function remember(host: string, partition: number): void {
  if (partitions.size >= maxRemembered) {
    older = partitions
    partitions = new Map()
  }
  partitions.set(host, partition)
}

function hashOfName(name: string): number {
  let h = 0x811c9dc5
  for (const byte of Buffer.from(name)) h = Math.imul(h ^ byte, 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
