import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newFolder } from '../site/crawl-run.ts'
import { openTableSite, page } from '../tables/table-site.ts'
import { createUpFolder, profileOf, sourceOf, until } from './up-run.ts'

const shop = (price: string): string =>
  page('Shop', [], `<p>A fine kettle for <span class="vol" id="price">${price}</span> only.</p>`)

test('checks of a page with volatile parts fetch only its table, and report old and new values', async () => {
  const site = await openTableSite({ 'index.html': shop('12 €') })
  const folder = await createUpFolder(newFolder())
  await site.augment()
  await folder.put(profileOf('shop', 'ann@example.org', [sourceOf(`${site.origin}/`, { process: 'track' })], {}))
  const up = folder.start({ ERACE_CRAWL_TABLES: 'first', ERACE_CRAWL_FULLCHECKAFTER: '1000000' })
  try {
    const told = async (): Promise<string[]> =>
      (await folder.annotations()).map(({ kind, backlog, summary }) => `${backlog ? 'baseline' : kind} ${summary.text}`)
    await until('the baseline', async () => (await told()).length === 1)
    assert.deepEqual(site.pagesAsked(), ['/'])

    site.write('index.html', shop('13 €'))
    await site.augment()
    await until('the change', async () => (await told()).length === 2)
    assert.deepEqual(site.pagesAsked(), [])
    assert.ok(site.tablesAsked().includes('/index.html.TVI'))
    const [, change] = await told()
    assert.match(change!, /^changed .*12.*→.*13/)
    assert.equal((await up.stop()).exitCode, 0)
  } finally {
    await up.stop('SIGKILL')
    folder.close()
    await site.close()
  }
})
