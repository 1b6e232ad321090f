import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Service, type StartService, signIn } from '../kit/service.ts'
import { createSite, type Site } from '../site/site.ts'
import { until } from './up-run.ts'

const root = { email: 'root@example.org', password: 'long enough for this' }
const PAGES = 40

export type Job = Record<string, number | string | boolean | null> & {
  id: number
  state: string
  fetched: number
  skipped: Record<string, number>
}

/** The tests of crawls in the running service, for one process or a cluster. */
export function testServiceCrawls(name: string, start: StartService): void {
  describe(`crawls in the running service (${name})`, () => {
    let service: Service
    let site: Site
    let cookie: string

    before(async () => {
      site = await createSite({ pages: 0, addresses: ['127.0.0.1', '127.0.0.2'] })
      const links = Array.from({ length: PAGES }, (_, n) => `<a href="/page/${n}">${n}</a>`).join('')
      for (const host of [0, 1]) {
        site.set('/', { body: `<title>Start</title><p>start of host ${host}</p>${links}` }, host)
        for (let n = 0; n < PAGES; n++)
          site.set(`/page/${n}`, { body: `<title>Page ${n}</title><p>xylophone ${n} of host ${host}</p>` }, host)
      }
      service = await start({ ERACE_ADMIN_EMAIL: root.email, ERACE_ADMIN_PASSWORD: root.password })
      cookie = await signIn(service.api, root)
    })
    after(async () => {
      await service?.destroy()
      await site?.close()
    })

    async function ask<T = Job>(path: string, method = 'GET', body?: unknown, status?: number): Promise<T> {
      const answer = await service.api(path, { method, cookie, ...(body === undefined ? {} : { body }) })
      const json = (await answer.json()) as T
      if (status !== undefined) assert.equal(answer.status, status, JSON.stringify(json))
      return json
    }

    const crawl = (body: unknown) => ask('/crawl', 'POST', body, 202)

    async function untilOver(id: number): Promise<Job> {
      let job = await ask(`/crawl/${id}`)
      await until(`the end of crawl ${id}`, async () => {
        job = await ask(`/crawl/${id}`)
        return !['waiting', 'running'].includes(job.state)
      })
      return job
    }

    const paths = (host = 0): string[] =>
      site.log.filter(({ hostIndex, path }) => hostIndex === host && path !== '/robots.txt').map(({ path }) => path)

    test('a crawl that is asked for fetches its scope, and says what came of it', async () => {
      const asked = await crawl({ seeds: [`${site.origin()}/`] })
      assert.deepEqual([asked.state, asked.fetched, asked.askedBy], ['waiting', 0, root.email])
      const job = await untilOver(asked.id)
      const { state, fetched, stored, unchanged, failed, queued, seen, finished } = job
      const counts = { state, fetched, stored, unchanged, failed, queued, seen, finished }
      const all = PAGES + 1
      const zero = { unchanged: 0, failed: 0, queued: 0 }
      assert.deepEqual(counts, { state: 'finished', fetched: all, stored: all, seen: all, finished: true, ...zero })
      assert.equal(new Set(paths()).size, all)
      const { crawls } = await ask<{ crawls: Job[] }>('/crawl')
      assert.deepEqual(
        crawls.map(({ id }) => id),
        [asked.id],
      )
    })

    test('every user finds and reads what was crawled', async () => {
      type Found = { items: { document: number; version: number }[] }
      const eve = { email: 'eve@example.org', password: 'long enough for this too' }
      await ask('/users', 'POST', { ...eve, role: 'user' }, 201)
      for (const own of [cookie, await signIn(service.api, eve)]) {
        let found: Found = { items: [] }
        await until('the page to be found', async () => {
          found = (await (await service.api('/search?q=xylophone', { cookie: own })).json()) as Found
          return found.items.length > 0
        })
        const { document, version } = found.items[0]!
        for (const path of [`/documents/${document}`, `/documents/${document}/versions`, `/versions/${version}/text`])
          assert.equal((await service.api(path, { cookie: own })).status, 200, path)
      }
    })

    test('depth, expression and number of pages bound it', async () => {
      const seed = `${site.origin(1)}/`
      const shallow = await untilOver((await crawl({ seeds: [seed], depth: 0 })).id)
      assert.deepEqual([shallow.state, shallow.fetched], ['finished', 1])
      const restricted = await crawl({ seeds: [seed], restrict: '/page/1\\d$' })
      const narrow = await untilOver(restricted.id)
      assert.deepEqual([narrow.state, narrow.fetched, narrow.skipped.scope], ['finished', 11, PAGES - 10])
      const limited = await untilOver((await crawl({ seeds: [seed], maxPages: 5 })).id)
      assert.equal(limited.state, 'limit')
      assert.equal(limited.finished, false)
      assert.equal(limited.fetched, 5)
    })

    test('what cannot be crawled is refused with a reason', async () => {
      const code = async (body: unknown) =>
        (await ask<{ error: { code: string } }>('/crawl', 'POST', body, 400)).error.code
      assert.equal(await code({ seeds: [] }), 'request-invalid')
      assert.equal(await code({ seeds: ['http://a.example/'], depth: -1 }), 'request-invalid')
      assert.equal(await code({ seeds: ['http://a.example/'], speed: 9 }), 'request-invalid')
      assert.equal(await code({ seeds: ['ftp://a.example/'] }), 'url-invalid')
      assert.equal(await code({ seeds: ['http://'] }), 'url-invalid')
      assert.equal(await code({ seeds: ['http://a.example/'], restrict: '(' }), 'usage-wrong')
      for (const seed of ['http://10.0.0.1/', 'http://[::1]/', 'http://0x0a000001/'])
        assert.equal(await code({ seeds: [seed] }), 'address-refused')
      await ask('/crawl/999', 'GET', undefined, 404)
      await ask('/crawl/999', 'DELETE', undefined, 404)
    })

    test('one that is stopped fetches no more, and one that is killed goes on', async () => {
      /** Blocks the crawl at this page until the returned function is called. */
      const hold = () => {
        const { promise, resolve } = Promise.withResolvers<void>()
        site.set('/page/9', { body: '<p>held</p>', until: promise })
        return resolve
      }
      const started = async (): Promise<number> => {
        const { id } = await crawl({ seeds: [`${site.origin()}/`] })
        await until('it runs', async () => (await ask(`/crawl/${id}`)).fetched > 0)
        return id
      }
      const before = site.log.length
      let letGo = hold()
      const first = await started()
      await service.killAndStart()
      letGo()
      cookie = await signIn(service.api, root)
      const job = await untilOver(first)
      assert.deepEqual([job.state, job.finished, job.queued], ['finished', true, 0])
      assert.equal(new Set(site.log.slice(before).map(({ path }) => path)).size, PAGES + 1)
      letGo = hold()
      const second = await started()
      await ask(`/crawl/${second}`, 'DELETE', undefined, 200)
      const stopped = await untilOver(second)
      letGo()
      assert.deepEqual([stopped.state, stopped.finished], ['stopped', false])
      assert.ok(stopped.fetched < PAGES)
    })
  })
}
