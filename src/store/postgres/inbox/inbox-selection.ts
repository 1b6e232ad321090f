import type { InboxFilter, InboxState, Marks, PageKey } from '../../contracts/inbox.ts'
import { countColumns, type InboxSelection, narrowedState } from '../../rules/inbox.ts'
import { annotationColumns } from '../annotations/annotation-rows.ts'
import type { Sender } from '../connection/pool.ts'
import { rowsOfState } from './inbox-pages.ts'
import { wordsQuery } from './inbox-words.ts'

/** Counts of the owner's rows in the state, of the profile's rows, and of the profile's rows in the state. */
type Numbers = { inState: number; ofProfile: number; both: number }

/**
 * Returns a statement that reads the selected rows, newest first. It uses one of four indexes: that of the page, if one is given, otherwise
 * that of the state, of the profile, or of the words. The stored counts decide between state and profile. Common words are soon found
 * among the newest rows; if a window of those has too few matches, the words are rare, and their own index has few matches.
 *
 * Owner and profile must be storable. Resolves to null if there is nothing to find.
 */
export async function selectRows(
  sender: Sender,
  owner: string,
  filter: InboxFilter,
  selection: InboxSelection,
): Promise<Statement | null> {
  const { changedBy } = selection
  if (changedBy !== undefined && Object.values(changedBy).every((mark) => mark === undefined)) return null
  const walk = walkOf(owner, filter, selection)
  const { profile, state, limit } = walk
  const node = filter.query?.match ?? null
  if (filter.page !== undefined) return walkRows(walkAlongPage(walk, filter))
  if (profile !== null) {
    const { inState, ofProfile, both } = await countRows(sender, owner, state, profile)
    if (both === 0) return null
    // The walk ends with the last match.
    walk.limit = Math.min(limit, both)
    if (ofProfile < inState) walk.along = 'profile'
  }
  return node === null ? walkRows(walk) : selectByWords(sender, walk, wordsQuery(owner, node))
}

export function walkOf(owner: string, filter: InboxFilter, { highest, limit, changedBy }: InboxSelection): Walk {
  return {
    along: 'state',
    owner,
    state: narrowedState(filter.state, changedBy),
    profile: filter.profile ?? null,
    highest: highest ?? Number.MAX_SAFE_INTEGER,
    limit,
    urgency: filter.urgency ?? null,
    times: timesOf(filter),
    changedBy: changedBy ?? null,
    page: filter.page ?? null,
    words: null,
  }
}

/** A page has few rows, so each is checked for the words. */
export function walkAlongPage(walk: Walk, { query }: InboxFilter): Walk {
  const node = query?.match ?? null
  return { ...walk, along: 'page', words: node === null ? null : wordsQuery(walk.owner, node) }
}

async function selectByWords(sender: Sender, walk: Walk, words: string): Promise<Statement> {
  if (walk.limit > WINDOW) return walkWords(walk, words)
  const { sql, values } = windowOfRows(walk, words)
  const [first] = await sender.query<{ read: number; ids: number[] | null }>(sql, values)
  const ids = first?.ids ?? []
  const isEnough = ids.length >= walk.limit || first!.read < WINDOW
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
 * A scan of an index of an owner's inbox, newest first, up to the limit: the index of the state, the profile or the page. The other
 * conditions are checked on each row. Rows are ids with their marks.
 */
export type Walk = {
  along: 'state' | 'profile' | 'page'
  owner: string
  state: InboxState
  profile: string | null
  highest: number
  limit: number
  urgency: number | null
  /** From (inclusive) and to (exclusive). */
  times: readonly [fromMs: number, toMs: number] | null
  /** Only rows that these marks would change. */
  changedBy: Marks | null
  page: PageKey | null
  /** Checked on each row; only for the few rows of a page. */
  words: string | null
}

const columns = 'i.id, i.document, i.entry, i.read, i.starred, i.archived'

/** Number of rows checked for words before the index of words is used. */
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
 * The index condition, and the filters for each row. Statements are planned once, without their values: PostgreSQL would assume that a
 * filter leaves few rows, and sort them. Inside a CASE it assumes nothing, and no other index fits.
 */
function conditionsOf(walk: Walk, parameters: Parameters): string {
  const { add } = parameters
  const { along, owner, state, profile, highest } = walk
  const way = [`i.owner = ${add(owner)}`, `i.id <= ${add(highest)}`]
  const held = filtersOf(walk, parameters)
  if (along === 'state') way.push(rowsOfState[state])
  else held.push(rowsOfState[state])
  if (walk.page !== null) way.push(`i.document = ${add(walk.page.documentId)}`, `i.entry = ${add(walk.page.entry)}`)
  if (walk.words !== null) held.push(hasWords(add(walk.words)))
  if (profile !== null) (along === 'profile' ? way : held).push(`i.profile = ${add(profile)}`)
  if (held.length > 0) way.push(`CASE WHEN ${held.join(' AND ')} THEN true ELSE false END`)
  return way.join(' AND ')
}

const hasWords = (words: string): string =>
  `(SELECT words @@ ${words}::tsquery FROM inbox_words WHERE annotation = i.id)`

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

/** Selects the candidates whose id is the newest match of their page; conditions as for a walk. */
export function newestOfPages(walk: Walk, candidates: readonly (PageKey & { id: number })[]): Statement {
  const parameters = createParameters()
  const { add } = parameters
  const given = ['documentId', 'entry', 'id'] as const
  const [documents, entries, ids] = given.map((name) => add(candidates.map((candidate) => candidate[name])))
  const where = conditionsOf(walk, parameters)
  const sql = `SELECT g.id FROM unnest(${documents}::bigint[], ${entries}::text[], ${ids}::bigint[]) AS g (document, entry, id)
    CROSS JOIN LATERAL (SELECT i.id FROM inbox i WHERE i.document = g.document AND i.entry = g.entry AND ${where}
      ORDER BY i.id DESC LIMIT 1) i WHERE i.id = g.id`
  return { sql, values: parameters.values }
}

export function walkRows(walk: Walk): Statement {
  const parameters = createParameters()
  const where = conditionsOf(walk, parameters)
  const limit = parameters.add(walk.limit)
  const sql = `SELECT ${columns} FROM inbox i WHERE ${where} ORDER BY i.id DESC LIMIT ${limit}`
  return { sql, values: parameters.values }
}

// The number of rows is unknown at planning time. A LIMIT inside LATERAL makes PostgreSQL look up joined rows one by one.

/** The first rows of a walk: how many were read, and the ids of those that have the words. */
export function windowOfRows(walk: Walk, words: string): Statement {
  const parameters = createParameters()
  const where = conditionsOf(walk, parameters)
  const sql = `WITH walked AS MATERIALIZED (SELECT i.id FROM inbox i WHERE ${where} ORDER BY i.id DESC LIMIT ${WINDOW})
    SELECT count(*)::int AS read, array_agg(i.id ORDER BY i.id DESC) FILTER (WHERE w.has) AS ids
    FROM walked i CROSS JOIN LATERAL
      (SELECT words @@ ${parameters.add(words)}::tsquery AS has FROM inbox_words WHERE annotation = i.id LIMIT 1) w`
  return { sql, values: parameters.values }
}

/** Uses the index of words, newest first, with state and filters checked on each row. */
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

/** Annotations for a page of the inbox. */
export const itemsOf = (page: string, order: 'ASC' | 'DESC'): string => `WITH page AS MATERIALIZED (${page})
  SELECT ${annotationColumns}, i.read, i.starred, i.archived
  FROM page i CROSS JOIN LATERAL (SELECT * FROM annotations WHERE id = i.id LIMIT 1) a ORDER BY i.id ${order}`

/** All rows of an owner with ids above `$2`, in any state, oldest first. */
export const arrivalsStatement = `SELECT ${columns} FROM inbox i WHERE i.owner = $1 AND i.id > $2 ORDER BY i.id LIMIT $3`

/** Only the last annotation of each document, newest first. */
export const documentsStatement = `SELECT i.id, i.document FROM inbox i WHERE i.owner = $1 AND i.id < $2
  AND i.id = (SELECT max(b.id) FROM inbox b WHERE b.owner = $1 AND b.document = i.document) ORDER BY i.id DESC LIMIT $3`
