import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { CrawlResult } from '../src/core/reports/crawl-report.ts'
import type { DroppedLinks } from '../src/store/contracts/dropped-links.ts'
import { createPostgresFrontierView } from '../src/store/postgres/frontier/frontier-view.ts'
import { createDatabase, usePostgres } from '../src/store/postgres/testkit/postgres.testkit.ts'
import { createSqliteFrontierView } from '../src/store/sqlite/frontier/frontier-view.ts'
import { startCrawl } from './cluster/worker-process.ts'
import { readResult } from './kit/erace.ts'
import { newFolder, runCrawl } from './site/crawl-run.ts'
import { createHandlerSite, type HandlerSite } from './site/handler-site.ts'
import { createSite } from './site/site.ts'

usePostgres()

/** Links of identical pages are resolved against each page's own URL, and followed. */

type Engine = {
  crawl(seeds: string[], options?: string[]): Promise<CrawlResult>
  dropped(): Promise<DroppedLinks[]>
}

const engines: Record<string, (context: TestContext) => Promise<Engine>> = {
  async embedded() {
    const data = join(newFolder(), 'data')
    return {
      crawl: async (seeds, options = []) =>
        (await runCrawl(seeds, { data, options: ['--threads', '3', '--allow-net', '127.0.0.0/8', ...options] })).result,
      async dropped() {
        const view = createSqliteFrontierView(data, 3)
        try {
          return await view.dropped(null, 100)
        } finally {
          view.close()
        }
      },
    }
  },
  async cluster(context) {
    const { address, pool, destroy } = await createDatabase()
    context.after(destroy)
    return {
      async crawl(seeds, options = []) {
        const end = await startCrawl(address, seeds, options).ended
        assert.equal(end.exitCode, 0, end.stdout + end.stderr)
        return readResult(end) as CrawlResult
      },
      dropped: () => createPostgresFrontierView(pool).dropped(null, 100),
    }
  },
}

const linksTo = (...links: string[]): string => links.map((link) => `<a href="${link}">x</a>`).join('')

/** Three folders with the same index, and two pages in each of them. */
const tree: Record<string, string> = { '/': linksTo('a/', 'b/', 'c/') }
for (const folder of ['a', 'b', 'c']) {
  tree[`/${folder}/`] = linksTo('1.html', '2.html')
  for (const page of [1, 2]) tree[`/${folder}/${page}.html`] = `${folder} ${page}`
}

for (const [name, open] of Object.entries(engines)) {
  describe(`identical pages, ${name}`, () => {
    test('in several folders have all their links followed, and again when unchanged', async (context) => {
      const engine = await open(context)
      const site = await createSite({ pages: 0, etags: true })
      context.after(site.close)
      for (const [path, body] of Object.entries(tree)) site.set(path, { body, headers: { etag: `"${path.length}"` } })
      const pathsAsked = (): string[] => {
        const paths = site.log.map(({ path }) => path).filter((path) => path !== '/robots.txt')
        site.log.length = 0
        return paths.sort()
      }
      const first = await engine.crawl([`${site.origin()}/`])
      assert.deepEqual(pathsAsked(), Object.keys(tree).sort())
      assert.deepEqual([first.fetched, first.skipped.trap, first.finished], [10, 0, true])
      const again = await engine.crawl([`${site.origin()}/`])
      assert.deepEqual(pathsAsked(), Object.keys(tree).sort())
      assert.deepEqual([again.fetched, again.stored, again.failed], [10, 0, 0])
      assert.deepEqual(await engine.dropped(), [])
    })

    test('on several hosts have all their links followed', async (context) => {
      const engine = await open(context)
      const addresses = [1, 2, 3, 4, 5, 6].map((n) => `127.0.9.${n}`)
      const site = await createSite({ pages: 0, addresses })
      context.after(site.close)
      const pages = ['/p1', '/p2', '/p3', '/q/p4', '/q/p5', '/q/p6', '/q/p7', '/q/p8']
      const home = linksTo(...pages.map((path) => path.slice(1)))
      for (const [host] of addresses.entries()) {
        site.set('/home', { body: home }, host)
        for (const path of pages) site.set(path, { body: `${path} of ${host}` }, host)
      }
      site.set('/', { body: linksTo(...addresses.map((_, host) => `${site.origin(host)}/home`)) }, 0)
      const result = await engine.crawl([`${site.origin(0)}/`], ['--restrict', '127\\.0\\.9\\.'])
      assert.deepEqual([result.fetched, result.failed], [55, 0])
      // Copies stored at the same moment by several shards may count as new.
      assert.ok(result.duplicates <= 5 && result.stored + result.duplicates === 55, `${result.duplicates}`)
    })

    test('that link to themselves endlessly are abandoned at a limit, counted and listed', async (context) => {
      const engine = await open(context)
      const site = await createTrap()
      context.after(site.close)
      const result = await engine.crawl([`${site.origin}/`])
      const asked = site.asked.filter((path) => path !== '/robots.txt')
      assert.equal(new Set(asked).size, asked.length)
      assert.equal(result.finished, true)
      // The pages behind the first copies, and as many as are allowed behind repeated pages.
      assert.ok(asked.length > 1_500 && asked.length < 2_100, `${asked.length}`)
      const drops = await engine.dropped()
      assert.deepEqual([...new Set(drops.map(({ rule }) => rule))], ['path', 'repeated-pages'])
      assert.equal(
        drops.reduce((sum, { count }) => sum + count, 0),
        result.skipped.trap,
      )
      const examples = drops.flatMap((drop) => drop.examples)
      assert.ok(examples.length > 20)
      assert.ok(examples.every(({ url, parent }) => url.startsWith(parent) && !asked.includes(new URL(url).pathname)))
    })
  })
}

/** Serves the same page at every URL, with four links to deeper ones. */
const createTrap = (): Promise<HandlerSite> =>
  createHandlerSite((path, response) => {
    if (path === '/robots.txt') return void response.writeHead(404).end()
    response.end(linksTo('n/', 'e/', 's/', 'w/'))
  })
