import type { InboxCounts, InboxFilter, InboxStore, ProfileCounts } from '../inbox.ts'
import { itemColumns, readItems } from './annotation-rows.ts'
import { lockInbox, mark, remove } from './inbox-marks.ts'
import { selectIds } from './inbox-selection.ts'
import type { ClusterPool, Tx } from './pool.ts'
import { storable } from './storable-text.ts'

type Id = { id: number }

const tables = 'JOIN inbox i ON i.id = page.id JOIN annotations a ON a.id = page.id'

/** All of an owner's, whatever their state: no index has them together, so two are merged. Each brings as many as are asked for. */
function everyState(columns: string, condition: string, order: 'ASC' | 'DESC'): string {
  const some = ['NOT i.archived', 'i.archived'].map(
    (state) => `(SELECT ${columns} FROM inbox i WHERE i.owner = $1 AND ${state} AND ${condition}
      ORDER BY i.id ${order} LIMIT $3)`,
  )
  return `${some.join(' UNION ALL ')} ORDER BY id ${order} LIMIT $3`
}

const arrivals = everyState('i.id', 'i.id > $2', 'ASC')

/** Of each document the last annotation alone. */
const documents = everyState(
  'i.id, i.document',
  `i.id < $2 AND NOT EXISTS (SELECT 1 FROM inbox b WHERE b.owner = $1 AND b.document = i.document AND b.id > i.id)`,
  'DESC',
)

export function createClusterInbox(pool: ClusterPool): InboxStore {
  return {
    async list(owner, filter, { before, limit }) {
      const ids = await selectIds(pool, storable(owner), storableFilter(filter), {
        highest: highestOf(filter, before),
        limit,
      })
      if (ids === null) return []
      const sql = `WITH page AS MATERIALIZED (${ids.sql}) SELECT ${itemColumns} FROM page ${tables} ORDER BY page.id DESC`
      return readItems(pool, sql, ids.values)
    },
    async find(owner, id) {
      const sql = `SELECT ${itemColumns} FROM inbox i JOIN annotations a ON a.id = i.id WHERE i.id = $1 AND i.owner = $2`
      return (await readItems(pool, sql, [id, storable(owner)]))[0] ?? null
    },
    arrivals(owner, { after, limit }) {
      const sql = `WITH page AS MATERIALIZED (${arrivals}) SELECT ${itemColumns} FROM page ${tables} ORDER BY page.id`
      return readItems(pool, sql, [storable(owner), after, limit])
    },
    async mark(owner, ids, marks) {
      if (ids.length === 0) return []
      return inInbox(pool, owner, (tx, name) => mark(tx, name, ids, marks))
    },
    async markAll(owner, filter, marks, limit) {
      return inInbox(pool, owner, async (tx, name) => {
        const selection = { highest: highestOf(filter, null), limit, changedBy: marks }
        const found = await selectIds(tx, name, storableFilter(filter), selection)
        const ids = found === null ? [] : await tx.query<Id>(found.sql, found.values)
        if (ids.length === 0) return []
        return mark(
          tx,
          name,
          ids.map(({ id }) => id),
          marks,
        )
      })
    },
    async counts(owner) {
      const rows = await pool.query<InboxCounts['profiles'][number]>(
        `SELECT profile, unread, shown AS "all", starred, archived FROM inbox_counts
         WHERE owner = $1 AND shown + archived > 0 ORDER BY profile`,
        [storable(owner)],
      )
      return sumOf(rows)
    },
    async documentsOf(owner, documentIds) {
      const rows = await pool.query<{ document: number }>(
        'SELECT DISTINCT document FROM inbox WHERE owner = $1 AND document = ANY($2::bigint[])',
        [storable(owner), documentIds],
      )
      return new Set(rows.map(({ document }) => document))
    },
    async documents(owner, { before, limit }) {
      const values = [storable(owner), before ?? Number.MAX_SAFE_INTEGER, limit]
      const rows = await pool.query<{ id: number; document: number }>(documents, values)
      return rows.map(({ id, document }) => ({ annotation: id, documentId: document }))
    },
    async remove(owner, { profile, limit }) {
      return inInbox(pool, owner, async (tx, name) => {
        const rows =
          profile === undefined
            ? await tx.query<Id>(arrivals, [name, 0, limit])
            : await tx.query<Id>('SELECT id FROM inbox WHERE owner = $1 AND profile = $2 ORDER BY id LIMIT $3', [
                name,
                storable(profile),
                limit,
              ])
        if (rows.length === 0) return 0
        return remove(
          tx,
          name,
          rows.map(({ id }) => id),
        )
      })
    },
  }
}

/** Work behind the lock of the owner's inbox. */
function inInbox<T>(pool: ClusterPool, owner: string, work: (tx: Tx, name: string) => Promise<T>): Promise<T> {
  const name = storable(owner)
  return pool.transaction(async (tx) => {
    await lockInbox(tx, name)
    return work(tx, name)
  })
}

function storableFilter(filter: InboxFilter): InboxFilter {
  return filter.profile === undefined ? filter : { ...filter, profile: storable(filter.profile) }
}

function highestOf(filter: InboxFilter, before: number | null): number | null {
  const upTo = filter.upTo ?? null
  if (before === null) return upTo
  return Math.min(before - 1, upTo ?? before)
}

function sumOf(rows: InboxCounts['profiles']): InboxCounts {
  const sum: ProfileCounts = { unread: 0, all: 0, starred: 0, archived: 0 }
  for (const row of rows) for (const name of Object.keys(sum) as (keyof ProfileCounts)[]) sum[name] += row[name]
  return { ...sum, profiles: rows }
}
