import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CrawlResult } from '../../src/core/reports/crawl-report.ts'
import type { HistoryReport } from '../../src/core/reports/history-report.ts'
import { createDatabase, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { openTableSite, page } from '../tables/table-site.ts'
import { startCrawl, startInCluster } from './worker-process.ts'

usePostgres()

const shop = (price: string): string =>
  page('Shop', ['slow.html'], `<p>A kettle. <span class="vol" id="price">${price}</span></p>`)

test('a crawl in a cluster reads sitemaps, tables of links and tables of volatile parts', async () => {
  const childAsked = Promise.withResolvers<void>()
  const site = await openTableSite(
    {
      'index.html': shop('12 €'),
      'slow.html': page('Slow', ['child.html']),
      'child.html': page('Child', []),
      'listed.html': page('Only in the sitemap', []),
    },
    async (path) => {
      if (path === '/child.html') childAsked.resolve()
      // Until then, only its table of links names the child.
      if (path === '/slow.html') await childAsked.promise
      return false
    },
  )
  const database = await createDatabase()
  const home = `${site.origin}/`
  async function json<T>(process: ReturnType<typeof startInCluster>): Promise<T> {
    const end = await process.ended
    assert.equal(end.exitCode, 0, end.stdout.slice(-1000) + end.stderr.slice(-3000))
    return JSON.parse(end.stdout) as T
  }
  const crawl = () => json<CrawlResult>(startCrawl(database.address, [home], ['--tables', 'first', '--per-host', '6']))
  try {
    site.write('robots.txt', `Sitemap: ${home}sitemap.xml\n`)
    site.write('sitemap.xml', `<urlset><url><loc>${home}listed.html</loc></url></urlset>`)
    await site.augment()
    const first = await crawl()
    assert.deepEqual(site.pagesAsked().sort(), ['/', '/child.html', '/listed.html', '/slow.html'])
    assert.ok(site.tablesAsked().includes('/slow.html.TOL'))
    // Four pages and the sitemap; tables don't count.
    assert.deepEqual([first.fetched, first.stored, first.failed, first.finished], [5, 5, 0, true])

    site.write('index.html', shop('13 €'))
    await site.augment()
    const second = await crawl()
    assert.deepEqual(site.pagesAsked().sort(), ['/child.html', '/listed.html', '/slow.html'])
    assert.ok(site.tablesAsked().includes('/index.html.TVI'))
    assert.deepEqual([second.stored, second.unchanged, second.failed], [1, 4, 0])
    const showing = startInCluster(database.address, ['show', home]).ended
    const { versions } = await json<HistoryReport>(startInCluster(database.address, ['history', home, '--json']))
    assert.deepEqual(
      versions.map(({ completedFrom }) => completedFrom),
      [null, { table: 'tvi', parts: ['price'] }],
    )
    assert.match((await showing).stdout, /13 €/)
  } finally {
    await database.destroy()
    await site.close()
  }
})
