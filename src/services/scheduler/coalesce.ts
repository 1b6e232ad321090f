import type { TimeWindow } from '../../core/profile.ts'
import { UNLIMITED_DEPTH } from '../../core/request.ts'
import { nearness, nearnessOf, type Page, patternOf } from './coverage.ts'
import { createInterner } from './interner.ts'
import { checkId, createSlotTable, grown } from './slot-table.ts'
import { checkedDuration } from './timing.ts'
import type { CoalescedWatch, Urd } from './urd.ts'
import { createUrdColumns, growUrdColumns } from './urd-columns.ts'
import { mergeUrds } from './urd-merge.ts'
import { serviceLevels, type Watch } from './watch.ts'
import { zoneClock } from './zone-offset.ts'

/**
 * Makes one fetch of equal sources. URDs of one watch form a chain, and the watch is what they have in common: the
 * shortest interval, the widest reach, the highest level and urgency, and a time window if all have one. Each owner's
 * own values stay as they are, so that a page goes to those alone who cover it. A change costs as much as its watch has
 * owners, whatever the number of all others.
 */
export type Coalescer = {
  /**
   * Adds a URD or puts it in place of what it was. Throws `usage-wrong` for an unknown zone or a wrong expression, and
   * then changes nothing.
   */
  put(urd: Urd): void
  pause(id: number, paused: boolean): void
  remove(id: number): void
  /** Undefined where nobody has the watch. */
  watch(id: number): CoalescedWatch | undefined
  /** All URDs of a watch as they were put. */
  urdsOf(watch: number): Urd[]
  /** The URDs, not paused, that cover a page found from the watch's source. */
  covering(watch: number, uri: string, page: Page): number[]
  /** Watches that were touched since this was last called, each once. */
  takeTouched(): number[]
  size(): { urds: number; watches: number }
}

/** What sees to it that the fetches follow: see `Scheduler`. */
export type WatchTarget = { set(watch: Watch): void; remove(id: number): void }

/** Brings a scheduler up to date with the URDs. */
export function forwardTouched(coalescer: Coalescer, target: WatchTarget): void {
  for (const id of coalescer.takeTouched()) {
    const watch = coalescer.watch(id)
    if (watch === undefined) target.remove(id)
    else target.set(watch)
  }
}

const scopeKinds = Object.keys(nearnessOf) as (keyof typeof nearnessOf)[]

/** What a scheduler or a look at a page would stumble over later is refused here, where its owner can be told. */
function check({ id, watch, everyMs, everyMaxMs, scope, window }: Urd): void {
  checkId(id)
  checkId(watch)
  checkedDuration(everyMs, 0)
  checkedDuration(everyMaxMs, 0)
  if (scope.kind === 'pattern') patternOf(scope.source)
  if (window !== null) zoneClock(window.zone)
}

export function createCoalescer({ capacity = 1024 }: { capacity?: number } = {}): Coalescer {
  const columns = createUrdColumns(Math.max(16, capacity))
  const urds = createSlotTable({ capacity, onGrow: (room) => growUrdColumns(columns, room) })
  let firstUrd = new Int32Array(Math.max(16, capacity))
  let hostOf = new Int32Array(Math.max(16, capacity))
  const watches = createSlotTable({
    capacity,
    onGrow(room) {
      firstUrd = grown(firstUrd, room)
      hostOf = grown(hostOf, room)
    },
  })
  const owners = createInterner<string>()
  const hosts = createInterner<string>()
  const patterns = createInterner<string>()
  const windows = createInterner<TimeWindow>()
  const touched = new Set<number>()

  function join(slot: number, { watch, host }: Urd): void {
    let at = watches.find(watch)
    if (at === -1) {
      at = watches.add(watch)
      firstUrd[at] = -1
      hostOf[at] = hosts.acquire(host, () => host)
    }
    const first = firstUrd[at]!
    columns.watch[slot] = at
    columns.previous[slot] = -1
    columns.next[slot] = first
    if (first !== -1) columns.previous[first] = slot
    firstUrd[at] = slot
    touched.add(watch)
  }

  function part(slot: number): void {
    const at = columns.watch[slot]!
    const before = columns.previous[slot]!
    const after = columns.next[slot]!
    if (after !== -1) columns.previous[after] = before
    if (before !== -1) columns.next[before] = after
    else firstUrd[at] = after
    touched.add(watches.idOf(at))
    if (firstUrd[at] !== -1) return
    hosts.release(hostOf[at]!)
    watches.remove(at)
  }

  function write(slot: number, urd: Urd): void {
    const { owner, scope, window } = urd
    columns.owner[slot] = owners.acquire(owner, () => owner)
    columns.level[slot] = serviceLevels.indexOf(urd.level)
    columns.paused[slot] = urd.paused ? 1 : 0
    columns.everyMs[slot] = urd.everyMs
    columns.everyMaxMs[slot] = urd.everyMaxMs
    columns.urgency[slot] = urd.urgency
    columns.depth[slot] = Math.min(urd.depth, UNLIMITED_DEPTH)
    columns.scope[slot] = scope.kind === 'pattern' ? 0 : nearnessOf[scope.kind]
    columns.pattern[slot] = scope.kind === 'pattern' ? patterns.acquire(scope.source, () => scope.source) : -1
    columns.window[slot] = window === null ? -1 : windows.acquire(JSON.stringify(window), () => window)
  }

  function erase(slot: number): void {
    owners.release(columns.owner[slot]!)
    if (columns.pattern[slot] !== -1) patterns.release(columns.pattern[slot]!)
    if (columns.window[slot] !== -1) windows.release(columns.window[slot]!)
  }

  function chainOf(watch: number): number {
    const at = watches.find(watch)
    return at === -1 ? -1 : firstUrd[at]!
  }

  function read(slot: number): Urd {
    const at = columns.watch[slot]!
    const pattern = columns.pattern[slot]!
    const window = columns.window[slot]!
    return {
      id: urds.idOf(slot),
      watch: watches.idOf(at),
      owner: owners.get(columns.owner[slot]!),
      level: serviceLevels[columns.level[slot]!]!,
      host: hosts.get(hostOf[at]!),
      everyMs: columns.everyMs[slot]!,
      everyMaxMs: columns.everyMaxMs[slot]!,
      depth: columns.depth[slot]!,
      scope:
        pattern === -1
          ? { kind: scopeKinds[columns.scope[slot]! - 1]! }
          : { kind: 'pattern', source: patterns.get(pattern) },
      urgency: columns.urgency[slot]!,
      window: window === -1 ? null : windows.get(window),
      paused: columns.paused[slot] === 1,
    }
  }

  function urdsOf(watch: number): Urd[] {
    const found: Urd[] = []
    for (let slot = chainOf(watch); slot !== -1; slot = columns.next[slot]!) found.push(read(slot))
    return found
  }

  return {
    put(urd) {
      check(urd)
      let slot = urds.find(urd.id)
      if (slot === -1) slot = urds.add(urd.id)
      else {
        part(slot)
        erase(slot)
      }
      write(slot, urd)
      join(slot, urd)
    },
    pause(id, paused) {
      const slot = urds.find(id)
      if (slot === -1) return
      columns.paused[slot] = paused ? 1 : 0
      touched.add(watches.idOf(columns.watch[slot]!))
    },
    remove(id) {
      const slot = urds.find(id)
      if (slot === -1) return
      part(slot)
      erase(slot)
      urds.remove(slot)
    },
    watch(id) {
      const first = chainOf(id)
      return first === -1 ? undefined : mergeUrds(urdsOf(id))
    },
    urdsOf,
    covering(watch, uri, page) {
      const found: number[] = []
      const near = page.hops === 0 ? nearnessOf.page : nearness(uri, page.url)
      /** Owners with the same expression share the answer. */
      const matched = new Map<number, boolean>()
      for (let slot = chainOf(watch); slot !== -1; slot = columns.next[slot]!) {
        if (columns.paused[slot] === 1 || page.hops > columns.depth[slot]!) continue
        const pattern = columns.pattern[slot]!
        let covers = page.hops === 0 || (pattern === -1 && near >= columns.scope[slot]!)
        if (!covers && pattern !== -1) {
          covers = matched.get(pattern) ?? patternOf(patterns.get(pattern)).matches(page.url)
          matched.set(pattern, covers)
        }
        if (covers) found.push(urds.idOf(slot))
      }
      return found
    },
    takeTouched() {
      const ids = [...touched]
      touched.clear()
      return ids
    },
    size: () => ({ urds: urds.size(), watches: watches.size() }),
  }
}
