/**
 * Hands live events to whoever listens. Nothing is kept: who was not there, or could not keep up, comes back and says what it
 * saw last. A listener is in one of two states: listening, from `subscribe` until its owner leaves or it says that it is full;
 * and gone, after which it hears nothing more. Only a listener that is full is told that it was cut.
 */
export type LiveEvent = {
  readonly name: 'annotation' | 'counts' | 'reset' | 'source' | 'crawl'
  /** Of the annotation up to which a listener has everything with it. */
  readonly id?: number
  /** As it goes out in JSON. All listeners get the same object, so that it is written once for all of them. */
  readonly data: unknown
}

export type EventListener = {
  /** False where it can't keep up. */
  take(event: LiveEvent): boolean
  cut(): void
}

export type Interest = {
  isAdministrator: boolean
  /** Figures of the crawl are for administrators that look at them. */
  crawl: boolean
}

export type EventHub = {
  /** Returns what ends it. */
  subscribe(owner: string, interest: Interest, listener: EventListener): () => void
  publish(owner: string, event: LiveEvent): void
  /** Figures of the crawl go only to those that look at them, all else to every administrator. */
  publishToAdministrators(event: LiveEvent): void
  /** Owners with a listener at least. */
  owners(): Iterable<string>
  isHeard(owner: string): boolean
  /** Of one owner. */
  countOf(owner: string): number
  count(): number
  /** Whether figures of the crawl are worth making. */
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
