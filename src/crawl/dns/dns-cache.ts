/**
 * Caches answers of the resolver for their time to live. A host is in one of three states:
 *
 *   unknown ──lookup──> asked ──answer──> kept ──time to live over, or evicted as least recently used──> unknown
 *
 * While a host is being asked for, all look-ups of it wait for the same answer. At most `concurrency` hosts are asked for
 * at a time; the others queue in order. "No such host" is kept like any answer; "no answer" is kept for seconds only, just
 * long enough that a page full of links to one host does not ask hundreds of times.
 */
import type { Clock } from '../../core/clock.ts'
import { createRecentMap } from '../../core/recent-map.ts'
import { familyOf } from '../../core/url/address.ts'
import { withinLimit } from '../../core/work/race.ts'
import { isAbsence, type Resolver } from './resolver.ts'

export type DnsAnswer =
  | { kind: 'found'; addresses: string[] }
  | { kind: 'not-found' }
  | { kind: 'failed'; reason: string }

export type DnsCache = {
  lookup(host: string): Promise<DnsAnswer>
  /** Monotonic ms until which `lookup` answers from the cache. */
  keptUntil(host: string): number
}

export type DnsCacheOptions = {
  resolver: Resolver
  clock: Clock
  maxEntries?: number
  minTtlMs?: number
  maxTtlMs?: number
  negativeTtlMs?: number
  concurrency?: number
  timeoutMs?: number
}

const failureTtlMs = 5_000
/** Connections try only a few addresses; a name with thousands of them must not cost memory. */
const maxAddresses = 32

type Kept = { answer: DnsAnswer; until: number }

export function createDnsCache({
  resolver,
  clock,
  maxEntries = 50_000,
  minTtlMs = 30_000,
  maxTtlMs = 3_600_000,
  negativeTtlMs = 300_000,
  concurrency = 64,
  timeoutMs = 10_000,
}: DnsCacheOptions): DnsCache {
  const kept = createRecentMap<string, Kept>({ maxEntries })
  const asked = new Map<string, Promise<DnsAnswer>>()
  const waiting: (() => void)[] = []
  let asking = 0

  function keep(host: string, answer: DnsAnswer, ttlMs: number): DnsAnswer {
    kept.set(host, { answer, until: clock.monotonic() + ttlMs })
    return answer
  }

  async function ask(host: string): Promise<DnsAnswer> {
    if (asking >= concurrency) await new Promise<void>((turn) => waiting.push(turn))
    else asking++
    try {
      const { addresses, ttlMs } = await withinLimit(resolver.resolve(host), timeoutMs, () => {
        throw new Error(`no answer within ${timeoutMs} ms`)
      })
      if (addresses.length === 0) return keep(host, { kind: 'not-found' }, negativeTtlMs)
      const ttl = Math.min(Math.max(ttlMs, minTtlMs), maxTtlMs)
      return keep(host, { kind: 'found', addresses: addresses.slice(0, maxAddresses) }, ttl)
    } catch (error) {
      if (isAbsence(error)) return keep(host, { kind: 'not-found' }, negativeTtlMs)
      const reason = error instanceof Error ? error.message : String(error)
      return keep(host, { kind: 'failed', reason }, Math.min(failureTtlMs, negativeTtlMs))
    } finally {
      // The slot passes directly to the next in the queue, so the count stays the same.
      const next = waiting.shift()
      if (next === undefined) asking--
      else next()
      asked.delete(host)
    }
  }

  return {
    keptUntil: (host) =>
      familyOf(literalOf(host)) !== 0 || !isAskable(host) ? Number.POSITIVE_INFINITY : (kept.peek(host)?.until ?? 0),
    async lookup(host) {
      const literal = literalOf(host)
      if (familyOf(literal) !== 0) return { kind: 'found', addresses: [literal] }
      if (!isAskable(host)) return { kind: 'not-found' }
      const entry = kept.get(host)
      if (entry !== undefined) {
        if (clock.monotonic() < entry.until) return entry.answer
        kept.delete(host)
      }
      let answer = asked.get(host)
      if (answer === undefined) {
        answer = ask(host)
        asked.set(host, answer)
      }
      return await answer
    },
  }
}

/** Reports the duration of look-ups that aren't cached. */
export function withWaits(dns: DnsCache, clock: Clock, onWait: (ms: number) => void): DnsCache {
  return {
    ...dns,
    async lookup(host) {
      const startedAt = clock.monotonic()
      if (dns.keptUntil(host) > startedAt) return dns.lookup(host)
      const answer = await dns.lookup(host)
      onWait(clock.monotonic() - startedAt)
      return answer
    },
  }
}

function literalOf(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host
}

/** RFC 1035 lengths: a longer name cannot exist, so it is not looked up. */
function isAskable(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host
  return name.length <= 253 && name.split('.').every((label) => label.length > 0 && label.length <= 63)
}
