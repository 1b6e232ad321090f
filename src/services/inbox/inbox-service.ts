import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../core/clock.ts'
import type { InboxFilter, InboxItem, InboxStore, Marks, ProfileCounts } from '../../store/contracts/inbox.ts'
import type { EventHub } from '../events/event-hub.ts'
import { type AnnotationJson, annotationToJson } from './annotation-json.ts'
import { annotationXml, inboxXml } from './inbox-xml.ts'
import type { ProfileNames } from './profile-names.ts'

/** The inbox of one owner at a time. Annotations of others are treated as missing. */
export type InboxService = {
  list(owner: string, filter: InboxFilter, page: InboxPage): Promise<InboxItem[]>
  find(owner: string, id: number): Promise<InboxItem | null>
  /** The nearest newer and older ones that aren't archived; null if there is none. */
  neighbours(owner: string, id: number): Promise<{ newer: number | null; older: number | null }>
  /** With the names their owner uses. */
  shown(items: readonly InboxItem[]): Promise<AnnotationJson[]>
  /** In the grammar of the papers. */
  xml(items: readonly InboxItem[]): Promise<string>
  xmlOf(item: InboxItem): string
  counts(owner: string): Promise<NamedCounts>
  /** Returns the ids that changed. */
  mark(owner: string, ids: readonly number[], marks: Marks): Promise<number[]>
  /** A batch of what matches a filter, newest first. `more`: there may be more to do. */
  markAll(owner: string, filter: InboxFilter, marks: Marks): Promise<{ ids: number[]; more: boolean }>
  /** Another process has set these marks; null if too many to list. */
  noteMarks(owner: string, ids: readonly number[] | null, marks: Marks): Promise<void>
}

export type InboxPage = { before: number | null; limit: number }

export type NamedCounts = ProfileCounts & {
  /** Number of failing sources. */
  failing: number
  profiles: ({ id: string; name: string } & ProfileCounts)[]
}

export type InboxDeps = {
  store: InboxStore
  names: ProfileNames
  hub: EventHub
  clock: Clock
  countFailing?(owner: string): Promise<number>
  /** Announces it to other processes and their listeners. */
  tellOthers?(owner: string, ids: readonly number[] | null, marks: Marks): void
  /** Maximum number marked per call. */
  portion?: number
}

const PORTION = 10_000
/** After this many, others get a turn. */
const SLICE = 250
/** Beyond this many ids, clients are told to reload their lists instead. */
const MAX_TOLD = 1000
const NEIGHBOURS = 50

export function createInboxService(deps: InboxDeps): InboxService {
  const { store, names, hub, clock, countFailing, tellOthers, portion = PORTION } = deps

  async function counts(owner: string): Promise<NamedCounts> {
    const { profiles, ...totals } = await store.counts(owner)
    const nameOf = await names.of(profiles.map(({ profile }) => profile))
    const failing = (await countFailing?.(owner)) ?? 0
    const named = profiles.map(({ profile, ...each }) => ({ id: profile, name: nameOf.get(profile)!, ...each }))
    return { ...totals, failing, profiles: named }
  }

  /** To all tabs and devices of the owner, including the one that made the change. */
  async function tell(owner: string, ids: readonly number[], marks: Marks): Promise<void> {
    if (ids.length === 0) return
    const told = ids.length > MAX_TOLD ? null : ids
    tellOthers?.(owner, told, marks)
    await noteMarks(owner, told, marks)
  }

  async function noteMarks(owner: string, ids: readonly number[] | null, marks: Marks): Promise<void> {
    if (!hub.isHeard(owner)) return
    hub.publish(owner, { name: 'counts', data: { ...(await counts(owner)), changed: { ids, marks } } })
  }

  return {
    list: store.list,
    find: store.find,
    async neighbours(owner, id) {
      const [older] = await store.list(owner, { state: 'all' }, { before: id, limit: 1 })
      const newer = await store.arrivals(owner, { after: id, limit: NEIGHBOURS })
      return { older: older?.id ?? null, newer: newer.find(({ archived }) => !archived)?.id ?? null }
    },
    async shown(items) {
      const nameOf = await names.of(items.map(({ profile }) => profile))
      return items.map((item) => annotationToJson(item, nameOf.get(item.profile)!))
    },
    xml: (items) => inboxXml(items, clock.now()),
    xmlOf: (item) => annotationXml(item, clock.now()),
    counts,
    noteMarks,
    async mark(owner, ids, marks) {
      const changed: number[] = []
      for (let at = 0; at < ids.length; at += SLICE) {
        if (at > 0) await setImmediate()
        changed.push(...(await store.mark(owner, ids.slice(at, at + SLICE), marks)))
      }
      await tell(owner, changed, marks)
      return changed
    },
    async markAll(owner, filter, marks) {
      const ids: number[] = []
      let more = true
      while (more && ids.length < portion) {
        if (ids.length > 0) await setImmediate()
        const limit = Math.min(SLICE, portion - ids.length)
        const slice = await store.markAll(owner, filter, marks, limit)
        more = slice.length === limit
        ids.push(...slice)
      }
      await tell(owner, ids, marks)
      return { ids, more }
    },
  }
}
