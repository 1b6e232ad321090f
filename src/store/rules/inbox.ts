import type { AnnotationDraft } from '../contracts/annotations.ts'
import type { InboxCounts, InboxFilter, InboxState, Marks, ProfileCounts } from '../contracts/inbox.ts'

/** The highest id that a page of the inbox may have; null where there is no bound. */
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

/** Annotations of a page that several profiles have are counted one by one, up to this many. */
export const MAX_COUNTED = 500

/** The first versions that profiles have of a page, which are no changes, are looked for among this many of its oldest annotations. */
export const MAX_FIRST = 20

/** Annotations that a search or an urgency finds are gone through in steps, so that a page with very many of them ends one answer. */
export const PAGE_STEP = 200
export const MAX_PAGE_STEPS = 20

/** What a page of rows is made from: the newest matches, those of one page together. */
export type Found = { id: number; documentId: number; entry: string }

/**
 * Rows of pages where no stored row says which annotations match: goes through the matches, the newest first, and takes the first of each
 * page. `isNewest` tells which of some candidates have no newer match, which would have been in an earlier part of the list.
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
    // From the top on, the first of a page is its newest.
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
