import type { InboxFilter, InboxState, Marks } from '../../contracts/inbox.ts'
import { countColumns, type InboxSelection, narrowedState } from '../../rules/inbox.ts'
import type { Sender } from '../connection/pool.ts'
import { wordsQuery } from './inbox-words.ts'

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
  { highest, limit, changedBy }: InboxSelection,
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
    `SELECT coalesce(sum(${countColumns[state]}), 0)::bigint AS "inState",
       coalesce(sum(shown + archived) FILTER (WHERE profile = $2), 0)::bigint AS "ofProfile",
       coalesce(sum(${countColumns[state]}) FILTER (WHERE profile = $2), 0)::bigint AS both
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

/** A statement with its values. */
export type Statement = { sql: string; values: readonly unknown[] }

/**
 * A walk through an owner's inbox, the newest first, until there is enough. `state` goes along the index of the state, `profile`
 * along that of the profile; the other conditions are held against what is met. Its rows are ids with their marks.
 */
export type Walk = {
  along: 'state' | 'profile'
  owner: string
  state: InboxState
  profile: string | null
  highest: number
  limit: number
  urgency: number | null
  /** From (inclusive) and to (exclusive). */
  times: readonly [fromMs: number, toMs: number] | null
  /** Only what these marks would change. */
  changedBy: Marks | null
}

/** Rows of a state, as its index says it. */
const stateRows: Record<InboxState, string> = {
  unread: 'NOT i.archived AND NOT i.read',
  all: 'NOT i.archived',
  starred: 'i.starred',
  archived: 'i.archived',
}

const columns = 'i.id, i.read, i.starred, i.archived'

/** So many rows are held against words before the index of words is asked. */
export const WINDOW = 1_000

function createParameters() {
  const values: unknown[] = []
  return {
    values,
    add(value: unknown): string {
      values.push(value)
      return `$${values.length}`
    },
  }
}

type Parameters = ReturnType<typeof createParameters>

/**
 * The way, and what is held against each row that is met on it. Statements are planned once and without their values: conditions
 * that no index answers would be thought to let few rows through, and few rows to be quickly sorted. Within
 * CASE they are not judged, and no other index offers itself.
 */
function conditionsOf(walk: Walk, parameters: Parameters): string {
  const { add } = parameters
  const { along, owner, state, profile, highest } = walk
  const way = [`i.owner = ${add(owner)}`, `i.id <= ${add(highest)}`]
  const held = filtersOf(walk, parameters)
  if (along === 'state') way.push(stateRows[state])
  else held.push(stateRows[state])
  if (profile !== null) (along === 'profile' ? way : held).push(`i.profile = ${add(profile)}`)
  if (held.length > 0) way.push(`CASE WHEN ${held.join(' AND ')} THEN true ELSE false END`)
  return way.join(' AND ')
}

function filtersOf({ urgency, times, changedBy }: Walk, { add }: Parameters): string[] {
  const filters: string[] = []
  if (urgency !== null) filters.push(`i.urgency >= ${add(urgency)}`)
  if (times !== null) filters.push(`i.at >= ${add(times[0])} AND i.at < ${add(times[1])}`)
  if (changedBy !== null) {
    const differs = (['read', 'starred', 'archived'] as const).flatMap((mark) =>
      changedBy[mark] === undefined ? [] : [`i.${mark} = ${!changedBy[mark]}`],
    )
    filters.push(`(${differs.join(' OR ')})`)
  }
  return filters
}

export function walkRows(walk: Walk): Statement {
  const parameters = createParameters()
  const where = conditionsOf(walk, parameters)
  const limit = parameters.add(walk.limit)
  const sql = `SELECT ${columns} FROM inbox i WHERE ${where} ORDER BY i.id DESC LIMIT ${limit}`
  return { sql, values: parameters.values }
}

// How many rows a walk will bring is not known when it is planned. Rows that belong to its own are looked up one by one in any case:
// that is what a LIMIT within LATERAL makes sure of.

/** The first rows of a walk held against words: how many were looked at, and which of them have the words. */
export function windowOfRows(walk: Walk, words: string): Statement {
  const parameters = createParameters()
  const where = conditionsOf(walk, parameters)
  const sql = `WITH walked AS MATERIALIZED (SELECT i.id FROM inbox i WHERE ${where} ORDER BY i.id DESC LIMIT ${WINDOW})
    SELECT count(*)::int AS looked, array_agg(i.id ORDER BY i.id DESC) FILTER (WHERE w.has) AS ids
    FROM walked i CROSS JOIN LATERAL
      (SELECT words @@ ${parameters.add(words)}::tsquery AS has FROM inbox_words WHERE annotation = i.id LIMIT 1) w`
  return { sql, values: parameters.values }
}

/** Along the matches of the index of words, the newest first: what the state and the rest say is held against each. */
export function walkWords(walk: Walk, words: string): Statement {
  const parameters = createParameters()
  const where = conditionsOf(walk, parameters)
  const match = `words @@ ${parameters.add(words)}::tsquery AND annotation <= ${parameters.add(walk.highest)}`
  const sql = `WITH found AS MATERIALIZED (SELECT annotation FROM inbox_words WHERE ${match})
    SELECT ${columns} FROM (SELECT annotation FROM found ORDER BY annotation DESC) f
    CROSS JOIN LATERAL (SELECT * FROM inbox i WHERE ${where} AND i.id = f.annotation LIMIT 1) i
    ORDER BY f.annotation DESC LIMIT ${parameters.add(walk.limit)}`
  return { sql, values: parameters.values }
}

/** Rows of an owner by their ids. */
export function givenRows(owner: string, ids: readonly number[]): Statement {
  const sql = `SELECT ${columns} FROM unnest($1::bigint[]) AS g (id)
    CROSS JOIN LATERAL (SELECT * FROM inbox WHERE owner = $2 AND id = g.id LIMIT 1) i`
  return { sql, values: [ids, owner] }
}

/** All of an owner's, whatever their state, the oldest first: what came behind `$2`. */
export const arrivalsStatement = `SELECT ${columns} FROM inbox i WHERE i.owner = $1 AND i.id > $2 ORDER BY i.id LIMIT $3`

/** Of each document the last annotation alone, the newest first. */
export const documentsStatement = `SELECT i.id, i.document FROM inbox i WHERE i.owner = $1 AND i.id < $2
  AND i.id = (SELECT max(b.id) FROM inbox b WHERE b.owner = $1 AND b.document = i.document) ORDER BY i.id DESC LIMIT $3`
