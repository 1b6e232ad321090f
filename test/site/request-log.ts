import type { IncomingHttpHeaders } from 'node:http'

/** One request as the origin saw it: the only witness of politeness that the crawler cannot influence. */
export type RequestLogEntry = {
  /** The address that was asked, and its place among the site's hosts. */
  host: string
  hostIndex: number
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** Counts up over the whole site; requests of one kept-alive connection share it. */
  connection: number
  /** Connections to this host that were open when the request came, its own included. */
  openConnections: number
  /** Requests of this host that were being answered when the request came, itself included. */
  concurrent: number
  /**
   * Steady milliseconds. `endedAtMs` is taken right before the answer goes out, and `startedAtMs` after the request
   * came in, so that a pause between the two is never shorter here than it was for the client, however busy the
   * machine is. Missing while the answer is held back.
   */
  startedAtMs: number
  endedAtMs?: number
  status?: number
}

export function isRobots(entry: RequestLogEntry): boolean {
  return entry.path === '/robots.txt'
}

/** How often each path of a host was asked for, robots.txt apart. */
export function countByPath(log: RequestLogEntry[], hostIndex = 0): Map<string, number> {
  const counts = new Map<string, number>()
  for (const entry of log)
    if (entry.hostIndex === hostIndex && !isRobots(entry)) counts.set(entry.path, (counts.get(entry.path) ?? 0) + 1)
  return counts
}

export function maxOpenConnections(log: RequestLogEntry[], hostIndex = 0): number {
  return Math.max(0, ...log.filter((entry) => entry.hostIndex === hostIndex).map((entry) => entry.openConnections))
}

/**
 * The shortest pause from the end of an answer to the start of the next request to the same host, in milliseconds;
 * robots.txt apart. Infinite where fewer than two requests were made.
 */
export function shortestPauseMs(log: RequestLogEntry[], hostIndex = 0): number {
  const entries = log.filter((entry) => entry.hostIndex === hostIndex && !isRobots(entry))
  const pauses = entries
    .slice(1)
    .map((entry, at) => entry.startedAtMs - (entries[at]!.endedAtMs ?? Number.NEGATIVE_INFINITY))
  return Math.min(Number.POSITIVE_INFINITY, ...pauses)
}
