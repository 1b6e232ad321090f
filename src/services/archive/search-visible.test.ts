import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createManualClock } from '../../core/clock.ts'
import { parseSearchQuery } from '../../core/search-query/parse-query.ts'
import type { Version } from '../../store/contracts/versions.ts'
import { openSqliteSearchIndex } from '../../store/sqlite/search/search-index.ts'
import { createCoverage } from '../visibility/coverage.ts'
import type { OwnersView } from '../visibility/visibility.ts'
import { createSearchReader } from './search-visible.ts'

const CROWD = 5_200

test('a search finds a visible document behind thousands of better hits of others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-search-'))
  const clock = createManualClock()
  const index = openSqliteSearchIndex({ path: join(folder, 'search.db'), kept: async (ids) => new Set(ids) })
  try {
    const hostOf = (id: number): string =>
      id === 1 ? 'www.own.example' : id === 2 ? 'own.example.org' : 'crowd.example'
    const texts = Array.from({ length: CROWD }, (_, n) => ({
      versionId: n + 1,
      documentId: n + 1,
      host: hostOf(n + 1),
      at: clock.now() - 2 * 86_400_000,
      title: n < 2 ? '' : 'solar',
      text: 'solar and so on',
    }))
    await index.add({ after: 0, upTo: CROWD, texts, passedOver: { textless: 0, bodiless: 0, damaged: 0 } })
    const version = async (id: number) =>
      ({ id, documentId: id, n: 1, url: `http://${hostOf(id)}/${id}`, title: '', firstSeenAt: texts[0]!.at }) as Version
    const source = { uri: 'http://own.example/', scope: { kind: 'domain' }, depth: 1 } as const
    const coverage = createCoverage([{ source, landed: '' }])
    const view: OwnersView = {
      sees: async ({ url }) => coverage.has(url),
      filter: async (documents) => documents.filter(({ url }) => coverage.has(url)),
      sites: async () => coverage.sites,
      sources: async () => [],
    }
    const { search } = createSearchReader({
      openIndex: async () => ({ index, versions: { version } }),
      bodies: { readText: async () => ({ kind: 'absent', why: 'dropped', header: '' }) },
      visibility: { of: () => view },
      clock,
    })
    const parsed = parseSearchQuery('solar')
    assert.ok(parsed.kind === 'query')
    const found = await search({ owner: 'ada', query: parsed.query, offset: 0, limit: 10 })
    assert.deepEqual(
      found.items.map(({ url }) => url),
      ['http://www.own.example/1'],
    )
    assert.equal(found.next, null)
    assert.deepEqual(found.facets.sources, [{ host: 'www.own.example', count: 1 }])
    assert.deepEqual(
      found.facets.times.map(({ count }) => count),
      [0, 1, 0, 0, 0],
    )
  } finally {
    await index.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
