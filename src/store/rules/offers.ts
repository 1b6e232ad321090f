import type { Offer } from '../../core/request.ts'
import type { OfferCounts } from '../contracts/frontier.ts'

/** The key under which a URL is marked as seen: each watch and each step of a walk has its own, so that a URL is new to the others. */
export function seenKey(fp: bigint, watch: number, visit?: number): bigint {
  const key = watch === 0 ? fp : BigInt.asIntN(64, fp ^ (BigInt(watch) * 0x9e3779b97f4a7c15n))
  return visit === undefined ? key : BigInt.asIntN(64, key ^ (BigInt(visit + 1) * 0xd6e8feb86659fd93n))
}

/** Limit for raised priorities: beyond it, one could be taken for what a sitemap says of its page (`core/request.ts`). */
export const LAST_PRIORITY = 2 ** 38

/** The priority of a queued URL after another link to it. */
export function raisedPriority(queued: number, { priority, rises }: Pick<Offer, 'priority' | 'rises'>): number {
  if (rises === undefined) return queued
  const raised = rises === 'sum' ? queued + priority : Math.min(queued, priority)
  return Math.max(-LAST_PRIORITY, Math.min(LAST_PRIORITY, raised))
}

/** `rises` as stored in the tables: 0 for a fixed priority. */
export const riseNumbers = { none: 0, sum: 1, best: 2 } as const

export function risesOf(number: number): Offer['rises'] {
  return number === riseNumbers.sum ? 'sum' : number === riseNumbers.best ? 'best' : undefined
}

export const noCounts = () => ({ accepted: 0, known: 0, limited: 0, removed: 0, watches: new Map<number, number>() })

export function addCounts<T extends OfferCounts>(to: T, more: OfferCounts): T {
  to.accepted += more.accepted
  to.known += more.known
  to.limited += more.limited
  for (const [watch, n] of more.watches) addWatch(to.watches, watch, n)
  return to
}

export function addWatch(watches: Map<number, number>, watch: number, n: number): void {
  if (watch > 0) watches.set(watch, (watches.get(watch) ?? 0) + n)
}
