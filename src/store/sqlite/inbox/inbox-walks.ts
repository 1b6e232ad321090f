import type { InboxState } from '../../contracts/inbox.ts'
import type { Condition } from './inbox-words.ts'

/** What a walk through an owner's annotations looks for. */
export type Walk = {
  owner: string
  state: InboxState
  profile: string | null
  highest: number | null
  limit: number
  conditions: readonly Condition[]
}

/** Rows of a state, and the index that has those alone, by owner and id. */
const states: Record<InboxState, { index: string; rows: string }> = {
  unread: { index: 'annotations_unread', rows: 'a.archived = 0 AND a.read = 0' },
  all: { index: 'annotations_owner', rows: 'a.archived = 0' },
  starred: { index: 'annotations_starred', rows: 'a.starred = 1' },
  archived: { index: 'annotations_archived', rows: 'a.archived = 1' },
}

/** Each way names its index: a statement that could not use it would fail, and never scan. */
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

/** Begins and ends where the state does: what lies before its oldest row is not looked at. */
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
