import { api, type List } from '../api/client.ts'
import type { Annotation } from '../api/types.ts'

/** So many are told one by one; whoever missed more loads the list anew. */
const MAX_TOLD = 200

/** What came behind this one, the oldest first; null when it is too much to be told. */
export async function missedSince(after: number): Promise<Annotation[] | null> {
  const { items, next } = await api.get<List<Annotation>>('/annotations', { state: 'all', limit: MAX_TOLD })
  const missed = items.filter(({ id }) => id > after)
  if (missed.length === items.length && next !== null) return null
  // What is from before the profile is no news.
  return missed.filter(({ backlog }) => !backlog).reverse()
}
