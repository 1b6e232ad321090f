import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { assertVerified, keptVersions, runCrawl, startCrawl } from '../site/crawl-run.ts'
import { openTableSite, page, sealed } from './table-site.ts'

const options = ['--allow-net', '127.0.0.0/8', '--tables', 'first', '--threads', '1', '--per-host', '6']

const kept = async (data: string): Promise<string[]> => [...(await keptVersions(data)).keys()].sort()

function* endless(): Generator<string> {
  for (;;) yield 'x'.repeat(1 << 16)
}

describe('tables of links', () => {
  test('pages that a table names are fetched while its own page is still on its way', async () => {
    const childAsked = Promise.withResolvers<void>()
    const site = await openTableSite(
      {
        'index.html': page('Home', ['slow.html']),
        'slow.html': page('Slow', ['child.html']),
        'child.html': page('Child', []),
      },
      async (path) => {
        if (path === '/child.html') childAsked.resolve()
        // Without its table the child could not be known before.
        if (path === '/slow.html') await childAsked.promise
        return false
      },
    )
    try {
      await site.augment()
      const { result, data } = await runCrawl([`${site.origin}/`], { options })
      assert.deepEqual([result.fetched, result.stored, result.failed, result.finished], [3, 3, 0, true])
      assert.deepEqual(await kept(data), ['/', '/child.html', '/slow.html'], 'tables are no documents')
      assert.ok(site.tablesAsked().includes('/slow.html.TOL'))
    } finally {
      await site.close()
    }
  })

  test('what is asked for of a host with few pages, or without tables, is not more than its pages', async () => {
    const site = await openTableSite({ 'index.html': page('Home', ['a.html']), 'a.html': page('A', []) })
    try {
      await runCrawl([`${site.origin}/`], { options: [...options.filter((each) => !/tables|first/.test(each))] })
      assert.deepEqual(site.tablesAsked(), [])
      // Without tables: one probe for the whole host, and none when it is crawled again.
      const { data } = await runCrawl([`${site.origin}/`], { options })
      assert.deepEqual(site.tablesAsked(), ['/index.html.TOL'])
      await runCrawl([`${site.origin}/`], { options, data })
      assert.deepEqual(site.tablesAsked(), [])
      site.write('robots.txt', 'User-agent: *\nDisallow: /*.TOL\n')
      await runCrawl([`${site.origin}/`], { options })
      assert.deepEqual(site.tablesAsked(), [], 'robots.txt holds for tables')
    } finally {
      await site.close()
    }
  })

  test('tables that lie cost their requests and nothing more, and are soon not asked for', async () => {
    const names = Array.from({ length: 30 }, (_, n) => `p${n}.html`)
    const site = await openTableSite({ 'index.html': page('Home', ['p0.html']) }, async (path, response) => {
      if (path !== '/p1.html.TOL') return false
      // Endless: it is cut off at the limit.
      pipeline(Readable.from(endless()), response, () => {})
      return true
    })
    try {
      // A chain, so that there is always a connection to spare.
      for (const [n, name] of names.entries()) site.write(name, page(name, n < 29 ? [`p${n + 1}.html`] : []))
      await site.augment()
      const lie = (name: string, links: readonly string[], document?: string): void => {
        const table = readFileSync(join(site.folder, `${name}.TOL`), 'utf8').split('\n')
        site.write(`${name}.TOL`, sealed([table[0], document ?? table[1], ...links, `end ${links.length} `].join('\n')))
      }
      lie('p2.html', [
        'in dead-1.html',
        'in dead-2.html',
        'out http://127.0.0.2:1/',
        'out javascript:alert(1)',
        'in http://[',
      ])
      lie('p3.html', [], `document sha256:${'0'.repeat(64)}`)
      site.write('p4.html.TOL', page('Not found', []))
      for (const name of names.slice(5)) lie(name, ['in dead-3.html'])
      const { result, data } = await runCrawl([`${site.origin}/`], { options })
      const dead = site.pagesAsked().filter((path) => path.includes('dead'))
      assert.equal(result.finished, true)
      assert.equal(result.failed, dead.length, 'nothing failed but what the tables made up')
      assert.deepEqual(await kept(data), ['/', ...names.map((name) => `/${name}`)].sort())
      assert.ok(site.tablesAsked().length < 20, 'after a few lies the rest is not asked for')
      await assertVerified(data)
    } finally {
      await site.close()
    }
  })

  test('a crawl that is killed while tables and pages are on their way is finished by the next run', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `p${n}.html`)
    const half = Promise.withResolvers<void>()
    let isKilled = false
    const site = await openTableSite({ 'index.html': page('Home', ['p0.html', 'p20.html']) }, async (path) => {
      if (path !== '/p10.html' || isKilled) return false
      half.resolve()
      // It never comes in the first run, while its table does.
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
      assert.deepEqual(await kept(first.data), ['/', ...names.map((name) => `/${name}`)].sort())
      await assertVerified(first.data)
    } finally {
      await site.close()
    }
  })
})
