import { type HostPosition, hostHealths } from '../contracts/host-view.ts'

/** A host that may not be requested for this long is slow; politeness alone takes less. */
export const SLOW_MS = 60_000

/** `health` is the index in `hostHealths`: given up, resting, slow, fine. */
export type RankedHost = { health: number; host: string; queued: number; failures: number; nextAt: number }

/** The order of the list: worst health first, then the longest queue, then by name. */
export function compareHosts(a: RankedHost, b: RankedHost): number {
  return a.health - b.health || b.queued - a.queued || (a.host < b.host ? -1 : a.host > b.host ? 1 : 0)
}

/** The values for `after` in `hostRankingSql`; null gives the start of the list. */
export function positionValues(after: HostPosition | null): [health: number, queued: number, host: string] {
  if (after === null) return [-1, 0, '']
  return [hostHealths.indexOf(after.health), after.queued, after.host]
}

/**
 * SQL for a page of the list. `hosts` is a FROM clause with the table aliased as `h`. There is no index for this order: updating it with
 * every request would cost the crawl more than reading all hosts costs here. Failures of an earlier run don't count.
 */
export function hostRankingSql(sql: {
  hosts: string
  host: string
  run: string
  slowAt: string
  /** Parameters for the values from `positionValues`. */
  after: readonly [health: string, queued: string, host: string]
  limit: string
}): string {
  const [health, queued, host] = sql.after
  return `SELECT health, host, queued, failures, "nextAt" FROM (
      SELECT CASE WHEN h.given_up AND h.run = ${sql.run} THEN 0 WHEN h.rests > 0 AND h.run = ${sql.run} THEN 1
          WHEN (h.failures > 0 AND h.run = ${sql.run}) OR (h.queued > 0 AND h.next_at > ${sql.slowAt}) THEN 2 ELSE 3 END AS health,
        ${sql.host} AS host, h.queued, CASE WHEN h.run = ${sql.run} THEN h.failures ELSE 0 END AS failures, h.next_at AS "nextAt"
      FROM ${sql.hosts}) ranked
    WHERE (health, -queued, host) > (${health}, -${queued}, ${host}) ORDER BY health, queued DESC, host LIMIT ${sql.limit}`
}

/** Conditions on a host, for counting. */
export const isGivenUpSql = (run: string): string => `given_up AND run = ${run}`
export const isRestingSql = 'rests > 0 AND queued > 0'
