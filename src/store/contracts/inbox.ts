import type { SearchQuery } from '../../core/search-query/query.ts'
import type { Annotation } from './annotations.ts'

/**
 * Annotations as their owners see them, with what was done to them. Everything is asked for one owner, and nothing of
 * another is ever in the answer. A version is held for its reader as long as it is unread or starred, and not archived.
 */
export type InboxStore = {
  /** The newest first: ids below `before`, all for null. */
  list(owner: string, filter: InboxFilter, page: { before: number | null; limit: number }): Promise<InboxItem[]>
  find(owner: string, id: number): Promise<InboxItem | null>
  /** The oldest first: what came behind `after`. */
  arrivals(owner: string, page: { after: number; limit: number }): Promise<InboxItem[]>
  /** Sets marks. Returns which of them it changed: those that are not the owner's, or were so already, are not among them. */
  mark(owner: string, ids: readonly number[], marks: Marks): Promise<number[]>
  /** The same for what a filter lets through, the newest first, at most `limit`. */
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
/** `all` leaves out what is archived. */
export type InboxState = (typeof inboxStates)[number]

export type InboxFilter = {
  state: InboxState
  profile?: string
  /** At least so urgent. */
  urgency?: number
  /** Title, summary and address are searched. */
  query?: SearchQuery
  /** No later one than this: what came while somebody looked is not meant. */
  upTo?: number
}

export type Marks = { read?: boolean; starred?: boolean; archived?: boolean }

export type InboxItem = Annotation & { read: boolean; starred: boolean; archived: boolean }

export type InboxCounts = ProfileCounts & { profiles: ({ profile: string } & ProfileCounts)[] }

export type ProfileCounts = { unread: number; all: number; starred: number; archived: number }
