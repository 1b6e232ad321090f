import type { Clock } from '../../core/clock.ts'
import type { RequestCountStore } from '../../store/contracts/request-counts.ts'

/** Limits requests per minute under a key: an account or a network. */
export type RequestLimits = {
  /** Counts a request. Returns the seconds to wait if the limit is exceeded, otherwise 0. */
  take(key: string): number
}

export type RequestLimitsDeps = {
  perMinute: number
  clock: Clock
  /** The store through which several servers count together; null if this is the only one. */
  shared: RequestCountStore | null
  onProblem(message: string, fields: Record<string, unknown>): void
}

const WINDOW_MS = 60_000
/**
 * Servers exchange their counts this often, and sooner for a key that has used up a share of its limit since. So together they allow
 * little more than the limit, and a request costs the database nothing.
 */
const EXCHANGE_EVERY_MS = 500
const UNSAID_SHARE = 0.05
/** Beyond this many keys in a minute all new ones share one count. */
const MAX_KEYS = 50_000
const OVERFLOW = 'all others'

export function createRequestLimits({ perMinute, clock, shared, onProblem }: RequestLimitsDeps): RequestLimits {
  let window = -1
  let own = new Map<string, number>()
  let reported = new Map<string, number>()
  let others: ReadonlyMap<string, number> = new Map()
  let exchangedAt = Number.NEGATIVE_INFINITY
  let isExchanging = false

  function startWindow(current: number): void {
    window = current
    own = new Map()
    reported = new Map()
    others = new Map()
  }

  async function exchange(store: RequestCountStore): Promise<void> {
    const [ofWindow, counted, sent] = [window, new Map(own), reported]
    const fresh = new Map([...counted].filter(([key, count]) => count !== (sent.get(key) ?? 0)))
    for (const [key, count] of fresh) fresh.set(key, count - (sent.get(key) ?? 0))
    const totals = await store.add(ofWindow, fresh)
    if (ofWindow !== window) return
    reported = counted
    others = new Map([...others, ...[...totals].map(([key, total]) => [key, total - counted.get(key)!] as const)])
  }

  function exchangeSoon(key: string, count: number): void {
    const isUrgent = count - (reported.get(key) ?? 0) >= Math.max(1, perMinute * UNSAID_SHARE)
    if (shared === null || isExchanging) return
    if (!isUrgent && clock.monotonic() - exchangedAt < EXCHANGE_EVERY_MS) return
    isExchanging = true
    exchangedAt = clock.monotonic()
    exchange(shared)
      // Until the store answers again, each server counts for itself.
      .catch((error: unknown) =>
        onProblem('requests could not be counted together with other servers', { error: String(error) }),
      )
      .finally(() => {
        isExchanging = false
      })
  }

  return {
    take(given) {
      const now = clock.now()
      const current = Math.floor(now / WINDOW_MS)
      if (current !== window) startWindow(current)
      const key = own.has(given) || own.size < MAX_KEYS ? given : OVERFLOW
      const count = (own.get(key) ?? 0) + 1
      own.set(key, count)
      exchangeSoon(key, count)
      return count + (others.get(key) ?? 0) <= perMinute ? 0 : Math.ceil((WINDOW_MS - (now % WINDOW_MS)) / 1000)
    },
  }
}
