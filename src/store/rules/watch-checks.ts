import type { WatchRow } from '../contracts/watches.ts'

/** Number of checks kept per watch. */
export const MAX_CHECKS = 50

/** SQL: the check failed. A source that robots.txt forbids counts too, as it does not work for its owner either. */
export const isFailingSql = (outcome: string): string => `(${outcome} LIKE 'failed%' OR ${outcome} LIKE 'skipped%')`

/** Duration of a check; 0 if its start is unknown. */
export const tookMs = (startedAt: number, checkedAt: number): number =>
  startedAt === 0 ? 0 : Math.max(0, checkedAt - startedAt)

const none: readonly number[] = []

/** The URDs whose first visit a check is, in stored form. Most checks have none. */
export const visitsText = (urds: readonly number[] = none): string => urds.join(' ')

/** A row as selected from the database. */
export type StoredWatch = Omit<WatchRow, 'visits'> & { visits: string }

export function watchOf({ visits, ...row }: StoredWatch): WatchRow {
  return { ...row, visits: visits === '' ? none : visits.split(' ').map(Number) }
}
