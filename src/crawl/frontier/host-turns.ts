import type { HostQueue } from './host-queue.ts'

/** Hosts that may be asked, in the order of their turns. Those that can no longer be asked are passed over by the caller. */
export type HostTurns = {
  /** Behind all others. */
  add(hostQueue: HostQueue): void
  /** Before those of the ring: its connection is open. */
  addNext(hostQueue: HostQueue): void
  shift(): HostQueue | undefined
}

/** Places at the head of the ring that may be empty before it is cut. */
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
