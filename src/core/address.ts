import { isIPv4, isIPv6 } from 'node:net'
import { carriersOfV4, globalUnicastV6, refusedV4Ranges, refusedV6Ranges } from './address-ranges.ts'
import { AppError } from './errors.ts'

export type IpAddress = { family: 4 | 6; bytes: Uint8Array }
export type Cidr = { family: 4 | 6; bytes: Uint8Array; prefixBits: number }
export type AddressVerdict = { kind: 'allowed' } | { kind: 'refused'; range: string }

export type AddressGuard = {
  check(address: string): AddressVerdict
  /** Lets one exact address through: that of a seed somebody typed. Links never call this. */
  allow(address: string): void
}

/**
 * Reads an address as resolvers and sockets write it. The loose notations (octal, hexadecimal, fewer than four parts)
 * are not addresses here: the URL parser has turned them into this form before anybody asks. An address with a zone
 * (`fe80::1%eth0`) names a link of this machine and is no address either.
 */
export function parseAddress(text: string): IpAddress | null {
  if (isIPv4(text)) return { family: 4, bytes: v4Bytes(text) }
  if (text.includes('%') || !isIPv6(text)) return null
  const [head = '', tail] = text.split('::')
  const front = v6Bytes(head)
  const back = tail === undefined ? [] : v6Bytes(tail)
  const bytes = new Uint8Array(16)
  bytes.set(front, 0)
  bytes.set(back, 16 - back.length)
  return { family: 6, bytes }
}

/** `10.0.0.0/8`, `fc00::/7`, or a bare address, which stands for itself alone. */
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
 * Judges addresses at the moment of connecting. What is not given out on the public internet is refused, in whatever
 * clothes it comes; `allow` lists CIDRs that an operator opened.
 */
export function createAddressGuard({ allow }: { allow: readonly string[] }): AddressGuard {
  const opened = allow.map((text) => unmapped(parseCidr(text)))
  const seeds = new Set<string>()

  function judge(address: IpAddress): AddressVerdict {
    if (opened.some((range) => contains(range, address)) || seeds.has(keyOf(address))) return { kind: 'allowed' }
    const carried = carriedV4(address)
    if (carried !== null) return judge(carried)
    const refused = (address.family === 4 ? refusedV4 : refusedV6).find(({ range }) => contains(range, address))
    if (refused !== undefined) return { kind: 'refused', range: refused.label }
    if (address.family === 6 && !contains(globalV6, address)) {
      return { kind: 'refused', range: `outside global unicast ${globalUnicastV6}` }
    }
    return { kind: 'allowed' }
  }

  return {
    check(text) {
      const address = parseAddress(text)
      return address === null ? { kind: 'refused', range: 'not a plain address' } : judge(address)
    },
    allow(text) {
      const address = parseAddress(text)
      if (address === null) throw new AppError('usage-wrong', `"${text}" is not an IP address`)
      seeds.add(keyOf(carriedV4(address) ?? address))
    },
  }
}

const named = ([cidr, name]: readonly [string, string]) => ({ range: parseCidr(cidr), label: `${name} ${cidr}` })
const refusedV4 = refusedV4Ranges.map(named)
const refusedV6 = refusedV6Ranges.map(named)
const globalV6 = parseCidr(globalUnicastV6)
const carriers = carriersOfV4.map(([cidr, offsetBytes]) => ({ range: parseCidr(cidr), offsetBytes }))

function carriedV4(address: IpAddress): IpAddress | null {
  const carrier = carriers.find(({ range }) => contains(range, address))
  if (carrier === undefined) return null
  return { family: 4, bytes: address.bytes.subarray(carrier.offsetBytes, carrier.offsetBytes + 4) }
}

/** `::ffff:10.0.0.0/104` opens what `10.0.0.0/8` opens: both name the same hosts. */
function unmapped(range: Cidr): Cidr {
  const mapped = carriers[0]!.range
  if (range.prefixBits < mapped.prefixBits || !contains(mapped, range)) return range
  return { family: 4, bytes: range.bytes.subarray(12), prefixBits: range.prefixBits - mapped.prefixBits }
}

const keyOf = (address: IpAddress): string => Buffer.from(address.bytes).toString('hex')

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
