import type { SearchQuery } from '../../core/search-query/query.ts'
import type { Annotation } from './annotations.ts'

/**
 * Annotations with the marks of their owner. Every question is about one owner, and no answer has anything of another. A version is
 * pinned for its reader while it is unread or starred, and not archived.
 */
export type InboxStore = {
  /** The newest first: ids below `before`, all for null. */
  list(owner: string, filter: InboxFilter, page: { before: number | null; limit: number }): Promise<InboxItem[]>
  /**
   * One row for each page (for a feed: for each of its entries) with an annotation that matches: the newest of them, in its place
   * among the others. `next` continues the list, null at its end. A page may have fewer rows than `limit` although there are more.
   */
  pages(
    owner: string,
    filter: InboxFilter,
    page: { before: number | null; limit: number },
  ): Promise<{ items: InboxPageItem[]; next: number | null }>
  find(owner: string, id: number): Promise<InboxItem | null>
  /** The oldest first: ids above `after`. */
  arrivals(owner: string, page: { after: number; limit: number }): Promise<InboxItem[]>
  /** Sets marks. Returns the ids that changed; ids of others, and those marked so already, are not among them. */
  mark(owner: string, ids: readonly number[], marks: Marks): Promise<number[]>
  /** The same for what matches a filter, the newest first, at most `limit`. */
  markAll(owner: string, filter: InboxFilter, marks: Marks, limit: number): Promise<number[]>
  counts(owner: string): Promise<InboxCounts>
  /** Which of these documents the owner has an annotation of. */
  documentsOf(owner: string, documentIds: readonly number[]): Promise<Set<number>>
  /** Documents with an annotation of the owner, the last annotated first: `before` is that annotation's id. */
  documents(
    owner: string,
    page: { before: number | null; limit: number },
  ): Promise<{ annotation: number; documentId: number }[]>
  /** Removes annotations of one owner, or of one of the owner's profiles. Returns how many; 0 when none is left. */
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
  /** Title, summary and URL are searched. */
  query?: SearchQuery
  /** No id above this: not what arrived after the list was shown. */
  upTo?: number
  /** Only annotations of this document, or of this entry of a feed. */
  page?: PageKey
}

export type PageKey = { documentId: number; entry: string }

export type Marks = { read?: boolean; starred?: boolean; archived?: boolean }

export type InboxItem = Annotation & { read: boolean; starred: boolean; archived: boolean }

/**
 * The newest annotation of a page, with what its owner has of that page in the state of the list. `read`: nothing of the page is unread;
 * `starred`: something of it is.
 */
export type InboxPageItem = InboxItem & {
  /**
   * Versions with an annotation that is no backlog: changes, or a page that is new; 0 where there is only what was there before the
   * profile. Counted are the newest `MAX_COUNTED` annotations where several profiles have the page.
   */
  count: number
  /** Those that have it, the item's own first. */
  profiles: readonly string[]
}

/** `pages`: the same for rows of pages. A page of two profiles counts once in the total. */
export type InboxCounts = ProfileCounts & {
  pages: ProfileCounts
  profiles: ({ profile: string; pages: ProfileCounts } & ProfileCounts)[]
}

export type ProfileCounts = { unread: number; all: number; starred: number; archived: number }
