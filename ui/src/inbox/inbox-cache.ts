import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { List } from '../api/client.ts'
import type { Annotation, InboxCounts, Marks } from '../api/types.ts'
import type { InboxFilters } from './inbox-filters.ts'
import { pageKeyOf, rowsOf } from './inbox-rows.ts'

/**
 * A list stays as it was fetched while it is shown: marks change rows in place, arrivals are prepended, and nothing is
 * refetched until the next visit, so that no row moves or disappears while the user reads.
 */
export type InboxPage = List<Annotation> & { isSaved?: boolean }
type InboxData = InfiniteData<InboxPage, string>

export const listKey = (filters: InboxFilters) => ['annotations', filters] as const
export const itemKey = (id: number) => ['annotation', id] as const

export function findItem(client: QueryClient, id: number): Annotation | undefined {
  for (const [, data] of client.getQueriesData<InboxData>({ queryKey: ['annotations'] })) {
    for (const page of data?.pages ?? []) {
      const item = page.items.find((one) => one.id === id)
      if (item !== undefined) return item
    }
  }
  return client.getQueryData<Annotation>(itemKey(id))
}

/** Applies `change` to every cached item with these ids. */
export function patchItems(client: QueryClient, ids: ReadonlySet<number>, change: (item: Annotation) => Annotation) {
  const patch = (item: Annotation) => (ids.has(item.id) ? change(item) : item)
  client.setQueriesData<InboxData>({ queryKey: ['annotations'] }, (data) => {
    if (data === undefined) return data
    return { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(patch) })) }
  })
  for (const id of ids) {
    client.setQueryData<Annotation>(itemKey(id), (item) => (item === undefined ? item : change(item)))
  }
}

/** Prepends arrivals to the list. A page that changed again moves its row to the front. */
export function putInFront(client: QueryClient, filters: InboxFilters, arrivals: readonly Annotation[]): void {
  client.setQueryData<InboxData>(listKey(filters), (data) => {
    const first = data?.pages[0]
    if (data === undefined || first === undefined) return data
    const known = new Map(data.pages.flatMap(({ items }) => items.map((item) => [pageKeyOf(item), item] as const)))
    const isNew = (item: Annotation) => item.id > (known.get(pageKeyOf(item))?.id ?? 0)
    const arrived = arrivals.filter(isNew)
    const pages = new Set(arrived.map(pageKeyOf))
    const rows = rowsOf([...[...known.values()].filter((row) => pages.has(pageKeyOf(row))), ...arrived])
    const rest = data.pages.map((page) => ({
      ...page,
      items: page.items.filter((item) => !pages.has(pageKeyOf(item))),
    }))
    return { ...data, pages: [{ ...rest[0]!, items: [...rows, ...rest[0]!.items] }, ...rest.slice(1)] }
  })
}

/** Drops all lists that are not shown: they are out of date and are refetched when shown. */
export function dropOtherLists(client: QueryClient): void {
  client.removeQueries({ queryKey: ['annotations'], type: 'inactive' })
}

/** Replaces lists built from saved items with the server's as soon as it is reachable. */
export async function replaceSavedLists(client: QueryClient): Promise<void> {
  const isSaved = (data: InboxData | undefined) => data?.pages.some((page) => page.isSaved === true) === true
  await client.refetchQueries({
    queryKey: ['annotations'],
    predicate: ({ state }) => isSaved(state.data as InboxData | undefined),
  })
}

/** Updates the counts in the navigation at once, before the server's arrive. */
export function countMarks(client: QueryClient, before: readonly Annotation[], marks: Marks): void {
  const unreadOf = (item: Annotation) => (item.read || item.archived ? 0 : 1)
  const change = before.reduce((sum, item) => sum + unreadOf({ ...item, ...marks }) - unreadOf(item), 0)
  client.setQueryData<InboxCounts>(['counts'], (counts) =>
    counts === undefined
      ? counts
      : { ...counts, pages: { ...counts.pages, unread: Math.max(0, counts.pages.unread + change) } },
  )
}
