import type { InboxFilter, InboxState, Marks } from '../../contracts/inbox.ts'
import { narrowedState } from '../../rules/inbox-counts.ts'
import type { Sender } from '../connection/pool.ts'
import { givenRows, type Statement, type Walk, WINDOW, walkRows, walkWords, windowOfRows } from './inbox-walks.ts'
import { wordsQuery } from './inbox-words.ts'

export type Selection = {
  /** No id above it; null for no limit. */
  highest: number | null
  limit: number
  /** Only what these marks would change. */
  changedBy?: Marks
}

const countOf: Record<InboxState, string> = { unread: 'unread', all: 'shown', starred: 'starred', archived: 'archived' }

/** How many the owner has in the state, how many the profile has at all, and how many of those are in the state. */
type Numbers = { inState: number; ofProfile: number; both: number }

/**
 * Finds rows, the newest first; answers with the statement that reads them. There are three ways to walk: along the index of the
 * state, along that of the profile, or along the matches of words. Between the first two the counts decide that
 * are kept. Words that are common are soon found among the newest rows; when so many were looked at without finding enough,
 * the words are rare, and their own index has few matches.
 *
 * Owner and profile are storable. Null where there is nothing to find.
 */
export async function selectRows(
  sender: Sender,
  owner: string,
  filter: InboxFilter,
  { highest, limit, changedBy }: Selection,
): Promise<Statement | null> {
  if (changedBy !== undefined && Object.values(changedBy).every((mark) => mark === undefined)) return null
  const { profile = null, query } = filter
  const state = narrowedState(filter.state, changedBy)
  const walk: Walk = {
    along: 'state',
    owner,
    state,
    profile,
    highest: highest ?? Number.MAX_SAFE_INTEGER,
    limit,
    urgency: filter.urgency ?? null,
    times: timesOf(filter),
    changedBy: changedBy ?? null,
  }
  if (profile !== null) {
    const { inState, ofProfile, both } = await countRows(sender, owner, state, profile)
    if (both === 0) return null
    // The walk ends with the last that there is.
    walk.limit = Math.min(limit, both)
    if (ofProfile < inState) walk.along = 'profile'
  }
  const node = query?.match ?? null
  return node === null ? walkRows(walk) : selectByWords(sender, walk, wordsQuery(owner, node))
}

async function selectByWords(sender: Sender, walk: Walk, words: string): Promise<Statement> {
  if (walk.limit > WINDOW) return walkWords(walk, words)
  const { sql, values } = windowOfRows(walk, words)
  const [first] = await sender.query<{ looked: number; ids: number[] | null }>(sql, values)
  const ids = first?.ids ?? []
  const isEnough = ids.length >= walk.limit || first!.looked < WINDOW
  return isEnough ? givenRows(walk.owner, ids.slice(0, walk.limit)) : walkWords(walk, words)
}

async function countRows(sender: Sender, owner: string, state: InboxState, profile: string): Promise<Numbers> {
  const [row] = await sender.query<Numbers>(
    `SELECT coalesce(sum(${countOf[state]}), 0)::bigint AS "inState",
       coalesce(sum(shown + archived) FILTER (WHERE profile = $2), 0)::bigint AS "ofProfile",
       coalesce(sum(${countOf[state]}) FILTER (WHERE profile = $2), 0)::bigint AS both
     FROM inbox_counts WHERE owner = $1`,
    [owner, profile],
  )
  return row!
}

function timesOf({ query }: InboxFilter): Walk['times'] {
  const { afterMs = null, beforeMs = null } = query ?? {}
  if (afterMs === null && beforeMs === null) return null
  return [afterMs ?? Number.MIN_SAFE_INTEGER, beforeMs ?? Number.MAX_SAFE_INTEGER]
}
