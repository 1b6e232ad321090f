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

/** What marks can change: reading only changes the unread, which have an index of their own. */
export function narrowedState(state: InboxState, marks: Marks | undefined): InboxState {
  const onlyReads = marks?.read === true && marks.starred === undefined && marks.archived === undefined
  return state === 'all' && onlyReads ? 'unread' : state
}

/** A row of counts with nothing to count. */
export const isEmptyCountSql = 'shown = 0 AND archived = 0'
