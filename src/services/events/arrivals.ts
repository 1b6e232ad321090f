import type { AnnotationStore } from '../../store/contracts/annotations.ts'
import type { InboxItem, InboxStore } from '../../store/contracts/inbox.ts'
import type { InboxService } from '../inbox/inbox-service.ts'
import type { EventHub, LiveEvent } from './event-hub.ts'

/**
 * Turns what the annotation engine reports into events for owners that listen. The engine's processors report each for
 * itself, in any order; what goes out is always read from the store behind a mark, in the order of ids. So whoever has seen
 * an event has seen all before it, and can go on from there later.
 *
 * An owner is unknown until the first listener joins: then the mark is set to the last annotation there is. It moves with every
 * report that concerns the owner, one after the other, and is forgotten with the last listener. Where the store does not answer it
 * stays, and after a while all are looked after.
 */
export type Arrivals = {
  /**
   * These are new; null for more than can be named. Those of owners that nobody listens for are passed over: they are in the inbox.
   * Never throws.
   */
  announce(ids: readonly number[] | null): void
  /** Words may have been lost, of this and of anything else that is told live: whoever listens loads everything anew. */
  restart(): void
  /** For a listener that has just subscribed: what came behind the last event that it saw; null for one that saw none. */
  join(owner: string, lastSeen: number | null): Promise<Joined>
  /** When a listener has left. */
  leave(owner: string): void
  /** When all that was announced is out. */
  settled(): Promise<void>
}

export type Joined = {
  unread: number
  /** Up to which annotation the listener has everything, before `missed`. */
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

/** So many are told one by one; whoever missed more loads the list anew. */
const MAX_TOLD = 200
/** Pages of what is not told, as a backlog, that are passed over before it is given up too. */
const MAX_PAGES = 5
const RETRY_MS = 1000

/** Those named, everybody that listens, or everybody from the beginning. */
const reaches = ['named', 'all', 'anew'] as const
type Waiting = { ids: Set<number>; reach: (typeof reaches)[number] }
const nothing = (): Waiting => ({ ids: new Set(), reach: 'named' })

/** What is muted went to the archive by itself, and what is from before the profile is no news. */
const isNotable = ({ archived, backlog }: InboxItem): boolean => !archived && !backlog

export function createArrivals({ inbox, store, annotations, hub, onProblem }: ArrivalDeps): Arrivals {
  /** The mark of each owner, when all before is done. */
  const marks = new Map<string, Promise<number>>()
  let waiting: Waiting = nothing()
  let running: Promise<void> | null = null

  async function lastOf(owner: string): Promise<number> {
    const page = { before: null, limit: 1 }
    const [shown] = await store.list(owner, { state: 'all' }, page)
    const [archived] = await store.list(owner, { state: 'archived' }, page)
    return Math.max(shown?.id ?? 0, archived?.id ?? 0)
  }

  function markOf(owner: string): Promise<number> {
    const known = marks.get(owner)
    if (known !== undefined) return known
    const mark = lastOf(owner)
    marks.set(owner, mark)
    mark.catch(() => marks.delete(owner))
    return mark
  }

  async function readBehind(owner: string, after: number): Promise<{ events: LiveEvent[]; last: number }> {
    const news: InboxItem[] = []
    let last = after
    for (let page = 0; page < MAX_PAGES; page++) {
      const items = await store.arrivals(owner, { after: last, limit: MAX_TOLD + 1 })
      last = items.at(-1)?.id ?? last
      news.push(...items.filter(isNotable))
      if (news.length > MAX_TOLD) break
      if (items.length <= MAX_TOLD) return { events: await eventsOf(news), last }
    }
    last = Math.max(last, await lastOf(owner))
    return { events: [{ name: 'reset', id: last, data: {} }], last }
  }

  async function eventsOf(news: readonly InboxItem[]): Promise<LiveEvent[]> {
    return (await inbox.shown(news)).map((data) => ({ name: 'annotation', id: data.id, data }))
  }

  async function tell(owner: string, after: number): Promise<number> {
    if (!hub.isHeard(owner)) return after
    const { events, last } = await readBehind(owner, after)
    if (last === after) return after
    for (const event of events) hub.publish(owner, event)
    hub.publish(owner, { name: 'counts', data: await inbox.counts(owner) })
    return last
  }

  async function tellAnew(owner: string, after: number): Promise<number> {
    if (!hub.isHeard(owner)) return after
    const last = Math.max(after, await lastOf(owner))
    const counts = await inbox.counts(owner)
    hub.publish(owner, { name: 'reset', id: last, data: {} })
    hub.publish(owner, { name: 'counts', data: counts })
    return last
  }

  /** Who is concerned: looked up one by one, or simply all that listen where those are fewer. */
  async function ownersOf({ ids, reach }: Waiting): Promise<Set<string>> {
    if (reach !== 'named' || ids.size >= marks.size) return new Set(marks.keys())
    const owners = new Set<string>()
    for (const id of ids) {
      const owner = (await annotations.find(id))?.owner
      if (owner !== undefined && marks.has(owner)) owners.add(owner)
    }
    return owners
  }

  async function run(): Promise<void> {
    while (waiting.ids.size > 0 || waiting.reach !== 'named') {
      const now = waiting
      waiting = nothing()
      try {
        for (const owner of await ownersOf(now)) await advance(owner, now.reach === 'anew' ? tellAnew : tell)
      } catch (error) {
        // They are in the store, and nobody may come to report them again.
        onProblem('new annotations could not be announced', { err: error })
        setTimeout(() => add([], now.reach === 'anew' ? 'anew' : 'all'), RETRY_MS).unref()
      }
    }
    running = null
  }

  function add(ids: readonly number[], reach: Waiting['reach']): void {
    if (marks.size === 0) return
    for (const id of ids) waiting.ids.add(id)
    if (reaches.indexOf(reach) > reaches.indexOf(waiting.reach)) waiting.reach = reach
    running ??= run()
  }

  async function advance(owner: string, how: typeof tell): Promise<void> {
    const mark = marks.get(owner)
    if (mark === undefined) return
    const next = mark.then((after) => how(owner, after))
    // After a failure it stays where it was.
    marks.set(
      owner,
      next.catch(() => mark),
    )
    await next
  }

  return {
    announce: (ids) => add(ids ?? [], ids === null ? 'all' : 'named'),
    restart: () => add([], 'anew'),
    async join(owner, lastSeen) {
      const at = await markOf(owner)
      const { unread } = await inbox.counts(owner)
      if (lastSeen === null) return { unread, at, missed: [] }
      const last = await lastOf(owner)
      // Seen in a store that is not this one any more, or what was seen is gone.
      if (lastSeen > last) return { unread, at: last, missed: [{ name: 'reset', id: last, data: {} }] }
      return { unread, at: lastSeen, missed: (await readBehind(owner, lastSeen)).events }
    },
    leave(owner) {
      if (!hub.isHeard(owner)) marks.delete(owner)
    },
    settled: async () => {
      while (running !== null) await running
    },
  }
}
