import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { indexBatch, queryOf, textOf } from '../../conformance/search-suite.testkit.ts'
import { usePostgres } from '../testkit/postgres.testkit.ts'
import { createSearchSystem } from '../testkit/store.testkit.ts'

usePostgres()

describe('full-text search in PostgreSQL', () => {
  test('ranks only the newest of very many matches and marks the result as approximate', async () => {
    const system = await createSearchSystem()
    const index = await system.open()
    try {
      const texts = Array.from({ length: 6_000 }, (_, n) => textOf(n + 1, n === 0 ? 'common common rare' : 'common'))
      await index.add(indexBatch(texts))
      const found = await index.query(queryOf('common'), { offset: 0, limit: 5 })
      assert.deepEqual(
        found.hits.map(({ versionId }) => versionId),
        [6_000, 5_999, 5_998, 5_997, 5_996],
      )
      assert.deepEqual([found.approximate, found.totalIsLowerBound, found.total], [true, true, 5_000])
      const narrowed = await index.query(queryOf('common rare'), { offset: 0, limit: 5 })
      assert.deepEqual([narrowed.approximate, narrowed.total], [false, 1])
      assert.deepEqual((await index.query(queryOf('common'), { offset: 5_000, limit: 5 })).hits, [])
    } finally {
      await index.close()
      await system.destroy()
    }
  })

  test('finds a text with too many different words by those at its beginning', async () => {
    const system = await createSearchSystem()
    const index = await system.open()
    try {
      const text = Array.from({ length: 150_000 }, (_, n) => `wörd${n}`).join(' ')
      await index.add(indexBatch([textOf(1, text), textOf(2, 'two '.repeat(400_000))]))
      const total = async (query: string) => (await index.query(queryOf(query), { offset: 0, limit: 5 })).total
      assert.deepEqual([await total('word0'), await total('"word7 word8"'), await total('two')], [1, 1, 1])
    } finally {
      await index.close()
      await system.destroy()
    }
  })

  test('text cannot spoof a site filter, and matches of filters alone have score 0', async () => {
    const system = await createSearchSystem()
    const index = await system.open()
    try {
      const spoof = '\ue001example\ue12eorg \ue000'
      await index.add(indexBatch([textOf(1, spoof, { host: 'evil.net' }), textOf(2, 'x', { host: 'example.org' })]))
      const { hits } = await index.query(queryOf('site:example.org'), { offset: 0, limit: 5 })
      assert.deepEqual(hits, [{ versionId: 2, documentId: 2, score: 0 }])
    } finally {
      await index.close()
      await system.destroy()
    }
  })
})
