import type { Annotation } from '../api/types.ts'

/** A row of the inbox is a page or a feed entry: its newest change, the number of changes, and the profiles that have it. */

type Paged = Pick<Annotation, 'document' | 'entry'>

export const entryOf = ({ entry }: Paged): string => entry?.id ?? ''

/** The feed of an entry, the host of a page. */
export const sourceOf = ({ entry, source }: Pick<Annotation, 'entry' | 'source'>): string => entry?.channel || source

export const pageKeyOf = (item: Paged): string => `${item.document} ${entryOf(item)}`

export const profilesOf = (item: Annotation) => item.profiles ?? [item.profile]

/** Number of changes that the row represents. */
export const countOf = (item: Annotation): number => item.count ?? 1

/** Merges a later change of the same page into its row. One with a `count` is already a complete row from the server. */
export function joined(row: Annotation, later: Annotation): Annotation {
  if (later.count !== undefined) return later
  const others = profilesOf(row).filter(({ id }) => id !== later.profile.id)
  return {
    ...later,
    read: row.read && later.read,
    starred: row.starred || later.starred,
    count: countOf(row) + (row.version === later.version ? 0 : 1),
    profiles: [later.profile, ...others],
  }
}

/** One row for each page, the newest first. */
export function rowsOf(items: readonly Annotation[]): Annotation[] {
  const rows = new Map<string, Annotation>()
  for (const item of items.toSorted((a, b) => a.id - b.id)) {
    const key = pageKeyOf(item)
    const row = rows.get(key)
    rows.set(key, row === undefined ? item : joined(row, item))
  }
  return [...rows.values()].sort((a, b) => b.id - a.id)
}
