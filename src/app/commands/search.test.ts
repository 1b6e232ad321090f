import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readResult, startErace } from '../../../test/kit/erace.ts'
import { newFolder, runCrawl } from '../../../test/site/crawl-run.ts'
import { createSite, type Site } from '../../../test/site/site.ts'
import type { SearchReport } from '../../core/reports/search-report.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'

const html = (title: string, text: string) => ({
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: `<!DOCTYPE html><title>${title}</title><p>${text}</p><a href="/b">b</a><a href="/picture">p</a><script>hidden</script>`,
})

const crawlOptions = ['--allow-net', '127.0.0.0/8', '--no-index']

async function search(data: string, ...args: string[]): Promise<SearchReport> {
  const end = await startErace(['search', ...args, '--data', data, '--json']).ended
  assert.equal(end.exitCode, 0, end.stdout + end.stderr)
  return readResult(end) as SearchReport
}

const urlsOf = ({ items }: SearchReport): string[] => items.map(({ url, n }) => `${new URL(url).pathname}@${n}`)

describe('erace search on a crawled archive', () => {
  let site: Site
  let data: string
  const crawl = () => runCrawl([`${site.origin()}/`], { data, options: crawlOptions })
  before(async () => {
    site = await createSite({ pages: 0 })
    data = join(newFolder(), 'data')
    site.set('/', html('Start', 'All about Caf&eacute; whales'))
    site.set('/b', html('Second page', 'Nothing but filler'))
    site.set('/picture', { headers: { 'content-type': 'image/png' }, body: 'whales whales' })
    await crawl()
  })
  after(() => site.close())

  test('the first search indexes all versions, later ones only new versions', async () => {
    const first = await search(data, 'cafe', 'whales')
    assert.deepEqual(urlsOf(first), ['/@1'])
    const { text, marks } = first.items[0]!.snippet
    assert.deepEqual(
      marks.map(([from, to]) => text.slice(from, to)),
      ['Café', 'whales'],
    )
    assert.equal(first.total, 1)
    assert.equal(first.index.added, 2)

    site.set('/b', html('Second page', 'Now with whales as well'))
    await crawl()
    assert.deepEqual(urlsOf(await search(data, 'whales', '--no-update')), ['/@1'])
    const second = await search(data, 'whales')
    assert.deepEqual(urlsOf(second).sort(), ['/@1', '/b@2'])
    assert.equal(second.index.added, 1)
    assert.deepEqual(urlsOf(await search(data, 'filler')), ['/b@1'])
    assert.deepEqual(urlsOf(await search(data, 'intitle:second')), ['/b@2'])
    assert.deepEqual(urlsOf(await search(data, 'hidden')), [])
    assert.deepEqual(urlsOf(await search(data, 'whales', 'site:127.0.0.1', 'before:2000')), [])
  })

  test('omits a version whose body was dropped, and removes it from the index', async () => {
    const db = openDatabase(paths.catalog(data), { migrations: catalogMigrations })
    db.exec(`UPDATE versions SET body = 'dropped' WHERE n = 2`)
    try {
      assert.deepEqual(urlsOf(await search(data, 'whales')), ['/@1'])
      assert.equal((await search(data, 'whales', '--no-update')).index.versions, 2)
    } finally {
      db.exec(`UPDATE versions SET body = 'kept' WHERE n = 2`)
      db.close()
    }
  })

  test('a damaged index is reported, does not stop a crawl, and can be rebuilt', async () => {
    writeFileSync(paths.search(data), 'rubbish '.repeat(1_000))
    const end = await startErace(['search', 'whales', '--data', data]).ended
    assert.equal(end.exitCode, 1)
    assert.match(end.stderr, /search\.db: .*erace search --rebuild/)
    const run = await runCrawl([`${site.origin()}/`], {
      data,
      options: ['--allow-net', '127.0.0.0/8', '--delay', '400'],
    })
    assert.equal(run.result.finished, true)
    const rebuilt = await search(data, 'whales', '--rebuild')
    assert.deepEqual(urlsOf(rebuilt).sort(), ['/@1', '/b@2'])
    assert.equal(rebuilt.index.versions, 3)
  })

  test('reports a missing data folder without creating it', async () => {
    const folder = join(newFolder(), 'nowhere')
    const end = await startErace(['search', 'x', '--data', folder]).ended
    assert.equal(end.exitCode, 1)
    assert.match(end.stderr, /no data folder/)
    assert.equal(existsSync(folder), false)
  })
})
