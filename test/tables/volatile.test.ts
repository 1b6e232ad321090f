import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { HistoryReport } from '../../src/core/reports/history-report.ts'
import { startErace } from '../kit/erace.ts'
import { assertVerified, keptVersions, runCrawl } from '../site/crawl-run.ts'
import { openTableSite, page, sealed } from './table-site.ts'

const shop = (price: string, words = 'A fine kettle.'): string =>
  page('Shop', ['/about.html'], `<p>${words} <span class="vol" id="price">${price}</span></p>`)
const options = ['--allow-net', '127.0.0.0/8', '--tables', 'first', '--threads', '1']

async function shown(data: string, url: string): Promise<string> {
  const end = await startErace(['show', url, '--data', data]).ended
  assert.equal(end.exitCode, 0, end.stderr)
  return end.stdout
}

async function historyOf(data: string, url: string): Promise<HistoryReport> {
  const end = await startErace(['history', url, '--data', data, '--json']).ended
  assert.equal(end.exitCode, 0, end.stderr)
  return JSON.parse(end.stdout) as HistoryReport
}

describe('tables of volatile parts', () => {
  test('a page is completed from its table, its version says which parts came so, and now and then it comes whole', async () => {
    const site = await openTableSite({ 'index.html': shop('12 €'), 'about.html': page('About', ['/']) })
    try {
      await site.augment()
      const { data } = await runCrawl([`${site.origin}/`], { options })
      assert.deepEqual(site.pagesAsked().sort(), ['/', '/about.html'])

      site.write('index.html', shop('13 €'))
      await site.augment()
      site.tablesAsked()
      const second = await runCrawl([`${site.origin}/`], { options, data })
      assert.deepEqual(site.pagesAsked(), ['/about.html'], 'the page itself is not asked for')
      assert.ok(site.tablesAsked().includes('/index.html.TVI'))
      assert.deepEqual([second.result.fetched, second.result.stored], [2, 1])
      const { versions } = await historyOf(data, `${site.origin}/`)
      assert.deepEqual(
        versions.map(({ completedFrom }) => completedFrom),
        [null, { table: 'tvi', parts: ['price'] }],
      )
      assert.match(await shown(data, `${site.origin}/`), /13 €/)

      const third = await runCrawl([`${site.origin}/`], { options, data })
      assert.deepEqual([third.result.stored, third.result.unchanged], [0, 2])
      assert.deepEqual(site.pagesAsked(), ['/about.html'])

      const settings = { crawl: { fullCheckAfter: 1 } }
      await runCrawl([`${site.origin}/`], { options, settings, data })
      assert.deepEqual(site.pagesAsked().sort(), ['/', '/about.html'], 'both answers in a row came from tables')
      await assertVerified(data)
    } finally {
      await site.close()
    }
  })

  const lies: Record<string, (table: string) => string> = {
    'another-id': (table) => table.replace('part price', 'part prize'),
    'another-content': (table) => table.replace('13', '99'),
    'cut-off': (table) => table.slice(0, table.length / 2),
    'error-page': () => page('Not found', []),
    long: (table) => table + 'part price 1\n'.repeat(100_000),
    empty: () => '',
  }
  test('where a table lies, or more than its parts has changed, the page is fetched', async () => {
    const names = [...Object.keys(lies), 'rewritten', 'honest'].map((name) => `${name}.html`)
    const site = await openTableSite({ 'index.html': page('Home', names), 'about.html': page('About', ['/']) })
    try {
      for (const name of names) site.write(name, shop('12 €', name))
      await site.augment()
      const { data } = await runCrawl([`${site.origin}/`], { options })
      for (const name of names) site.write(name, shop('13 €', name === 'rewritten.html' ? 'Sold out.' : name))
      await site.augment()
      for (const [name, tell] of Object.entries(lies)) {
        const table = readFileSync(join(site.folder, `${name}.html.TVI`), 'utf8')
        site.write(`${name}.html.TVI`, sealed(tell(table)))
      }
      // First, while the host's tables are still trusted.
      const seeds = [`${site.origin}/honest.html`, `${site.origin}/`]
      site.pagesAsked()
      const { result } = await runCrawl(seeds, { options, data })
      assert.deepEqual(
        site.pagesAsked().sort(),
        ['/', '/about.html', ...names.filter((name) => name !== 'honest.html').map((name) => `/${name}`)].sort(),
      )
      assert.deepEqual([result.stored, result.failed], [names.length, 0])
      const kept = await keptVersions(data)
      for (const name of names)
        assert.deepEqual(
          kept.get(`/${name}`)!.map(({ completed }) => completed),
          ['', name === 'honest.html' ? 'price' : ''],
        )
      assert.match(await shown(data, `${site.origin}/another-content.html`), /13 €/)
    } finally {
      await site.close()
    }
  })
})
