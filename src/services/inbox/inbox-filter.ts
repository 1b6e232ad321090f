import { parseSearchQuery } from '../../core/search-query/parse-query.ts'
import type { InboxFilter, InboxState } from '../../store/contracts/inbox.ts'

/** The filter in a request. */
export type InboxWish = { state?: InboxState; profile?: string; q?: string; urgency?: number; upTo?: number }

export type ReadFilter = { kind: 'filter'; filter: InboxFilter } | { kind: 'invalid'; errors: string[] }

/** Omitted parameters don't filter; the default state is unread. */
export function readInboxFilter({ state = 'all', profile = '', q = '', urgency = 0, upTo }: InboxWish): ReadFilter {
  const filter: InboxFilter = {
    state,
    ...(profile === '' ? {} : { profile }),
    ...(urgency === 0 ? {} : { urgency }),
    ...(upTo === undefined ? {} : { upTo }),
  }
  if (q.trim() === '') return { kind: 'filter', filter }
  const read = parseSearchQuery(q)
  return read.kind === 'invalid' ? read : { kind: 'filter', filter: { ...filter, query: read.query } }
}
