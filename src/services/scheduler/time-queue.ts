import type { HeapArena } from './heap-arena.ts'

/**
 * Slots by the time at which something is to be done about them. Those of the next half second are in a heap. The others are
 * in chains, one for each half second of the next hour, unsorted; who is further away goes round with the hours
 * and is passed over until its own comes. A million sources are so put in and taken out at the cost of a few
 * numbers, and only those whose time is near are sorted.
 */
export type TimeQueue = {
  push(slot: number, at: number): void
  remove(slot: number): void
  /** The slot whose time is first, if that is not after `now`; -1 for none. It is not taken out. */
  due(now: number): number
  /** No slot is due before; infinite where there is none. */
  nextAt(): number
}

const TICK_MS = 500
const TICKS = 8_192

export function createTimeQueue(heap: HeapArena, now: number): TimeQueue {
  const chains = new Int32Array(TICKS).fill(-1)
  let chained = 0
  let root = -1
  /** What is before the end of this tick is in the heap, and nothing else is. */
  let tick = tickOf(now)

  function sortIn(chain: number): void {
    let head = chains[chain]!
    for (let slot = head; slot !== -1; ) {
      const following = heap.after(slot)
      const at = heap.keyOf(slot)
      if (tickOf(at) <= tick) {
        head = heap.unlink(head, slot)
        chained--
        root = heap.push(root, slot, at)
      }
      slot = following
    }
    chains[chain] = head
  }

  /** Goes on tick by tick, but no further than somebody is found: the rest has time until it is asked for. */
  function advance(now: number): void {
    const target = tickOf(now)
    if (chained === 0) tick = Math.max(tick, target)
    // After a long stop once round is enough.
    if (target - tick > TICKS) {
      tick = target
      for (let chain = 0; chain < TICKS; chain++) sortIn(chain)
    }
    while (tick < target && (root === -1 || heap.keyOf(root) > now)) {
      tick++
      sortIn(chainOf(tick))
    }
  }

  return {
    push(slot, at) {
      if (tickOf(at) <= tick) {
        root = heap.push(root, slot, at)
        return
      }
      const chain = chainOf(tickOf(at))
      chains[chain] = heap.prepend(chains[chain]!, slot, at)
      chained++
    },
    remove(slot) {
      const at = heap.keyOf(slot)
      if (tickOf(at) <= tick) {
        root = heap.remove(root, slot)
        return
      }
      const chain = chainOf(tickOf(at))
      chains[chain] = heap.unlink(chains[chain]!, slot)
      chained--
    },
    due(now) {
      advance(now)
      return root === -1 || heap.keyOf(root) > now ? -1 : root
    },
    nextAt() {
      if (root !== -1) return heap.keyOf(root)
      if (chained === 0) return Number.POSITIVE_INFINITY
      // The end of a tick is early for those in later rounds; they are passed over then, and the next one is named.
      let next = tick + 1
      while (chains[chainOf(next)] === -1) next++
      return next * TICK_MS
    },
  }
}

function tickOf(at: number): number {
  return Math.floor(at / TICK_MS)
}

function chainOf(tick: number): number {
  return ((tick % TICKS) + TICKS) % TICKS
}
