import type { HostQueue } from './host-queue.ts'

/** Hosts that may be asked, in the order of their turns. The caller skips those that can no longer be asked. */
export type HostTurns = {
  /** Adds a host after all others. */
  add(hostQueue: HostQueue): void
  /** Adds a host ahead of the ring, since its connection is open. */
  addNext(hostQueue: HostQueue): void
  shift(): HostQueue | undefined
}

/** Consumed entries at the head of the ring before it is compacted. */
const MAX_EMPTY = 1024

export function createHostTurns(): HostTurns {
  const next: HostQueue[] = []
  const ring: HostQueue[] = []
  let head = 0
  return {
    add: (hostQueue) => void ring.push(hostQueue),
    addNext: (hostQueue) => void next.push(hostQueue),
    shift() {
      const hostQueue = next.shift() ?? ring[head++]
      if (head >= ring.length || (head > MAX_EMPTY && head * 2 > ring.length)) {
        ring.splice(0, head)
        head = 0
      }
      return hostQueue
    },
  }
}
