import type { IncomingHttpHeaders } from 'node:http'

/** One request as the origin saw it: the only record of politeness that the crawler cannot influence. */
export type RequestLogEntry = {
  /** The address of the host, and its index in the site. */
  host: string
  hostIndex: number
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** Numbered across the site; requests on one kept-alive connection share it. */
  connection: number
  /** Connections to this host that were open when the request arrived, including its own. */
  openConnections: number
  /** Requests to this host in progress when this one arrived, including itself. */
  concurrent: number
  /**
   * Monotonic milliseconds. `endedAtMs` is taken right before the answer is sent, `startedAtMs` after the request
   * arrived, so a pause is never shorter here than it was for the client, however busy the machine is. Missing while
   * the answer is delayed.
   */
  startedAtMs: number
  endedAtMs?: number
  status?: number
}

export function isRobots(entry: RequestLogEntry): boolean {
  return entry.path === '/robots.txt'
}

/** The number of requests for each path of a host, except robots.txt. */
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
 * The shortest pause from the end of an answer to the start of the next request to the same host, except robots.txt.
 * Infinite for fewer than two requests.
 */
export function shortestPauseMs(log: RequestLogEntry[], hostIndex = 0): number {
  const entries = log.filter((entry) => entry.hostIndex === hostIndex && !isRobots(entry))
  const pauses = entries
    .slice(1)
    .map((entry, at) => entry.startedAtMs - (entries[at]!.endedAtMs ?? Number.NEGATIVE_INFINITY))
  return Math.min(Number.POSITIVE_INFINITY, ...pauses)
}
