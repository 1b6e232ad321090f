import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import { indexBatch, queryOf, searchSuite, textOf } from '../../conformance/search-suite.testkit.ts'
import { createSearchSystem, sqliteSearch } from '../testkit/store.testkit.ts'
import { searchMigrations } from './fts-expression.ts'

searchSuite(sqliteSearch)

/** As for the other databases: migrations listed here are never edited. */
const frozen = ['c02bf81861541211a277cd4a4b48e6f50a062eb8501e0b82bcf2df1627b24ae7']

describe('search.db', () => {
  test('migrations are numbered from 1 without gaps and never edited', () => {
    assert.deepEqual(
      searchMigrations.map(({ id }) => id),
      searchMigrations.map((_, index) => index + 1),
    )
    assert.deepEqual(
      searchMigrations.map(({ sql }) => createHash('sha256').update(sql).digest('hex')),
      frozen,
    )
  })

  test('ranks only the newest of very many matches and marks the result as approximate', async () => {
    const system = createSearchSystem()
    const index = await system.open()
    try {
      const texts = Array.from({ length: 6_000 }, (_, n) => textOf(n + 1, n === 0 ? 'common common rare' : 'common'))
      await index.add(indexBatch(texts))
      const found = await index.query(queryOf('common'), { offset: 0, limit: 5 })
      assert.deepEqual(
        found.hits.map(({ versionId }) => versionId),
        [6_000, 5_999, 5_998, 5_997, 5_996],
      )
      assert.equal(found.approximate, true)
      assert.equal(found.totalIsLowerBound, true)
      assert.equal(found.total, 5_000)
      const narrowed = await index.query(queryOf('common rare'), { offset: 0, limit: 5 })
      assert.equal(narrowed.approximate, false)
      assert.equal(narrowed.total, 1)
      assert.deepEqual((await index.query(queryOf('common'), { offset: 5_000, limit: 5 })).hits, [])
    } finally {
      await index.close()
      await system.destroy()
    }
  })

  test('does not store the texts', async () => {
    const system = createSearchSystem()
    const index = await system.open()
    try {
      await index.add(indexBatch([textOf(1, `${'again and '.repeat(100_000)}again`)]))
      await index.close()
      assert.ok(statSync(system.path).size < 600_000)
    } finally {
      await system.destroy()
    }
  })

  const damages: Record<string, (path: string) => void> = {
    'a file that is no database': (path) =>
      writeFileSync(path, 'not a database, but long enough to be looked at\n'.repeat(100)),
    ...Object.fromEntries(
      [1, 4].map((pages) => [
        `an index with empty pages behind the first ${pages}`,
        (path: string) => {
          const kept = readFileSync(path).subarray(0, pages * 4096)
          writeFileSync(path, Buffer.concat([kept, Buffer.alloc(statSync(path).size - kept.length)]))
        },
      ]),
    ),
  }
  for (const [what, damage] of Object.entries(damages)) {
    test(`${what} is reported as damage`, async () => {
      const system = createSearchSystem()
      try {
        const index = await system.open()
        await index.add(indexBatch(Array.from({ length: 50 }, (_, n) => textOf(n + 1, `word${n} common `.repeat(20)))))
        await index.close()
        damage(system.path)
        await assert.rejects(
          async () => (await system.open()).query(queryOf('common'), { offset: 0, limit: 5 }),
          (error) => isAppError(error, 'store-damaged') && error.message.includes(system.path),
        )
      } finally {
        await system.destroy()
      }
    })
  }
})
