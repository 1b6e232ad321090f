import type { AnnotationDraft } from '../contracts/annotations.ts'
import type { InboxCounts, InboxFilter, InboxState, Marks, ProfileCounts } from '../contracts/inbox.ts'

/** The highest id that a page of the inbox may have; null where there is no bound. */
export function highestOf(filter: InboxFilter, before: number | null): number | null {
  const upTo = filter.upTo ?? null
  if (before === null) return upTo
  return Math.min(before - 1, upTo ?? before)
}

/** The counts of all profiles together, with those of each. */
export function countsOf(rows: InboxCounts['profiles']): InboxCounts {
  const sum: ProfileCounts = { unread: 0, all: 0, starred: 0, archived: 0 }
  for (const row of rows) for (const name of Object.keys(sum) as (keyof ProfileCounts)[]) sum[name] += row[name]
  return { ...sum, profiles: rows.map((row) => ({ ...row })) }
}

/** What a page, or a change of many marks, asks for. */
export type InboxSelection = {
  /** No id above it; null for no limit. */
  highest: number | null
  limit: number
  /** Only rows that these marks would change. */
  changedBy?: Marks
}

/** Marking as read changes only the unread, which have an index of their own. */
export function narrowedState(state: InboxState, marks: Marks | undefined): InboxState {
  const onlyReads = marks?.read === true && marks.starred === undefined && marks.archived === undefined
  return state === 'all' && onlyReads ? 'unread' : state
}

/** The column of `inbox_counts` that counts a state. */
export const countColumns: Record<InboxState, string> = {
  unread: 'unread',
  all: 'shown',
  starred: 'starred',
  archived: 'archived',
}

/** SQL: a profile has nothing in the inbox any more, and its row of `inbox_counts` can go. */
export const isEmptyCount = 'shown = 0 AND archived = 0'

/** A version is pinned for its reader while this is true of any of the reader's annotations of it; SQL, for rows of `alias`. */
export const pins = (alias = ''): string => `NOT ${alias}archived AND (NOT ${alias}read OR ${alias}starred)`

/** Muted annotations go to the archive, and silent ones are the start of a history: neither waits for its reader. */
export const comesRead = ({ muted, silent }: AnnotationDraft): boolean => muted === true || silent === true
