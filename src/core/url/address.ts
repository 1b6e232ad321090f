import { isIPv4, isIPv6 } from 'node:net'
import { AppError } from '../errors.ts'

/**
 * Address ranges that cannot be assigned on the public internet, so that no link, redirect or name may send the crawler there: IANA's
 * special-purpose registries, multicast, and cloud metadata services.
 */
const refusedV4Ranges: readonly (readonly [cidr: string, name: string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier-grade NAT'],
  ['127.0.0.0/8', 'loopback'],
  // Public according to the registry, but inside Azure it is the host agent with its metadata.
  ['168.63.129.16/32', 'cloud metadata'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['255.255.255.255/32', 'broadcast'],
  ['240.0.0.0/4', 'reserved'],
]

/** The first match names the refusal, so narrow ranges come before the wider ones that contain them. */
const refusedV6Ranges: readonly (readonly [cidr: string, name: string])[] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::/96', 'IPv4-compatible'],
  ['::ffff:0:0:0/96', 'IPv4-translated'],
  // Only its operator knows where in this prefix the IPv4 address is, so it can't be judged by it.
  ['64:ff9b:1::/48', 'local NAT64'],
  ['100::/64', 'discard'],
  ['100:0:0:1::/64', 'dummy prefix'],
  ['2001::/32', 'Teredo'],
  ['2001::/23', 'protocol assignments'],
  ['2001:db8::/32', 'documentation'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'segment routing'],
  ['fd00:ec2::254/128', 'cloud metadata'],
  ['fc00::/7', 'unique local'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local'],
  ['ff00::/8', 'multicast'],
]

/** The only part of IPv6 allocated as global unicast; addresses outside it are refused without a name. */
const globalUnicastV6 = '2000::/3'

/** IPv6 ranges that embed an IPv4 address, at this offset: the destination is that IPv4 host, so that address is judged. */
const carriersOfV4: readonly (readonly [cidr: string, offsetBytes: number])[] = [
  ['::ffff:0:0/96', 12],
  ['64:ff9b::/96', 12],
  ['2002::/16', 2],
]

export type IpAddress = { family: 4 | 6; bytes: Uint8Array }
export type Cidr = { family: 4 | 6; bytes: Uint8Array; prefixBits: number }
export type AddressVerdict = { kind: 'allowed' } | { kind: 'refused'; range: string }

export type AddressGuard = {
  /** `host`: the name that resolved to this address, or the address itself. */
  check(address: string, host?: string): AddressVerdict
  /**
   * For a seed typed by a user. An address, `localhost` or a name without a dot can only mean a machine nearby, so exactly this host is
   * allowed, wherever it resolves to. A name with a dot allows nothing: its owner decides where it leads.
   */
  allowSeed(host: string): void
}

/** As `isIP` of Node, whose expression for IPv6 takes 5 to 10 ms to compile in each thread: it is only asked about what has a colon. */
export function familyOf(text: string): 0 | 4 | 6 {
  if (isIPv4(text)) return 4
  return text.includes(':') && isIPv6(text) ? 6 : 0
}

/**
 * Parses an address as resolvers and sockets write it; null if it isn't one. Loose notations (octal, hexadecimal, fewer than four parts)
 * are rejected: the URL parser has already normalised them. An address with a zone (`fe80::1%eth0`) refers to a link of this machine and is
 * rejected too.
 */
export function parseAddress(text: string): IpAddress | null {
  const family = familyOf(text)
  if (family === 4) return { family, bytes: v4Bytes(text) }
  if (family === 0 || text.includes('%')) return null
  const [head = '', tail] = text.split('::')
  const front = v6Bytes(head)
  const back = tail === undefined ? [] : v6Bytes(tail)
  const bytes = new Uint8Array(16)
  bytes.set(front, 0)
  bytes.set(back, 16 - back.length)
  return { family: 6, bytes }
}

/** `10.0.0.0/8`, `fc00::/7`, or a single address. */
export function parseCidr(text: string): Cidr {
  const slash = text.indexOf('/')
  const address = parseAddress(slash === -1 ? text : text.slice(0, slash))
  if (address === null) throw wrongCidr(text, 'the address is not an IPv4 or IPv6 address')
  const widest = address.bytes.length * 8
  const prefix = slash === -1 ? String(widest) : text.slice(slash + 1)
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > widest) {
    throw wrongCidr(text, `the prefix is not a number from 0 to ${widest}`)
  }
  return { ...address, prefixBits: Number(prefix) }
}

/** The key for limits per client: an IPv4 address, or the /64 of an IPv6 address, all of which one client may own. */
export function networkOf(text: string): string {
  const plain = text.slice(0, 64).replace(/^::ffff:(?=\d+\.)/i, '')
  const address = parseAddress(plain)
  if (address?.family !== 6) return plain
  const network = Buffer.from(address.bytes.subarray(0, 8))
  return network.every((byte) => byte === 0) ? plain : `${network.toString('hex')}/64`
}

export function contains(range: Cidr, address: IpAddress): boolean {
  if (range.family !== address.family) return false
  const whole = range.prefixBits >> 3
  for (let i = 0; i < whole; i++) if (range.bytes[i] !== address.bytes[i]) return false
  const rest = range.prefixBits & 7
  if (rest === 0) return true
  const mask = (0xff << (8 - rest)) & 0xff
  return (range.bytes[whole]! & mask) === (address.bytes[whole]! & mask)
}

/**
 * Checks addresses at connect time. Refuses those that are not allocated on the public internet, in any notation; `allow` lists CIDRs
 * opened by the operator.
 */
export function createAddressGuard({ allow }: { allow: readonly string[] }): AddressGuard {
  const opened = allow.map((text) => unmapped(parseCidr(text)))
  const seedHosts = new Set<string>()

  function judge(address: IpAddress): AddressVerdict {
    if (opened.some((range) => contains(range, address))) return { kind: 'allowed' }
    const carried = carriedV4(address)
    if (carried !== null) return judge(carried)
    if (isIsatap(address)) {
      const verdict = judge({ family: 4, bytes: address.bytes.subarray(12) })
      if (verdict.kind === 'refused') return verdict
    }
    const ranges = address.family === 4 ? refusedV4 : v6Ranges().refused
    const refused = ranges.find(({ range }) => contains(range, address))
    if (refused !== undefined) return { kind: 'refused', range: refused.label }
    if (address.family === 6 && !contains(v6Ranges().global, address)) {
      return { kind: 'refused', range: `outside global unicast ${globalUnicastV6}` }
    }
    return { kind: 'allowed' }
  }

  return {
    check(text, host) {
      const address = parseAddress(text)
      if (address !== null && host !== undefined && seedHosts.has(plainHost(host))) return { kind: 'allowed' }
      return address === null ? { kind: 'refused', range: 'not a plain address' } : judge(address)
    },
    allowSeed(given) {
      const host = plainHost(given)
      if (parseAddress(host) !== null || !host.includes('.')) seedHosts.add(host)
    },
  }
}

const named = ([cidr, name]: readonly [string, string]) => ({ range: parseCidr(cidr), label: `${name} ${cidr}` })
const refusedV4 = refusedV4Ranges.map(named)

const readV6Ranges = () => ({
  refused: refusedV6Ranges.map(named),
  global: parseCidr(globalUnicastV6),
  carriers: carriersOfV4.map(([cidr, offsetBytes]) => ({ range: parseCidr(cidr), offsetBytes })),
})
let readRanges: ReturnType<typeof readV6Ranges> | null = null

/** Read when the first IPv6 address is judged. */
function v6Ranges(): ReturnType<typeof readV6Ranges> {
  readRanges ??= readV6Ranges()
  return readRanges
}

function carriedV4(address: IpAddress): IpAddress | null {
  if (address.family === 4) return null
  const carrier = v6Ranges().carriers.find(({ range }) => contains(range, address))
  if (carrier === undefined) return null
  return { family: 4, bytes: address.bytes.subarray(carrier.offsetBytes, carrier.offsetBytes + 4) }
}

/** `::ffff:10.0.0.0/104` opens the same hosts as `10.0.0.0/8`. */
function unmapped(range: Cidr): Cidr {
  if (range.family === 4) return range
  const mapped = v6Ranges().carriers[0]!.range
  if (range.prefixBits < mapped.prefixBits || !contains(mapped, range)) return range
  return { family: 4, bytes: range.bytes.subarray(12), prefixBits: range.prefixBits - mapped.prefixBits }
}

/** RFC 5214: any prefix, and an interface identifier of `0:5efe` or `200:5efe` with the IPv4 address after it. */
function isIsatap({ family, bytes }: IpAddress): boolean {
  return family === 6 && (bytes[8]! & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
}

const plainHost = (host: string): string => host.toLowerCase().replace(/^\[|\]$|\.$/g, '')

function v4Bytes(text: string): Uint8Array {
  return Uint8Array.from(text.split('.'), Number)
}

function v6Bytes(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return [...v4Bytes(group)]
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

function wrongCidr(text: string, why: string): AppError {
  return new AppError('usage-wrong', `"${text}" is not an address range: ${why}`)
}
