import type { Annotation } from '../api/types.ts'
import { keep, kept } from './kept.ts'

/** The newest items, to be read without a connection. */
const KEY = 'inbox'
const MAX_KEPT = 200

export async function keepItems(items: readonly Annotation[]): Promise<void> {
  const byId = new Map((await keptItems()).map((item) => [item.id, item]))
  for (const item of items) byId.set(item.id, item)
  await keep(KEY, [...byId.values()].sort((a, b) => b.id - a.id).slice(0, MAX_KEPT))
}

export async function keptItems(): Promise<Annotation[]> {
  return (await kept<Annotation[]>(KEY)) ?? []
}
