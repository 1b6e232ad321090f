import { UNLIMITED_DEPTH } from '../../../core/request.ts'
import { zoneClock } from '../../../core/time/zone-offset.ts'
import { checkedDuration, checkId } from '../timing.ts'
import type { Watch } from '../watch.ts'
import { patternOf } from './coverage.ts'
import { type CoalescedWatch, mergeUrds, type Urd } from './urd.ts'

/**
 * Merges equal sources into one watch, so that each is fetched once. The watch satisfies all its URDs: the shortest
 * interval, the widest scope, the highest level and urgency, and a time window if all have one. Each owner's own values
 * are kept, so that a page goes only to the owners that cover it. A change costs O(owners of its watch), independent of
 * the number of all others.
 */
export type Coalescer = {
  /**
   * Adds or replaces a URD. Throws `usage-wrong` for an unknown zone or an invalid expression, without
   * changing anything.
   */
  put(urd: Urd): void
  pause(id: number, paused: boolean): void
  remove(id: number): void
  /** Whether any URD has the watch. */
  has(watch: number): boolean
  /** Undefined if no URD has the watch. */
  watch(id: number): CoalescedWatch | undefined
  /** All URDs of a watch, paused ones included. */
  urdsOf(watch: number): Urd[]
  /** Watches touched since the last call, each once. */
  takeTouched(): number[]
  size(): { urds: number; watches: number }
}

/** Receives the merged watches: see `Scheduler`. */
export type WatchTarget = { set(watch: Watch): void; remove(id: number): void }

/** Brings a scheduler up to date with the URDs. */
export function forwardTouched(coalescer: Coalescer, target: WatchTarget): void {
  for (const id of coalescer.takeTouched()) {
    const watch = coalescer.watch(id)
    if (watch === undefined) target.remove(id)
    else target.set(watch)
  }
}

/** Rejects here, where the owner can still be told, what would fail later in the scheduler or on a page. */
function check({ id, watch, everyMs, everyMaxMs, scope, window }: Urd): void {
  checkId(id)
  checkId(watch)
  checkedDuration(everyMs, 0)
  checkedDuration(everyMaxMs, 0)
  if (scope.kind === 'pattern') patternOf(scope.source)
  if (window !== null) zoneClock(window.zone)
}

/** The URDs of one watch are a linked list, newest first. */
type UrdNode = { urd: Urd; next: UrdNode | null; previous: UrdNode | null }

export function createCoalescer(): Coalescer {
  const urds = new Map<number, UrdNode>()
  const watches = new Map<number, UrdNode>()
  const touched = new Set<number>()

  function join(node: UrdNode): void {
    const { watch } = node.urd
    const first = watches.get(watch) ?? null
    node.next = first
    if (first !== null) first.previous = node
    watches.set(watch, node)
    touched.add(watch)
  }

  function part({ urd, next, previous }: UrdNode): void {
    if (next !== null) next.previous = previous
    if (previous !== null) previous.next = next
    else if (next !== null) watches.set(urd.watch, next)
    else watches.delete(urd.watch)
    touched.add(urd.watch)
  }

  function urdsOf(watch: number): Urd[] {
    const found: Urd[] = []
    for (let node = watches.get(watch) ?? null; node !== null; node = node.next) found.push(node.urd)
    return found
  }

  return {
    put(urd) {
      check(urd)
      const known = urds.get(urd.id)
      if (known !== undefined) part(known)
      const depth = Math.min(urd.depth, UNLIMITED_DEPTH)
      const node = { urd: { ...urd, depth }, next: null, previous: null }
      urds.set(urd.id, node)
      join(node)
    },
    pause(id, paused) {
      const node = urds.get(id)
      if (node === undefined) return
      node.urd = { ...node.urd, paused }
      touched.add(node.urd.watch)
    },
    remove(id) {
      const node = urds.get(id)
      if (node === undefined) return
      part(node)
      urds.delete(id)
    },
    has: (watch) => watches.has(watch),
    watch: (id) => (watches.has(id) ? mergeUrds(urdsOf(id)) : undefined),
    urdsOf,
    takeTouched() {
      const ids = [...touched]
      touched.clear()
      return ids
    },
    size: () => ({ urds: urds.size, watches: watches.size }),
  }
}
