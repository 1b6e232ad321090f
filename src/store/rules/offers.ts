import type { OfferCounts } from '../contracts/frontier.ts'

/** The key under which a URL counts as seen: each watch has seen its own, and to another it is new. */
export function seenKey(fp: bigint, watch: number): bigint {
  return watch === 0 ? fp : BigInt.asIntN(64, fp ^ (BigInt(watch) * 0x9e3779b97f4a7c15n))
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
