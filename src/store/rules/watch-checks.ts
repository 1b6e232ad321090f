import type { WatchRow } from '../contracts/watches.ts'

/** How many checks of a watch are remembered. */
export const MAX_CHECKS = 50

/** SQL: not a good answer. A source that robots.txt forbids does not work for its owner either. */
export const isFailingSql = (outcome: string): string => `(${outcome} LIKE 'failed%' OR ${outcome} LIKE 'skipped%')`

/** From the start of the check; 0 where it is not known. */
export const tookMs = (startedAt: number, checkedAt: number): number =>
  startedAt === 0 ? 0 : Math.max(0, checkedAt - startedAt)

const none: readonly number[] = []

/** The URDs whose first visit a check is, as they are stored. Most checks are nobody's first. */
export const visitsText = (urds: readonly number[] = none): string => urds.join(' ')

/** A row as it is selected. */
export type StoredWatch = Omit<WatchRow, 'visits'> & { visits: string }

export function watchOf({ visits, ...row }: StoredWatch): WatchRow {
  return { ...row, visits: visits === '' ? none : visits.split(' ').map(Number) }
}
