import type { Clock } from '../../core/clock.ts'
import type { AddressGuard } from '../../core/url/address.ts'
import type { DnsCache } from '../dns/dns-cache.ts'

/**
 * PARCAHYD's mapping process: a separate stage in front of the frontier resolves names, so that no fetcher waits for one.
 *
 *   host without address ──map──> URL-IP queue ──free mapper──> being resolved ──answer──> hosts that take turns in the frontier
 *
 * A host whose name has no address continues too: each of its requests fails at once and is kept with the reason.
 * The queue holds at most the hosts that the frontier has in memory.
 */
export type Mapping = {
  /** Resolves the host of a URL when a mapper is free. */
  map(url: string, onMapped: (host: MappedHost) => void): void
  counts(): { waiting: number; resolving: number }
}

export type MappedHost = {
  /** The address to connect to; empty if there is none, or none that is allowed. */
  address: string
  /** Monotonic ms from which on the name has to be resolved again. */
  until: number
}

export type MappingOptions = {
  dns: DnsCache
  guard: AddressGuard
  clock: Clock
  mappers: number
  /** Called for each name that was resolved, or could not be. */
  onResolved(isFound: boolean): void
}

/** A host is mapped again this long before its answer expires: a request that starts in between finds it in the cache. */
const AHEAD_MS = 1_000

export function createMapping({ dns, guard, clock, mappers, onResolved }: MappingOptions): Mapping {
  let queue: { url: string; onMapped(host: MappedHost): void }[] = []
  let head = 0
  let resolving = 0

  async function resolve(url: string): Promise<MappedHost> {
    const host = hostNameOf(url)
    if (host === '') return { address: '', until: Number.POSITIVE_INFINITY }
    const isAsked = dns.keptUntil(host) <= clock.monotonic()
    const answer = await dns.lookup(host)
    if (isAsked) onResolved(answer.kind === 'found')
    const addresses = answer.kind === 'found' ? answer.addresses : []
    return {
      address: addresses.find((each) => guard.check(each, host).kind === 'allowed') ?? '',
      until: Math.max(dns.keptUntil(host) - AHEAD_MS, clock.monotonic() + 1),
    }
  }

  async function runMapper(): Promise<void> {
    resolving++
    while (head < queue.length) {
      const { url, onMapped } = queue[head++]!
      onMapped(await resolve(url))
    }
    resolving--
    if (resolving === 0) {
      queue = []
      head = 0
    }
  }

  return {
    map(url, onMapped) {
      queue.push({ url, onMapped })
      if (resolving < mappers) void runMapper()
    },
    counts: () => ({ waiting: queue.length - head, resolving }),
  }
}

export function hostNameOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '')
}
