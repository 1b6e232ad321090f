import type { AnnotationStore } from '../../store/contracts/annotations.ts'
import type { InboxItem, InboxStore } from '../../store/contracts/inbox.ts'
import type { InboxService } from '../inbox/inbox-service.ts'
import type { EventHub, LiveEvent } from './event-hub.ts'

/**
 * Turns reports of the annotation engine into events for owners that listen. Reports come from several processors, in any order;
 * events are always read from the store after a position, in the order of ids. So a listener that has seen an event has seen all
 * before it, and resumes from there: with `Last-Event-ID` the missed ones are read from the store again. That is why positions stay
 * in memory and need no outbox; the outbox is for channels that must be reached while no one listens.
 *
 * The first listener of an owner sets the position to the last annotation. It advances with every report for the owner, one after the
 * other, and is dropped with the last listener. If the store does not answer it stays, and all owners are read again later.
 */
export type Arrivals = {
  /**
   * New ids; null for too many to list. Those of owners without a listener are skipped: they are in the inbox. Never throws.
   */
  announce(ids: readonly number[] | null): void
  /** Notifications may have been lost: every listener is told to reload. */
  restart(): void
  /** For a new listener: returns what arrived after `lastSeen`, the last event it saw; null if it saw none. */
  join(owner: string, lastSeen: number | null): Promise<Joined>
  /** Call when a listener has left. */
  leave(owner: string): void
  /** Resolves when everything announced is published. */
  published(): Promise<void>
}

export type Joined = {
  unread: number
  /** The last annotation that the listener has, before `missed`. */
  at: number
  missed: LiveEvent[]
}

export type ArrivalDeps = {
  inbox: InboxService
  store: Pick<InboxStore, 'arrivals' | 'list'>
  annotations: Pick<AnnotationStore, 'find'>
  hub: EventHub
  onProblem(message: string, fields: Record<string, unknown>): void
}

/** Beyond this many the listener is told to reload. */
const MAX_EVENTS = 200
/** Pages without events (a backlog) that are skipped before the listener is told to reload. */
const MAX_PAGES = 5
const RETRY_MS = 1000

/** Owners of the listed ids, all listeners, or all listeners with a reload. */
const audiences = ['listed', 'all', 'reload'] as const
type Waiting = { ids: Set<number>; audience: (typeof audiences)[number] }
const nothing = (): Waiting => ({ ids: new Set(), audience: 'listed' })

/** Muted annotations are archived, and a backlog is not announced. */
const isNotable = ({ archived, backlog }: InboxItem): boolean => !archived && !backlog

export function createArrivals({ inbox, store, annotations, hub, onProblem }: ArrivalDeps): Arrivals {
  /** The position of each owner; resolves when everything before it is published. */
  const positions = new Map<string, Promise<number>>()
  let waiting: Waiting = nothing()
  let running: Promise<void> | null = null

  async function lastOf(owner: string): Promise<number> {
    const page = { before: null, limit: 1 }
    const [shown] = await store.list(owner, { state: 'all' }, page)
    const [archived] = await store.list(owner, { state: 'archived' }, page)
    return Math.max(shown?.id ?? 0, archived?.id ?? 0)
  }

  function positionOf(owner: string): Promise<number> {
    const known = positions.get(owner)
    if (known !== undefined) return known
    const position = lastOf(owner)
    positions.set(owner, position)
    position.catch(() => positions.delete(owner))
    return position
  }

  async function readAfter(owner: string, after: number): Promise<{ events: LiveEvent[]; last: number }> {
    const arrived: InboxItem[] = []
    let last = after
    for (let page = 0; page < MAX_PAGES; page++) {
      const items = await store.arrivals(owner, { after: last, limit: MAX_EVENTS + 1 })
      last = items.at(-1)?.id ?? last
      arrived.push(...items.filter(isNotable))
      if (arrived.length > MAX_EVENTS) break
      if (items.length <= MAX_EVENTS) return { events: await eventsOf(arrived), last }
    }
    last = Math.max(last, await lastOf(owner))
    return { events: [{ name: 'reset', id: last, data: {} }], last }
  }

  async function eventsOf(items: readonly InboxItem[]): Promise<LiveEvent[]> {
    return (await inbox.shown(items)).map((data) => ({ name: 'annotation', id: data.id, data }))
  }

  async function publish(owner: string, after: number): Promise<number> {
    if (!hub.isHeard(owner)) return after
    const { events, last } = await readAfter(owner, after)
    if (last === after) return after
    for (const event of events) hub.publish(owner, event)
    hub.publish(owner, { name: 'counts', data: await inbox.counts(owner) })
    return last
  }

  async function publishReload(owner: string, after: number): Promise<number> {
    if (!hub.isHeard(owner)) return after
    const last = Math.max(after, await lastOf(owner))
    const counts = await inbox.counts(owner)
    hub.publish(owner, { name: 'reset', id: last, data: {} })
    hub.publish(owner, { name: 'counts', data: counts })
    return last
  }

  /** Owners of the ids, or all listening owners if those are fewer. */
  async function ownersOf({ ids, audience }: Waiting): Promise<Set<string>> {
    if (audience !== 'listed' || ids.size >= positions.size) return new Set(positions.keys())
    const owners = new Set<string>()
    for (const id of ids) {
      const owner = (await annotations.find(id))?.owner
      if (owner !== undefined && positions.has(owner)) owners.add(owner)
    }
    return owners
  }

  async function run(): Promise<void> {
    while (waiting.ids.size > 0 || waiting.audience !== 'listed') {
      const now = waiting
      waiting = nothing()
      try {
        for (const owner of await ownersOf(now))
          await advance(owner, now.audience === 'reload' ? publishReload : publish)
      } catch (error) {
        // Retry: they are in the store, and there may be no other report.
        onProblem('new annotations could not be announced', { err: error })
        setTimeout(() => add([], now.audience === 'reload' ? 'reload' : 'all'), RETRY_MS).unref()
      }
    }
    running = null
  }

  function add(ids: readonly number[], audience: Waiting['audience']): void {
    if (positions.size === 0) return
    for (const id of ids) waiting.ids.add(id)
    if (audiences.indexOf(audience) > audiences.indexOf(waiting.audience)) waiting.audience = audience
    running ??= run()
  }

  async function advance(owner: string, how: typeof publish): Promise<void> {
    const position = positions.get(owner)
    if (position === undefined) return
    const next = position.then((after) => how(owner, after))
    // After a failure the position stays.
    positions.set(
      owner,
      next.catch(() => position),
    )
    await next
  }

  return {
    announce: (ids) => add(ids ?? [], ids === null ? 'all' : 'listed'),
    restart: () => add([], 'reload'),
    async join(owner, lastSeen) {
      const at = await positionOf(owner)
      const { unread } = await inbox.counts(owner)
      if (lastSeen === null) return { unread, at, missed: [] }
      const last = await lastOf(owner)
      // An event of another store, or of a removed annotation.
      if (lastSeen > last) return { unread, at: last, missed: [{ name: 'reset', id: last, data: {} }] }
      return { unread, at: lastSeen, missed: (await readAfter(owner, lastSeen)).events }
    },
    leave(owner) {
      if (!hub.isHeard(owner)) positions.delete(owner)
    },
    published: async () => {
      while (running !== null) await running
    },
  }
}
