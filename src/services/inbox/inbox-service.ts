import { setImmediate } from 'node:timers/promises'
import { aciOf } from '../../archive/export/aci-export.ts'
import type { Clock } from '../../core/clock.ts'
import { parseSearchQuery } from '../../core/search-query/parse-query.ts'
import type {
  InboxFilter,
  InboxItem,
  InboxPageItem,
  InboxState,
  InboxStore,
  Marks,
  ProfileCounts,
} from '../../store/contracts/inbox.ts'
import type { ProfileStore } from '../../store/contracts/profiles.ts'
import { writeAci, writeAcis } from '../../xml/aci/aci.ts'
import type { EventHub } from '../events/event-hub.ts'
import { type AnnotationJson, annotationToJson } from './annotation-json.ts'

/** The inbox of one owner at a time. Annotations of others are treated as missing. */
export type InboxService = {
  list(owner: string, filter: InboxFilter, page: InboxPage): Promise<InboxItem[]>
  /** One row for each page with an annotation that matches: the newest of them. */
  pages(owner: string, filter: InboxFilter, page: InboxPage): Promise<{ items: InboxPageItem[]; next: number | null }>
  find(owner: string, id: number): Promise<InboxItem | null>
  /** The nearest newer and older ones that aren't archived; null if there is none. */
  neighbours(owner: string, id: number): Promise<{ newer: number | null; older: number | null }>
  /** With the names their owner uses. */
  shown(items: readonly InboxItem[]): Promise<AnnotationJson[]>
  shownPages(items: readonly InboxPageItem[]): Promise<PageJson[]>
  /** In the grammar of the papers. */
  xml(items: readonly InboxItem[]): Promise<string>
  xmlOf(item: InboxItem): string
  counts(owner: string): Promise<NamedCounts>
  /** Returns the ids that changed. */
  mark(owner: string, ids: readonly number[], marks: Marks): Promise<number[]>
  /** A batch of what matches a filter, newest first. `more`: there may be more to do. */
  markAll(owner: string, filter: InboxFilter, marks: Marks): Promise<{ ids: number[]; more: boolean }>
  /** Each id marks all matching annotations of its page up to itself: those that arrived after the row was shown stay as they are. */
  markPages(
    owner: string,
    ids: readonly number[],
    filter: InboxFilter,
    marks: Marks,
  ): Promise<{ ids: number[]; more: boolean }>
  /** Publishes marks set by another process; `ids` is null if there are too many to list. */
  noteMarks(owner: string, ids: readonly number[] | null, marks: Marks): Promise<void>
}

export type PageJson = AnnotationJson & { count: number; profiles: { id: string; name: string }[] }

export type InboxPage = { before: number | null; limit: number }

export type NamedCounts = ProfileCounts & {
  /** Number of failing sources. */
  failing: number
  pages: ProfileCounts
  profiles: ({ id: string; name: string; pages: ProfileCounts } & ProfileCounts)[]
}

export type InboxDeps = {
  store: InboxStore
  names: ProfileNames
  hub: EventHub
  clock: Clock
  countFailing?(owner: string): Promise<number>
  /** Announces marks to other processes and their listeners. */
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

  /** Adds to the ids up to the size of a portion. True if there may be more. */
  async function markPortion(owner: string, filter: InboxFilter, marks: Marks, ids: number[]): Promise<boolean> {
    let more = true
    while (more && ids.length < portion) {
      const limit = Math.min(SLICE, portion - ids.length)
      const slice = await store.markAll(owner, filter, marks, limit)
      more = slice.length === limit
      ids.push(...slice)
      if (more) await setImmediate()
    }
    return more
  }

  return {
    list: store.list,
    pages: store.pages,
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
    async shownPages(items) {
      const nameOf = await names.of(items.flatMap(({ profiles }) => profiles))
      return items.map(({ count, profiles, ...item }) => ({
        ...annotationToJson(item, nameOf.get(item.profile)!),
        count,
        profiles: profiles.map((id) => ({ id, name: nameOf.get(id)! })),
      }))
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
      const more = await markPortion(owner, filter, marks, ids)
      await tell(owner, ids, marks)
      return { ids, more }
    },
    async markPages(owner, ids, filter, marks) {
      const changed: number[] = []
      let more = false
      for (const id of ids) {
        const item = await store.find(owner, id)
        if (item === null) continue
        const { documentId, entry } = item
        const upTo = Math.min(id, filter.upTo ?? id)
        more = await markPortion(owner, { ...filter, upTo, page: { documentId, entry } }, marks, changed)
        if (more) break
        await setImmediate()
      }
      await tell(owner, changed, marks)
      return { ids: changed, more }
    },
  }
}

/** Annotations in the grammar of the papers. */
export async function inboxXml(items: readonly InboxItem[], now: number): Promise<string> {
  let xml = ''
  for await (const piece of writeAcis(items.map((item) => aciOf(item, now)))) xml += piece
  return xml
}

export function annotationXml(item: InboxItem, now: number): string {
  return writeAci(aciOf(item, now))
}

/** The filter in a request. */
export type InboxWish = {
  state?: InboxState
  profile?: string
  q?: string
  urgency?: number
  upTo?: number
  document?: number
  entry?: string
}

export type ReadFilter = { kind: 'filter'; filter: InboxFilter } | { kind: 'invalid'; errors: string[] }

/** Omitted parameters don't filter. */
export function readInboxFilter(wish: InboxWish): ReadFilter {
  const { state = 'all', profile = '', q = '', urgency = 0, upTo, document, entry = '' } = wish
  const filter: InboxFilter = {
    state,
    ...(profile === '' ? {} : { profile }),
    ...(urgency === 0 ? {} : { urgency }),
    ...(upTo === undefined ? {} : { upTo }),
    ...(document === undefined ? {} : { page: { documentId: document, entry } }),
  }
  if (q.trim() === '') return { kind: 'filter', filter }
  const read = parseSearchQuery(q)
  return read.kind === 'invalid' ? read : { kind: 'filter', filter: { ...filter, query: read.query } }
}

const MAX_NAMES = 20_000

export type ProfileNames = {
  /** '' for a deleted profile. */
  of(ids: Iterable<string>): Promise<Map<string, string>>
}

/** Profile names, cached until any profile changes, in this process or another. */
export function createProfileNames(profiles: Pick<ProfileStore, 'find' | 'revision'>): ProfileNames {
  const names = new Map<string, string>()
  let revision = -1
  return {
    async of(ids) {
      const current = await profiles.revision()
      if (current !== revision) names.clear()
      revision = current
      const found = new Map<string, string>()
      for (const id of new Set(ids)) {
        const name = names.get(id) ?? (await profiles.find(id))?.name ?? ''
        found.set(id, name)
        // Changed while reading: the name may be stale, so don't cache it.
        if (revision !== current) continue
        if (names.size >= MAX_NAMES) names.clear()
        names.set(id, name)
      }
      return found
    },
  }
}
