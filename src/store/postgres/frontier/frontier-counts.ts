import type { OfferCounts } from '../../contracts/frontier.ts'

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
