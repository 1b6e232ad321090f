import type { InboxFilter, InboxState, Marks } from '../inbox.ts'
import { heldAgainstWords, type WalkShape, type WalkValues, walkStatement, walkValues, wordsStatement } from './inbox-walks.ts'
import { wordsQuery } from './inbox-words.ts'
import type { Sender } from './pool.ts'

export type Selection = {
  /** No id above it; null for no limit. */
  highest: number | null
  limit: number
  /** Only what these marks would change. */
  changedBy?: Marks
}

/** A statement whose rows are ids, the newest first. */
export type IdStatement = { sql: string; values: readonly unknown[] }

/** So many rows are held against the words of a query before the index of words is asked. */
const WINDOW = 1_000

const countOf: Record<InboxState, string> = { unread: 'unread', all: 'shown', starred: 'starred', archived: 'archived' }

type Numbers = { inState: number; ofProfile: number; ownInState: number }

/**
 * Finds ids, the newest first. There are three ways to walk: along the index of the state, along that of the profile, or along
 * the matches of words. Between the first two the counts decide that are kept. Words that are common are
 * soon found among the newest rows; when so many were looked at without finding enough, the words are rare, and their own index
 * has few matches.
 *
 * The owner is storable. Null where there is nothing to find.
 */
export async function selectIds(
  sender: Sender,
  owner: string,
  filter: InboxFilter,
  { highest, limit, changedBy }: Selection,
): Promise<IdStatement | null> {
  if (changedBy !== undefined && Object.values(changedBy).every((mark) => mark === undefined)) return null
  const { profile = null, query } = filter
  const state = narrowedState(filter.state, changedBy)
  const shape: WalkShape = { along: 'state', state, ofProfile: profile !== null, changing: changedBy !== undefined }
  const walk: WalkValues = {
    owner,
    highest: highest ?? Number.MAX_SAFE_INTEGER,
    limit,
    urgency: filter.urgency ?? null,
    beforeMs: query?.beforeMs ?? null,
    afterMs: query?.afterMs ?? null,
    changedBy: changedBy ?? {},
    profile,
  }
  if (profile !== null) {
    const { inState, ofProfile, ownInState } = await countRows(sender, owner, state, profile)
    if (ownInState === 0) return null
    // The walk ends with the last that there is.
    walk.limit = Math.min(limit, ownInState)
    if (ofProfile < inState) shape.along = 'profile'
  }
  const node = query?.match ?? null
  if (node === null) return { sql: walkStatement(shape), values: walkValues(walk) }
  return selectByWords(sender, shape, walk, wordsQuery(owner, node))
}

async function selectByWords(
  sender: Sender,
  shape: WalkShape,
  walk: WalkValues,
  words: string,
): Promise<IdStatement> {
  const window = Math.max(WINDOW, walk.limit)
  const [first] = await sender.query<{ looked: number; ids: number[] | null }>(heldAgainstWords(shape), [
    ...walkValues({ ...walk, limit: window }),
    words,
  ])
  const ids = first?.ids ?? []
  if (ids.length >= walk.limit || first!.looked < window)
    return { sql: 'SELECT id FROM unnest($1::bigint[]) AS given (id)', values: [ids.slice(0, walk.limit)] }
  return { sql: wordsStatement(shape), values: [...walkValues(walk), words] }
}

async function countRows(sender: Sender, owner: string, state: InboxState, profile: string): Promise<Numbers> {
  const [row] = await sender.query<Numbers>(
    `SELECT coalesce(sum(${countOf[state]}), 0)::bigint AS "inState",
       coalesce(sum(shown + archived) FILTER (WHERE profile = $2), 0)::bigint AS "ofProfile",
       coalesce(sum(${countOf[state]}) FILTER (WHERE profile = $2), 0)::bigint AS "ownInState"
     FROM inbox_counts WHERE owner = $1`,
    [owner, profile],
  )
  return row!
}

/** Of what is shown only the unread changes by being read: those have an index of their own. */
function narrowedState(state: InboxState, marks: Marks | undefined): InboxState {
  const onlyReads = marks?.read === true && marks.starred === undefined && marks.archived === undefined
  return state === 'all' && onlyReads ? 'unread' : state
}
