import type { StatementSync } from 'node:sqlite'
import type { InboxFilter, InboxState, Marks, PageKey } from '../../contracts/inbox.ts'
import { countColumns, type InboxSelection, narrowedState } from '../../rules/inbox.ts'
import type { Database } from '../folder/database.ts'
import { type Condition, wordCondition, wordSearch } from './inbox-words.ts'

/** Maximum number of cached statements: queries with `site:` have many shapes. */
const MAX_SHAPES = 200

type Numbers = { inState: number; inAll: number }

/**
 * Finds ids, newest first, by walking one of four indexes: that of the page, if one is given; otherwise that of the state, that of the
 * profile, or the matches in the table of words. The stored counts tell which is the shortest. The other conditions are checked on each
 * row, and the walk ends at the limit.
 */
export function createInboxSelection(db: Database) {
  const shapes = new Map<string, StatementSync>()

  function prepare(sql: string): StatementSync {
    const known = shapes.get(sql)
    if (known !== undefined) return known
    if (shapes.size >= MAX_SHAPES) shapes.clear()
    const made = db.prepare(sql)
    shapes.set(sql, made)
    return made
  }

  function count(owner: string, state: InboxState, profile: string | null): Numbers {
    const sql = `SELECT coalesce(sum(${countColumns[state]}), 0) AS inState, coalesce(sum(shown + archived), 0) AS inAll
      FROM inbox_counts WHERE owner = ?${profile === null ? '' : ' AND profile = ?'}`
    return prepare(sql).get(...(profile === null ? [owner] : [owner, profile])) as Numbers
  }

  /** The shortest walk; null if there is nothing to find. */
  function planOf(owner: string, filter: InboxFilter, { highest, limit, changedBy }: InboxSelection): Condition | null {
    const { profile = null, query } = filter
    const state = narrowedState(filter.state, changedBy)
    const walk: Walk = { owner, state, profile, highest, limit, conditions: rowConditions(filter, changedBy) }
    const node = query?.match ?? null
    if (filter.page !== undefined) {
      const words = node === null ? [] : [wordCondition(owner, node)]
      return alongPage({ ...walk, conditions: [...walk.conditions, ...words] }, filter.page)
    }
    if (profile === null && node === null) return alongState(walk)
    const all = count(owner, state, null)
    const own = profile === null ? all : count(owner, state, profile)
    if (own.inState === 0) return null
    const alongRows = profile !== null && own.inAll < all.inState ? alongProfile : alongState
    const walkWith = (conditions: readonly Condition[]): Walk => ({
      ...walk,
      limit: Math.min(limit, own.inState),
      conditions: [...walk.conditions, ...conditions],
    })
    if (node === null) return alongRows(walkWith([]))
    const { match, conditions } = wordSearch(owner, node)
    if (match === null) return alongRows(walkWith(conditions))
    // Checking one row against the words costs as much as skipping 75 matches, but a rare state means skipping many.
    if (own.inState ** 2 * 2 < all.inAll) return alongRows(walkWith([wordCondition(owner, node)]))
    return alongWords(walkWith(conditions), match)
  }

  return {
    planOf,
    select(owner: string, filter: InboxFilter, selection: InboxSelection): number[] {
      const plan = planOf(owner, filter, selection)
      if (plan === null) return []
      return (prepare(plan.sql).all(...plan.values) as { id: number }[]).map(({ id }) => id)
    },
  }
}

function rowConditions({ urgency, query }: InboxFilter, changedBy: Marks | undefined): Condition[] {
  const conditions: Condition[] = []
  if (urgency !== undefined) conditions.push({ sql: 'a.urgency >= ?', values: [urgency] })
  if ((query?.beforeMs ?? null) !== null) conditions.push({ sql: 'a.at < ?', values: [query!.beforeMs] })
  if ((query?.afterMs ?? null) !== null) conditions.push({ sql: 'a.at >= ?', values: [query!.afterMs] })
  if (changedBy !== undefined) conditions.push(changeCondition(changedBy))
  return conditions
}

function changeCondition({ read, starred, archived }: Marks): Condition {
  const differs: string[] = []
  for (const [mark, wanted] of Object.entries({ read, starred, archived }))
    if (wanted !== undefined) differs.push(`a.${mark} = ${wanted ? 0 : 1}`)
  return { sql: differs.length === 0 ? 'FALSE' : `(${differs.join(' OR ')})`, values: [] }
}

/** A walk along an index of an owner's annotations. */
export type Walk = {
  owner: string
  state: InboxState
  profile: string | null
  highest: number | null
  limit: number
  conditions: readonly Condition[]
}

/** The condition of each state, and the partial index on those rows, by owner and id. */
const states: Record<InboxState, { index: string; rows: string }> = {
  unread: { index: 'annotations_unread', rows: 'a.archived = 0 AND a.read = 0' },
  all: { index: 'annotations_owner', rows: 'a.archived = 0' },
  starred: { index: 'annotations_starred', rows: 'a.starred = 1' },
  archived: { index: 'annotations_archived', rows: 'a.archived = 1' },
}

/** Each walk names its index, so that a statement that can't use it fails instead of scanning. */
export function alongState(walk: Walk): Condition {
  const { index, rows } = states[walk.state]
  const where = joined([
    { sql: `a.owner = ? AND ${rows}`, values: [walk.owner] },
    ...ofProfile(walk),
    ...upTo('a.id', walk.highest),
    ...walk.conditions,
  ])
  return finished(`SELECT a.id FROM annotations a INDEXED BY ${index} WHERE ${where.sql} ORDER BY a.id`, where, walk)
}

export function alongPage(walk: Walk, { documentId, entry }: PageKey): Condition {
  const where = joined([
    { sql: 'a.owner = ? AND a.document = ? AND a.entry = ?', values: [walk.owner, documentId, entry] },
    { sql: states[walk.state].rows, values: [] },
    ...ofProfile(walk),
    ...upTo('a.id', walk.highest),
    ...walk.conditions,
  ])
  const sql = `SELECT a.id FROM annotations a INDEXED BY annotations_page WHERE ${where.sql} ORDER BY a.id`
  return finished(sql, where, walk)
}

export function alongProfile(walk: Walk): Condition {
  const where = joined([
    ...ofProfile(walk),
    { sql: `a.owner = ? AND ${states[walk.state].rows}`, values: [walk.owner] },
    ...upTo('a.id', walk.highest),
    ...walk.conditions,
  ])
  const sql = `SELECT a.id FROM annotations a INDEXED BY annotations_profile WHERE ${where.sql} ORDER BY a.id`
  return finished(sql, where, walk)
}

/** Walks the matches down to the oldest row of the state. */
export function alongWords(walk: Walk, match: string): Condition {
  const { index, rows } = states[walk.state]
  const where = joined([
    { sql: 'inbox_words MATCH ?', values: [match] },
    ...upTo('inbox_words.rowid', walk.highest),
    {
      sql: `inbox_words.rowid >= (SELECT a.id FROM annotations a INDEXED BY ${index} WHERE a.owner = ? AND ${rows}
        ORDER BY a.id LIMIT 1)`,
      values: [walk.owner],
    },
    { sql: `a.owner = ? AND ${rows}`, values: [walk.owner] },
    ...ofProfile(walk),
    ...walk.conditions,
  ])
  const sql = `SELECT a.id FROM inbox_words CROSS JOIN annotations a INDEXED BY ${index} ON a.id = inbox_words.rowid
    WHERE ${where.sql} ORDER BY inbox_words.rowid`
  return finished(sql, where, walk)
}

function ofProfile({ profile }: Walk): Condition[] {
  return profile === null ? [] : [{ sql: 'a.profile = ?', values: [profile] }]
}

function upTo(id: string, highest: number | null): Condition[] {
  return highest === null ? [] : [{ sql: `${id} <= ?`, values: [highest] }]
}

function joined(conditions: readonly Condition[]): Condition {
  return { sql: conditions.map(({ sql }) => sql).join(' AND '), values: conditions.flatMap(({ values }) => values) }
}

function finished(sql: string, { values }: Condition, { limit }: Walk): Condition {
  return { sql: `${sql} DESC LIMIT ?`, values: [...values, limit] }
}
