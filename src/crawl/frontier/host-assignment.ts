/**
 * Which thread crawls a host. Mercator has two ways: hosts are spread by a hash of their name, or, on an intranet with few hosts, a
 * host goes to a thread that is free. Either way it stays there, with its queue and its clock, so that no host is asked by two
 * threads at once.
 */
export type HostAssignment = {
  /** Called once for each new host; the number of a thread, from 0. */
  assign(host: string, threads: readonly ThreadLoad[]): number
}

export type ThreadLoad = {
  /** Hosts it was given so far. */
  hosts: number
  /** Requests that wait there; a moment old. */
  queued: number
}

/** The thread with nothing to do, or else the one that was given the fewest hosts. */
export const dynamicAssignment: HostAssignment = {
  assign(_host, threads) {
    let best = 0
    for (const [at, load] of threads.entries()) if (isFreer(load, threads[best]!)) best = at
    return best
  },
}

function isFreer(a: ThreadLoad, b: ThreadLoad): boolean {
  if ((a.queued === 0) !== (b.queued === 0)) return a.queued === 0
  return a.hosts < b.hosts || (a.hosts === b.hosts && a.queued < b.queued)
}
