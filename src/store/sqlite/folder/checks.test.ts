import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openOne } from '../../conformance/engine.testkit.ts'
import { goneOf, pageOf } from '../../conformance/samples.testkit.ts'
import { createSqliteSystem } from '../testkit/store.testkit.ts'
import { checkDatabases, giveUpSqliteDamage } from './checks.ts'
import { type Database, openDatabase } from './database.ts'
import { paths } from './folder.ts'
import { catalogMigrations } from './schema-catalog.ts'

/** Two pages, a copy of the first, a page that changed and one that is gone. */
async function withCatalogue(work: (db: Database, messages: () => string[]) => void): Promise<void> {
  const system = createSqliteSystem()
  try {
    const { documents } = await openOne(system)
    const host = system.hostOf(0, 0)
    const page = (path: string, body: string) => pageOf(host, path, body)
    await documents.record([page('/a', 'one'), page('/b', 'two'), page('/c', 'one'), page('/d', 'three')])
    await documents.record([page('/d', 'four'), goneOf(host, '/b')])
    await system.close()
    const db = openDatabase(paths.catalog(system.folder), { migrations: catalogMigrations })
    try {
      work(db, () => checkDatabases(system.folder).map(({ message }) => message))
    } finally {
      db.close()
    }
  } finally {
    await system.destroy()
  }
}

const drop = (id: number) =>
  `UPDATE versions SET body = 'dropped', file = 0, offset = 0, length = 0 WHERE id = ${id};
   DELETE FROM bodies WHERE version = ${id}`

describe('catalogue checks', () => {
  test('accept rows of gone, dropped and lost versions', () =>
    withCatalogue((db, messages) => {
      assert.deepEqual(messages(), [])
      db.exec(`${drop(2)}; ${drop(4)}; UPDATE versions SET body = 'lost', file = 0 WHERE id = 3`)
      assert.deepEqual(messages(), [])
    }))

  const faults: [sql: string, message: RegExp][] = [
    ['UPDATE documents SET version = 4 WHERE id = 4', /^1 documents whose current version is not their newest$/],
    ['UPDATE documents SET version = 99 WHERE id = 1', /^1 documents whose current version is not there$/],
    ['UPDATE versions SET n = 9 WHERE id = 4', /^1 versions that are older than one with a smaller number$/],
    ['UPDATE versions SET document = 99 WHERE id = 3', /^1 versions of documents that are not there$/],
    ['UPDATE versions SET file = 99 WHERE id = 5', /^1 versions in archive files that are not there$/],
    ['UPDATE files SET first_version = 3', /^2 versions outside of the range of their archive file$/],
    ['UPDATE versions SET file = 0 WHERE id = 5', /^1 kept versions without a record$/],
    [drop(1), /^1 repeated bodies whose original is not there or not kept$/],
    [`INSERT INTO bodies VALUES (x'00', 4)`, /^1 known bodies that are not kept$/],
    [`INSERT INTO holds VALUES (99, 'somebody', 0)`, /^1 held versions that are not there$/],
  ]
  for (const [sql, message] of faults) {
    test(`report ${message.source.slice(3, -1)}`, () =>
      withCatalogue((db, messages) => {
        db.exec(sql)
        const told = messages()
        assert.ok(
          told.some((text) => message.test(text)),
          told.join('; '),
        )
      }))
  }

  test('find nothing after a repair of what follows from other rows, which loses nothing', () =>
    withCatalogue((db, messages) => {
      db.exec(`UPDATE documents SET version = 4 WHERE id = 4; UPDATE documents SET version = 99 WHERE id = 1;
        UPDATE files SET first_version = 3, last_version = 4; INSERT INTO holds VALUES (99, 'somebody', 0)`)
      assert.ok(messages().length >= 4, messages().join('; '))
      const { lost } = giveUpSqliteDamage(db, { versionIds: [], missingFiles: [], shortFiles: [] })
      assert.equal(lost.count, 0)
      assert.deepEqual(messages(), [])
      const current = db.prepare('SELECT version FROM documents ORDER BY id').all() as { version: number }[]
      assert.deepEqual(
        current.map(({ version }) => version),
        [1, 6, 3, 5],
      )
    }))

  test('find nothing after a repair, which keeps intact rows', () =>
    withCatalogue((db, messages) => {
      db.exec(`${drop(1)}; UPDATE versions SET file = 99 WHERE id = 5; INSERT INTO bodies VALUES (x'00', 4)`)
      const { lost } = giveUpSqliteDamage(db, { versionIds: [4], missingFiles: [], shortFiles: [] })
      assert.equal(lost.count, 3)
      assert.deepEqual(messages(), [])
      const rows = db.prepare('SELECT id, body FROM versions ORDER BY id').all() as { id: number; body: string }[]
      assert.deepEqual(
        rows.map(({ body }) => body),
        ['dropped', 'kept', 'lost', 'lost', 'lost', 'none'],
      )
    }))
})
