import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { HistoryReport } from '../../src/core/reports/history-report.ts'
import { startErace } from '../kit/erace.ts'
import { assertVerified, type CrawlRun, keptVersions, runCrawl } from '../site/crawl-run.ts'
import { openTableSite, page, sealed, type TableSite } from './table-site.ts'

const shop = (price: string, words = 'A fine kettle.'): string =>
  page('Shop', ['/about.html'], `<p>${words} <span class="vol" id="price">${price}</span></p>`)
const options = ['--allow-net', '127.0.0.0/8', '--tables', 'first', '--threads', '1']

const lies: Record<string, (table: string) => string> = {
  'another-id': (table) => table.replace('part price', 'part prize'),
  'another-content': (table) => table.replace('13', '99'),
  'cut-off': (table) => table.slice(0, table.length / 2),
  'error-page': () => page('Not found', []),
  long: (table) => table + 'part price 1\n'.repeat(100_000),
  empty: () => '',
}
const names = [...Object.keys(lies), 'rewritten', 'honest'].map((name) => `${name}.html`)

describe('tables of volatile parts', () => {
  let site: TableSite
  let liar: TableSite
  let second: CrawlRun
  before(async () => {
    const about = page('About', ['/'])
    site = await openTableSite({ 'index.html': shop('12 €'), 'about.html': about })
    liar = await openTableSite({ 'index.html': page('Home', names), 'about.html': about }, undefined, '127.0.0.2')
    for (const name of names) liar.write(name, shop('12 €', name))
    await site.augment()
    await liar.augment()
    const { data } = await runCrawl([`${site.origin}/`, `${liar.origin}/`], { options })
    assert.deepEqual(site.pagesAsked().sort(), ['/', '/about.html'])

    site.write('index.html', shop('13 €'))
    for (const name of names) liar.write(name, shop('13 €', name === 'rewritten.html' ? 'Sold out.' : name))
    await site.augment()
    await liar.augment()
    for (const [name, tell] of Object.entries(lies)) {
      const table = readFileSync(join(liar.folder, `${name}.html.TVI`), 'utf8')
      liar.write(`${name}.html.TVI`, sealed(tell(table)))
    }
    for (const { tablesAsked, pagesAsked } of [site, liar]) void [tablesAsked(), pagesAsked()]
    // The honest page comes first, while the host's tables are still trusted.
    const seeds = [`${site.origin}/`, `${liar.origin}/honest.html`, `${liar.origin}/`]
    second = await runCrawl(seeds, { options, data })
  })
  after(async () => {
    for (const each of [site, liar]) await each.close()
  })

  test('a page is fetched if its table is false or more than its volatile parts changed', async () => {
    assert.deepEqual(
      liar.pagesAsked().sort(),
      ['/', '/about.html', ...names.filter((name) => name !== 'honest.html').map((name) => `/${name}`)].sort(),
    )
    assert.deepEqual([second.result.stored, second.result.failed], [names.length + 1, 0])
    const kept = await keptVersions(second.data)
    for (const name of names)
      assert.deepEqual(
        kept.get(`/${name}`)!.map(({ completed }) => completed),
        ['', name === 'honest.html' ? 'price' : ''],
      )
    const shown = await startErace(['show', `${liar.origin}/honest.html`, '--data', second.data]).ended
    assert.match(shown.stdout, /13 €/)
  })

  test('a page is completed from its table, records the completed parts, and gets occasional full checks', async () => {
    const { data } = second
    assert.deepEqual(site.pagesAsked(), ['/about.html'], 'the page itself is not asked for')
    assert.ok(site.tablesAsked().includes('/index.html.TVI'))
    const history = await startErace(['history', `${site.origin}/`, '--data', data, '--json']).ended
    assert.equal(history.exitCode, 0, history.stderr)
    assert.deepEqual(
      (JSON.parse(history.stdout) as HistoryReport).versions.map(({ completedFrom }) => completedFrom),
      [null, { table: 'tvi', parts: ['price'] }],
    )

    const third = await runCrawl([`${site.origin}/`], { options, data })
    assert.deepEqual([third.result.stored, third.result.unchanged], [0, 2])
    assert.deepEqual(site.pagesAsked(), ['/about.html'])

    const settings = { crawl: { fullCheckAfter: 1 } }
    await runCrawl([`${site.origin}/`], { options, settings, data })
    assert.deepEqual(site.pagesAsked().sort(), ['/', '/about.html'], 'both answers in a row came from tables')
    await assertVerified(data)
  })
})
