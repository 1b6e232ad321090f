/** How many checks of a watch are remembered. */
export const MAX_CHECKS = 50

/** SQL: not a good answer. A source that robots.txt forbids does not work for its owner either. */
export const isFailingSql = (outcome: string): string => `(${outcome} LIKE 'failed%' OR ${outcome} LIKE 'skipped%')`

/** From the start of the check; 0 where it is not known. */
export const tookMs = (startedAt: number, checkedAt: number): number =>
  startedAt === 0 ? 0 : Math.max(0, checkedAt - startedAt)
