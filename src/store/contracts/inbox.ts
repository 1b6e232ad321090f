import type { SearchQuery } from '../../core/search-query/query.ts'
import type { Annotation } from './annotations.ts'

/**
 * Annotations with the marks of their owner. Every query is for one owner and never returns another's annotations. A version is
 * pinned for its reader while it is unread or starred, and not archived.
 */
export type InboxStore = {
  /** Newest first: ids below `before`; null starts at the newest. */
  list(owner: string, filter: InboxFilter, page: { before: number | null; limit: number }): Promise<InboxItem[]>
  /**
   * One row per page (for a feed: per entry) with a matching annotation: its newest match, ordered by that. `next` continues the list;
   * null at its end. May return fewer rows than `limit` although there are more.
   */
  pages(
    owner: string,
    filter: InboxFilter,
    page: { before: number | null; limit: number },
  ): Promise<{ items: InboxPageItem[]; next: number | null }>
  find(owner: string, id: number): Promise<InboxItem | null>
  /** Oldest first: ids above `after`. */
  arrivals(owner: string, page: { after: number; limit: number }): Promise<InboxItem[]>
  /** Sets marks. Returns the ids that changed, without other owners' ids and those already marked so. */
  mark(owner: string, ids: readonly number[], marks: Marks): Promise<number[]>
  /** As `mark`, for annotations that match a filter, newest first, at most `limit`. */
  markAll(owner: string, filter: InboxFilter, marks: Marks, limit: number): Promise<number[]>
  counts(owner: string): Promise<InboxCounts>
  /** Those of the documents that the owner has an annotation of. */
  documentsOf(owner: string, documentIds: readonly number[]): Promise<Set<number>>
  /** Documents with an annotation of the owner, most recently annotated first: `before` is the id of that annotation. */
  documents(
    owner: string,
    page: { before: number | null; limit: number },
  ): Promise<{ annotation: number; documentId: number }[]>
  /** Removes annotations of one owner, or of one of the owner's profiles. Returns how many; 0 if none was left. */
  remove(owner: string, options: { profile?: string; limit: number }): Promise<number>
}

export const inboxStates = ['unread', 'all', 'starred', 'archived'] as const
/** `all` leaves out the archived ones. */
export type InboxState = (typeof inboxStates)[number]

export type InboxFilter = {
  state: InboxState
  profile?: string
  /** Minimum urgency. */
  urgency?: number
  /** Searches title, summary and URL. */
  query?: SearchQuery
  /** Maximum id: excludes annotations that arrived after the list was shown. */
  upTo?: number
  /** Only annotations of this document or feed entry. */
  page?: PageKey
}

export type PageKey = { documentId: number; entry: string }

export type Marks = { read?: boolean; starred?: boolean; archived?: boolean }

export type InboxItem = Annotation & { read: boolean; starred: boolean; archived: boolean }

/**
 * The newest annotation of a page, summarising the owner's annotations of that page in the state of the list. `read`: none of them is
 * unread; `starred`: at least one is starred.
 */
export type InboxPageItem = InboxItem & {
  /**
   * Number of versions with a non-backlog annotation: changes, or a new page; 0 if everything is older than the profile. If several
   * profiles have the page, only the newest `MAX_COUNTED` annotations are counted.
   */
  count: number
  /** Profiles that have the page, the item's own first. */
  profiles: readonly string[]
}

/** `pages`: the same counts for pages instead of annotations. A page of two profiles counts once in the total. */
export type InboxCounts = ProfileCounts & {
  pages: ProfileCounts
  profiles: ({ profile: string; pages: ProfileCounts } & ProfileCounts)[]
}

export type ProfileCounts = { unread: number; all: number; starred: number; archived: number }
