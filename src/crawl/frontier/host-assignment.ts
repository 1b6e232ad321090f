/**
 * Decides which thread crawls a host. Mercator has two ways: hosts are distributed by a hash of their name, or, on an intranet with few
 * hosts, a host goes to a free thread. Either way it stays there, with its queue and its clock, so that two threads never ask the same
 * host at once.
 */
export type HostAssignment = {
  /** Called once for each new host; returns the index of a thread. */
  assign(host: string, threads: readonly ThreadLoad[]): number
}

export type ThreadLoad = {
  /** Hosts assigned so far. */
  hosts: number
  /** Queued requests; may be slightly out of date. */
  queued: number
}

/** Chooses an idle thread, or else the one with the fewest hosts. */
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
