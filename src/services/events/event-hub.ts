/**
 * Hands live events to listeners. Nothing is stored: a listener that was away, or could not keep up, reconnects with the last event
 * it saw. It is listening from `subscribe` until it leaves or `take` returns false; after that it gets nothing more. `cut` is called
 * only for one that could not keep up.
 */
export type LiveEvent = {
  readonly name: 'annotation' | 'counts' | 'reset' | 'source' | 'channel' | 'crawl'
  /** The annotation up to which the listener has everything after this event. */
  readonly id?: number
  /** The JSON value. All listeners get the same object, so that it is serialised once. */
  readonly data: unknown
}

export type EventListener = {
  /** Returns false if it can't keep up. */
  take(event: LiveEvent): boolean
  cut(): void
}

export type Interest = {
  isAdministrator: boolean
  /** Crawl stats, for administrators that show them. */
  crawl: boolean
}

export type EventHub = {
  /** Returns a function that ends the subscription. */
  subscribe(owner: string, interest: Interest, listener: EventListener): () => void
  publish(owner: string, event: LiveEvent): void
  /** Crawl stats go only to those that show them, other events to every administrator. */
  publishToAdministrators(event: LiveEvent): void
  /** Owners with at least one listener. */
  owners(): Iterable<string>
  isHeard(owner: string): boolean
  /** Listeners of one owner. */
  countOf(owner: string): number
  count(): number
  /** Whether any listener wants crawl stats. */
  wantsCrawl(): boolean
}

type Subscription = Interest & { owner: string; listener: EventListener }

export function createEventHub(): EventHub {
  const byOwner = new Map<string, Set<Subscription>>()
  const administrators = new Set<Subscription>()
  let count = 0

  function leave(subscription: Subscription): void {
    const { owner } = subscription
    const those = byOwner.get(owner)
    if (those?.delete(subscription) !== true) return
    administrators.delete(subscription)
    count--
    if (those.size === 0) byOwner.delete(owner)
  }

  function hand(subscription: Subscription, event: LiveEvent): void {
    if (subscription.listener.take(event)) return
    leave(subscription)
    subscription.listener.cut()
  }

  return {
    subscribe(owner, interest, listener) {
      const subscription = { ...interest, owner, listener }
      const those = byOwner.get(owner)
      if (those === undefined) byOwner.set(owner, new Set([subscription]))
      else those.add(subscription)
      if (interest.isAdministrator) administrators.add(subscription)
      count++
      return () => leave(subscription)
    },
    publish(owner, event) {
      for (const subscription of byOwner.get(owner) ?? []) hand(subscription, event)
    },
    publishToAdministrators(event) {
      for (const subscription of administrators)
        if (event.name !== 'crawl' || subscription.crawl) hand(subscription, event)
    },
    owners: () => byOwner.keys(),
    isHeard: (owner) => byOwner.has(owner),
    countOf: (owner) => byOwner.get(owner)?.size ?? 0,
    count: () => count,
    wantsCrawl: () => [...administrators].some(({ crawl }) => crawl),
  }
}
