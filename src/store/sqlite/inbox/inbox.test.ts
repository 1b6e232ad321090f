import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parseSearchQuery } from '../../../core/search-query/parse-query.ts'
import { type InboxFilter, inboxStates } from '../../contracts/inbox.ts'
import { type Database, openDatabase } from '../folder/database.ts'
import { catalogMigrations } from '../folder/schema-catalog.ts'
import { createSqliteAnnotations } from './annotations.ts'
import { createSqliteInbox } from './inbox.ts'
import { createInboxSelection } from './inbox-selection.ts'

const all = { before: null, limit: 100 }

async function withCatalog(work: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-inbox-'))
  try {
    await work(join(folder, 'catalog.db'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Adds annotations like a program that doesn't know about marks, counts and words. */
function addPlain(db: Database, owner: string, profile: string, count: number): void {
  const document = db.prepare(
    `INSERT INTO documents (host, fp, url, parent, first_at, checked_at, run, status, outcome)
     SELECT 'www.a.example', count(*), 'http://www.a.example/' || count(*), '', 1, 1, 1, 200, 'stored' FROM documents`,
  )
  const annotation = db.prepare(
    `INSERT INTO annotations (owner, profile, document, version, kind, at, relevance, urgency, expires_at, backlog,
     title, format, extension, size, summary, explanation)
     VALUES (?, ?, ?, ?, 'new', 5, 1, 1, 0, 0, 'Plain', 'html', '', 1, '{"text":"harbour","marks":[]}', '{}')`,
  )
  db.write(() => {
    for (let n = 0; n < count; n++) {
      const id = Number(document.run().lastInsertRowid)
      annotation.run(owner, profile, id, id)
    }
  })
}

function queryOf(text: string): Required<Pick<InboxFilter, 'query'>> {
  const parsed = parseSearchQuery(text)
  assert.ok(parsed.kind === 'query', text)
  return { query: parsed.query }
}

/** Records every prepared statement. */
function listening(db: Database): Database & { statements: Set<string> } {
  const statements = new Set<string>()
  return {
    ...db,
    statements,
    prepare(sql) {
      statements.add(sql)
      return db.prepare(sql)
    },
  }
}

/** Tables of words may only be queried with MATCH; all else must be looked up in an index and be in its order. */
function wrongSteps(db: Database, sql: string): string[] {
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]
  return steps
    .map(({ detail }) => detail)
    .filter(
      (step) =>
        /TEMP B-TREE FOR (ORDER|RIGHT|LAST)|^SCAN/.test(step) &&
        // Full scans are allowed for a list of ids from a parameter or from the row (`j`), and for a bounded part of an index.
        !/^SCAN json_each|^SCAN j VIRTUAL TABLE|^SCAN \(subquery-|^SCAN \S+.* VIRTUAL TABLE INDEX \d+:.*M/.test(step),
    )
}

describe('the inbox in SQLite', () => {
  test('annotations older than the inbox are unread, counted and found', () =>
    withCatalog(async (path) => {
      const old = openDatabase(path, { migrations: catalogMigrations.slice(0, 3) })
      addPlain(old, 'ann', 'p', 3)
      old.close()
      const db = openDatabase(path, { migrations: catalogMigrations })
      const inbox = createSqliteInbox(db)
      assert.equal((await inbox.list('ann', { state: 'unread', ...queryOf('harbour') }, all)).length, 3)
      const counts = { unread: 3, all: 3, starred: 0, archived: 0 }
      assert.deepEqual(await inbox.counts('ann'), {
        ...counts,
        pages: counts,
        profiles: [{ profile: 'p', ...counts, pages: counts }],
      })
      const { items } = await inbox.pages('ann', { state: 'unread' }, all)
      assert.deepEqual(
        items.map(({ count, profiles }) => [count, profiles]),
        [1, 2, 3].map(() => [1, ['p']]),
      )
      db.close()
    }))

  test('annotations inserted with plain SQL are counted and found', () =>
    withCatalog(async (path) => {
      const db = openDatabase(path, { migrations: catalogMigrations })
      const inbox = createSqliteInbox(db)
      addPlain(db, 'ann', 'p', 2)
      assert.equal((await inbox.list('ann', { state: 'all', ...queryOf('plain site:a.example') }, all)).length, 2)
      assert.equal((await inbox.counts('ann')).unread, 2)
      db.close()
    }))

  test('no inbox statement scans a whole table or sorts', () =>
    withCatalog(async (path) => {
      const db = listening(openDatabase(path, { migrations: catalogMigrations }))
      const inbox = createSqliteInbox(db)
      const { planOf } = createInboxSelection(db)
      createSqliteAnnotations(db)
      addPlain(db, 'ann', 'p', 20)
      addPlain(db, 'ann', 'q', 2)
      const [first, ...others] = await inbox.list('ann', { state: 'all' }, all)
      await inbox.mark('ann', [first!.id], { starred: true })
      const archived = others.slice(0, 8).map(({ id }) => id)
      await inbox.mark('ann', archived, { archived: true })
      const queries = ['harbour', 'harbour -site:a.example', 'site:a.example OR plain', '-site:a.example', 'after:1970']
      const plans = new Set<string>()
      for (const state of inboxStates)
        for (const profile of [{}, { profile: 'p' }, { profile: 'q' }])
          for (const query of [{}, ...queries.map(queryOf)])
            for (const rest of [{}, { changedBy: { read: true } }]) {
              const filter = { state, ...profile, ...query, urgency: 1 }
              const plan = planOf('ann', filter, { highest: 50, limit: 5, ...rest })
              if (plan !== null) plans.add(plan.sql)
              const ofPage = { ...filter, page: { documentId: 1, entry: '' } }
              plans.add(planOf('ann', ofPage, { highest: 50, limit: 5, ...rest })!.sql)
            }
      const walks = [...plans].map(
        (sql) => /INDEXED BY (\w+)/.exec(sql)![1] + (sql.includes('CROSS JOIN') ? ' words' : ''),
      )
      for (const state of ['owner', 'unread', 'starred', 'archived', 'profile', 'page'])
        assert.ok(walks.includes(`annotations_${state}`), state)
      assert.ok(walks.includes('annotations_owner words'))
      // The queue of tasks and the whole list are meant to be read from end to end.
      const whole = /FROM tasks|FROM stories|coalesce\(v\.document|IS NULL OR a\.owner/
      for (const sql of [...plans, ...db.statements])
        if (/annotations|inbox/.test(sql) && !/^INSERT/.test(sql) && !whole.test(sql))
          assert.deepEqual(wrongSteps(db, sql), [], sql)
      db.close()
    }))
})
