import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { assertVerified, type CrawlRun, keptVersions, runCrawl, startCrawl } from '../site/crawl-run.ts'
import { openTableSite, page, sealed, type TableSite } from './table-site.ts'

const options = ['--allow-net', '127.0.0.0/8', '--tables', 'first', '--threads', '1', '--per-host', '6']

/** The paths of a site that have versions. */
async function kept(data: string, { origin }: TableSite): Promise<string[]> {
  const versions = [...(await keptVersions(data)).values()].flat()
  return versions.flatMap(({ url }) => (url.startsWith(`${origin}/`) ? [url.slice(origin.length)] : [])).sort()
}

function* endless(): Generator<string> {
  for (;;) yield 'x'.repeat(1 << 16)
}

/** A site whose slow page is sent only after its child was requested, which until then only its table of links names. */
function openSlow(): Promise<TableSite> {
  const childAsked = Promise.withResolvers<void>()
  const pages = {
    'index.html': page('Home', ['slow.html']),
    'slow.html': page('Slow', ['child.html']),
    'child.html': page('Child', []),
  }
  const answer = async (path: string): Promise<boolean> => {
    if (path === '/child.html') childAsked.resolve()
    if (path === '/slow.html') await childAsked.promise
    return false
  }
  return openTableSite(pages, answer, '127.0.0.1')
}

const lieNames = Array.from({ length: 30 }, (_, n) => `p${n}.html`)

async function openLiar(): Promise<TableSite> {
  const answer: Parameters<typeof openTableSite>[1] = async (path, response) => {
    if (path !== '/p1.html.TOL') return false
    // Endless, so it is cut off at the limit.
    pipeline(Readable.from(endless()), response, () => {})
    return true
  }
  const site = await openTableSite({ 'index.html': page('Home', ['p0.html']) }, answer, '127.0.0.4')
  // A chain, so that there is always a spare connection.
  for (const [n, name] of lieNames.entries()) site.write(name, page(name, n < 29 ? [`p${n + 1}.html`] : []))
  await site.augment()
  const lie = (name: string, links: readonly string[], document?: string): void => {
    const table = readFileSync(join(site.folder, `${name}.TOL`), 'utf8').split('\n')
    site.write(`${name}.TOL`, sealed([table[0], document ?? table[1], ...links, `end ${links.length} `].join('\n')))
  }
  const nonsense = ['out http://127.0.0.9:1/', 'out javascript:alert(1)', 'in http://[']
  lie('p2.html', ['in dead-1.html', 'in dead-2.html', ...nonsense])
  lie('p3.html', [], `document sha256:${'0'.repeat(64)}`)
  site.write('p4.html.TOL', page('Not found', []))
  for (const name of lieNames.slice(5)) lie(name, ['in dead-3.html'])
  return site
}

describe('tables of links', () => {
  let slow: TableSite
  let plain: TableSite
  let forbidden: TableSite
  let liar: TableSite
  let run: CrawlRun
  before(async () => {
    const few = { 'index.html': page('Home', ['a.html']), 'a.html': page('A', []) }
    slow = await openSlow()
    plain = await openTableSite(few, undefined, '127.0.0.2')
    forbidden = await openTableSite(few, undefined, '127.0.0.3')
    liar = await openLiar()
    await slow.augment()
    await forbidden.augment()
    forbidden.write('robots.txt', 'User-agent: *\nDisallow: /*.TOL\n')
    const seeds = [slow, plain, forbidden, liar].map(({ origin }) => `${origin}/`)
    run = await runCrawl(seeds, { options })
  })
  after(async () => {
    for (const site of [slow, plain, forbidden, liar]) await site.close()
  })

  test('pages listed in a table are fetched while its own page is still loading', async () => {
    assert.ok(slow.tablesAsked().includes('/slow.html.TOL'))
    assert.deepEqual(await kept(run.data, slow), ['/', '/child.html', '/slow.html'], 'tables are no documents')
  })

  test('a host without tables is probed once across crawls, and by default not if it has few pages', async () => {
    assert.deepEqual(plain.tablesAsked(), ['/index.html.TOL'])
    await runCrawl([`${plain.origin}/`], { options, data: run.data })
    assert.deepEqual(plain.tablesAsked(), [])
    await runCrawl([`${plain.origin}/`], { options: options.filter((each) => !/tables|first/.test(each)) })
    assert.deepEqual(plain.tablesAsked(), [])
    assert.equal(plain.pagesAsked().length, 6)
  })

  test('robots.txt applies to tables', async () => {
    assert.deepEqual(forbidden.tablesAsked(), [])
    assert.deepEqual(await kept(run.data, forbidden), ['/', '/a.html'])
  })

  test('false tables cost only their requests, and are soon no longer requested', async () => {
    const dead = liar.pagesAsked().filter((path) => path.includes('dead'))
    assert.equal(run.result.finished, true)
    assert.equal(run.result.failed, dead.length, 'nothing failed but what the tables made up')
    assert.deepEqual(await kept(run.data, liar), ['/', ...lieNames.map((name) => `/${name}`)].sort())
    assert.ok(liar.tablesAsked().length < 20, 'after a few lies the rest is not asked for')
  })

  test('a crawl killed while tables and pages are loading is completed by the next run', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `p${n}.html`)
    const half = Promise.withResolvers<void>()
    let isKilled = false
    const site = await openTableSite({ 'index.html': page('Home', ['p0.html', 'p20.html']) }, async (path) => {
      if (path !== '/p10.html' || isKilled) return false
      half.resolve()
      // In the first run, the page never arrives, but its table does.
      return true
    })
    try {
      for (const [n, name] of names.entries()) site.write(name, page(name, n < 39 ? [`p${n + 1}.html`] : []))
      await site.augment()
      const first = startCrawl([`${site.origin}/`], { options })
      await half.promise
      first.child.kill('SIGKILL')
      await first.ended
      isKilled = true
      const { result } = await runCrawl([`${site.origin}/`], { options, data: first.data })
      assert.equal(result.finished, true)
      assert.deepEqual(await kept(first.data, site), ['/', ...names.map((name) => `/${name}`)].sort())
      await assertVerified(first.data)
    } finally {
      await site.close()
    }
  })
})
