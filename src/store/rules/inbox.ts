import type { AnnotationDraft } from '../contracts/annotations.ts'
import type { InboxCounts, InboxFilter, InboxState, Marks, ProfileCounts } from '../contracts/inbox.ts'

/** The highest id that a page of the inbox may have; null for no limit. */
export function highestOf(filter: InboxFilter, before: number | null): number | null {
  const upTo = filter.upTo ?? null
  if (before === null) return upTo
  return Math.min(before - 1, upTo ?? before)
}

export type ProfileRow = { profile: string } & ProfileCounts
export type ScopeRow = { scope: string } & ProfileCounts

const none: ProfileCounts = { unread: 0, all: 0, starred: 0, archived: 0 }

/** The counts of all profiles together, with those of each, and the pages of each scope. */
export function countsOf(rows: readonly ProfileRow[], scopes: readonly ScopeRow[]): InboxCounts {
  const sum: ProfileCounts = { ...none }
  for (const row of rows) for (const name of Object.keys(sum) as (keyof ProfileCounts)[]) sum[name] += row[name]
  const pages = new Map(scopes.map(({ scope, ...counts }) => [scope, counts]))
  return {
    ...sum,
    pages: pages.get('') ?? { ...none },
    profiles: rows.map((row) => ({ ...row, pages: pages.get(row.profile) ?? { ...none } })),
  }
}

/** Maximum number of annotations counted one by one, for a page that several profiles have. */
export const MAX_COUNTED = 500

/** Number of a page's oldest annotations searched for its first versions, which are not changes. */
export const MAX_FIRST = 20

/** Matches of a search or an urgency are read in steps of this size, at most `MAX_PAGE_STEPS` per call, so that each call is bounded. */
export const PAGE_STEP = 200
export const MAX_PAGE_STEPS = 20

/** A matching annotation and the page it belongs to. */
export type Found = { id: number; documentId: number; entry: string }

/**
 * Rows of pages for a filter that has no stored rows: walks the matches, newest first, and takes the first of each page. `newest`
 * returns the candidates without a newer match; the others were already listed in an earlier part of the list.
 */
export async function firstOfPages(
  { before, limit }: { before: number | null; limit: number },
  matches: (before: number | null, limit: number) => Promise<Found[]> | Found[],
  newest: (candidates: readonly Found[]) => Promise<Set<number>> | Set<number>,
): Promise<{ found: Found[]; next: number | null }> {
  const found: Found[] = []
  const met = new Set<string>()
  let from = before
  for (let step = 0; step < MAX_PAGE_STEPS; step++) {
    const walked = await matches(from, PAGE_STEP)
    const candidates = walked.filter(({ documentId, entry }) => {
      const key = `${documentId} ${entry}`
      return !met.has(key) && met.add(key) !== undefined
    })
    // At the start of the list, the first match of a page is its newest.
    const isNewest = before === null ? null : await newest(candidates)
    for (const candidate of candidates) {
      if (isNewest?.has(candidate.id) === false) continue
      if (found.length === limit) return { found, next: found.at(-1)!.id }
      found.push(candidate)
    }
    if (walked.length < PAGE_STEP) return { found, next: null }
    from = walked.at(-1)!.id
  }
  return { found, next: from }
}

/** Which rows to select for a page of the list or for bulk marking. */
export type InboxSelection = {
  /** Maximum id; null for no limit. */
  highest: number | null
  limit: number
  /** Only rows that these marks would change. */
  changedBy?: Marks
}

/** Marking as read changes only unread rows, which have their own index. */
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

/** SQL: the profile has nothing left in the inbox, so its row in `inbox_counts` can be deleted. */
export const isEmptyCount = 'shown = 0 AND archived = 0'

/** SQL, for rows of `alias`: a version is pinned for its reader while this holds for any of the reader's annotations of it. */
export const pins = (alias = ''): string => `NOT ${alias}archived AND (NOT ${alias}read OR ${alias}starred)`

/** Whether it is stored as read: muted annotations go to the archive, silent ones only start a history. */
export const comesRead = ({ muted, silent }: AnnotationDraft): boolean => muted === true || silent === true
