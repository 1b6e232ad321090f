import type { InboxCounts, InboxFilter, InboxStore } from '../../contracts/inbox.ts'
import { countsOf, highestOf } from '../../rules/inbox-counts.ts'
import { annotationColumns, readItems } from '../annotations/annotation-rows.ts'
import type { PostgresPool, Tx } from '../connection/pool.ts'
import { storable } from '../connection/row-batch.ts'
import { lockInbox, mark, remove } from './inbox-marks.ts'
import { selectRows } from './inbox-selection.ts'
import { arrivalsStatement, documentsStatement, givenRows } from './inbox-walks.ts'

type Id = { id: number }

/** Annotations for a page of the inbox. */
const itemsOf = (page: string, order: 'ASC' | 'DESC'): string => `WITH page AS MATERIALIZED (${page})
  SELECT ${annotationColumns}, i.read, i.starred, i.archived
  FROM page i CROSS JOIN LATERAL (SELECT * FROM annotations WHERE id = i.id LIMIT 1) a ORDER BY i.id ${order}`

export function createPostgresInbox(pool: PostgresPool): InboxStore {
  return {
    async list(owner, filter, { before, limit }) {
      const rows = await selectRows(pool, storable(owner), storableFilter(filter), {
        highest: highestOf(filter, before),
        limit,
      })
      if (rows === null) return []
      return readItems(pool, itemsOf(rows.sql, 'DESC'), rows.values)
    },
    async find(owner, id) {
      const { sql, values } = givenRows(storable(owner), [id])
      return (await readItems(pool, itemsOf(sql, 'DESC'), values))[0] ?? null
    },
    arrivals(owner, { after, limit }) {
      return readItems(pool, itemsOf(arrivalsStatement, 'ASC'), [storable(owner), after, limit])
    },
    async mark(owner, ids, marks) {
      if (ids.length === 0) return []
      return inInbox(pool, owner, (tx, name) => mark(tx, name, ids, marks))
    },
    async markAll(owner, filter, marks, limit) {
      return inInbox(pool, owner, async (tx, name) => {
        const selection = { highest: highestOf(filter, null), limit, changedBy: marks }
        const found = await selectRows(tx, name, storableFilter(filter), selection)
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
      return countsOf(rows)
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
      const rows = await pool.query<{ id: number; document: number }>(documentsStatement, values)
      return rows.map(({ id, document }) => ({ annotation: id, documentId: document }))
    },
    async remove(owner, { profile, limit }) {
      return inInbox(pool, owner, async (tx, name) => {
        const rows =
          profile === undefined
            ? await tx.query<Id>(arrivalsStatement, [name, 0, limit])
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
function inInbox<T>(pool: PostgresPool, owner: string, work: (tx: Tx, name: string) => Promise<T>): Promise<T> {
  const name = storable(owner)
  return pool.transaction(async (tx) => {
    await lockInbox(tx, name)
    return work(tx, name)
  })
}

function storableFilter(filter: InboxFilter): InboxFilter {
  return filter.profile === undefined ? filter : { ...filter, profile: storable(filter.profile) }
}
