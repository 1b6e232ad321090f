import type { PageVisits, WalkStep } from '../contracts/walks.ts'

/** The number, from 1, of the page at which a walk restarts; 0 if there is none. */
export function restartPage({ chance, from }: WalkStep, count: { pages: number; seeds: number }): number {
  const among = from === 'given' ? count.seeds : count.pages
  return among === 0 ? 0 : 1 + Math.min(among - 1, Math.floor(chance * among))
}

export type VisitRow = { url: string; visits: number; seed: number | null }

/** `seed` is the number of a seed; null for other pages. */
export const visitsOf = ({ url, visits, seed }: VisitRow): PageVisits => ({ url, visits, isSeed: seed !== null })
