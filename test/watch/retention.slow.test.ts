import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type StartService, signIn, startCluster, startUp } from '../kit/service.ts'
import { type ChangingPage, createChangingPages } from '../site/handler-site.ts'
import { until } from './up-run.ts'

const account = { email: 'ann@example.org', password: 'a long enough password' }
const CHANGES = 12

type Annotation = { id: number; read: boolean; version: number; url: string }
type Crawl = { lastCollection: { startedAt: string; state: string; versions: number; error: string | null } | null }

const services: [string, StartService][] = [
  ['one process', startUp],
  ['a cluster', startCluster],
]

for (const [name, start] of services)
  describe(`retention in ${name}`, () => {
    test('removes superseded versions automatically, except unread and starred ones', {
      timeout: 180_000,
    }, async () => {
      const pages: Record<string, ChangingPage> = { '/read': {}, '/unread': {}, '/starred': {} }
      const paths = Object.keys(pages)
      const change = (edition: number): void => {
        for (const path of paths) pages[path]!.words = `edition ${edition} of ${path}, USD ${edition}`
      }
      change(0)
      const site = await createChangingPages(pages)
      const service = await start({
        ERACE_ADMIN_EMAIL: account.email,
        ERACE_ADMIN_PASSWORD: account.password,
        ERACE_RETENTION: 'versions=1',
        ERACE_ARCHIVE_COLLECTEVERY: '1s',
      })
      try {
        const cookie = await signIn(service.api, account)
        const call = async <T>(path: string, method = 'GET', body?: unknown): Promise<T> => {
          const answer = await service.api(path, { method, cookie, ...(body === undefined ? {} : { body }) })
          const json = (await answer.json()) as T
          assert.ok(answer.ok, `${method} ${path}: ${JSON.stringify(json)}`)
          return json
        }
        const annotations = async (path: string): Promise<Annotation[]> => {
          const { items } = await call<{ items: Annotation[] }>('/annotations?state=all&limit=100')
          return items.filter(({ url }) => url === site.origin + path)
        }
        const documentOf = async (path: string): Promise<number> => {
          const found = await call<{ items: { id: number }[] }>(
            `/documents?url=${encodeURIComponent(site.origin + path)}`,
          )
          return found.items[0]!.id
        }
        const editions = async (path: string): Promise<number[]> => {
          const { items } = await call<{ items: { id: number }[] }>(`/documents/${await documentOf(path)}/versions`)
          return Promise.all(items.map(({ id }) => editionOf(id)))
        }
        const editionOf = async (versionId: number): Promise<number> => {
          const text = await (await service.api(`/versions/${versionId}/text`, { cookie })).text()
          return Number(/edition (\d+) of/.exec(text)?.[1])
        }
        const sources = paths.map((path) => {
          return { uri: site.origin + path, every: '1s', depth: 0, scope: 'page', process: 'track' }
        })
        await call('/profiles', 'POST', { name: 'all', sources })
        const haveAll = async (count: number): Promise<boolean> =>
          (await Promise.all(paths.map(annotations))).every((found) => found.length === count)
        await until('the baselines', () => haveAll(1))

        for (let edition = 1; edition <= CHANGES; edition++) {
          change(edition)
          await until(`edition ${edition}`, () => haveAll(edition + 1))
          const read = await annotations('/read')
          await call('/annotations', 'PATCH', { ids: read.map(({ id }) => id), read: true })
          const [newest] = await annotations('/starred')
          await call(`/annotations/${newest!.id}`, 'PATCH', { read: true, starred: edition === 5 })
        }

        const changedAt = new Date().toISOString()
        await until('a collection', async () => {
          const { lastCollection } = await call<Crawl>('/crawl')
          assert.equal(lastCollection?.error ?? null, null)
          return lastCollection?.state === 'finished' && lastCollection.startedAt > changedAt
        })
        assert.deepEqual(await editions('/read'), [CHANGES])
        assert.deepEqual(await editions('/starred'), [CHANGES, 5])
        const unread = (await annotations('/unread')).filter(({ read }) => !read)
        assert.deepEqual(
          await Promise.all(unread.map(({ version }) => editionOf(version))),
          Array.from({ length: CHANGES }, (_, n) => CHANGES - n),
        )
        assert.equal(await service.stop(), 0)
      } finally {
        await service.destroy()
        await site.close()
      }
    })
  })
