import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openPostgresStores, type PostgresStores } from '../../src/app/engines/postgres-stores.ts'
import { createPostgresNodes } from '../../src/store/postgres/cluster/nodes.ts'
import { type PostgresServer, startPostgres } from '../../src/store/postgres/testkit/postgres-server.testkit.ts'
import { cookieOf, openServe, type Serve, startServe } from '../kit/service.ts'
import { until } from '../watch/up-run.ts'
import { annotatePage, type StoredPage, storePages } from './stored-pages.ts'

const administrator = { email: 'root@example.org', password: 'long enough for this' }
/** Opens the stores like another process of the cluster. */
const openStores = () => openPostgresStores({ address, maxConnections: 3, name: 'test' })

let postgres: PostgresServer
let address: string
let one: Serve
let other: Serve
let stores: PostgresStores
let cookie: string
let pages: StoredPage[]

before(async () => {
  postgres = await startPostgres()
  address = await postgres.createDatabase('serve')
})

after(async () => {
  for (const each of [one, other]) each?.child.kill('SIGKILL')
  await stores?.close()
  await postgres?.end()
})

const profile = { name: 'Solar', sources: [{ uri: 'http://127.0.0.1:9/solar' }] }

/** Annotates a page that has no annotation yet. */
const annotate = () => annotatePage(stores, pages.shift()!, administrator.email)

/** Reads events until the annotation arrives. */
async function untilNotified(stream: Awaited<ReturnType<Serve['stream']>>, id: number): Promise<void> {
  for (;;) {
    const event = (await stream.until('annotation')).at(-1)!
    if (Number(event.id) === id) return
  }
}

describe('two servers', () => {
  test('create the schema of an empty database once, and share one set-up link', async () => {
    ;[one, other] = await Promise.all([openServe(address), openServe(address)])
    const key = one.setupUrl!.split('#')[1]!
    assert.equal(other.setupUrl!.split('#')[1], key)
    const third = await openServe(address)
    assert.equal(third.setupUrl!.split('#')[1], key, 'a start does not invalidate an earlier link')
    assert.equal((await third.stop()).exitCode, 0)
    const wrong = await other.api('/setup', { method: 'POST', body: { key: 'wrong', ...administrator } })
    assert.equal(wrong.status, 403)
    cookie = cookieOf(await other.api('/setup', { method: 'POST', body: { key, ...administrator } }))
    assert.equal((await one.api('/session', { cookie })).status, 200)
    const again = await one.api('/setup', { method: 'POST', body: { key, ...administrator } })
    assert.equal(again.status, 403)
    stores = await openStores()
    const urls = Array.from({ length: 10 }, (_, n) => [`http://127.0.0.1:9/${n}`, `<title>Page ${n}</title>solar ${n}`])
    pages = await storePages(stores, Object.fromEntries(urls))
  })

  test("see each other's changes immediately", async () => {
    const created = await one.api('/profiles', { method: 'POST', cookie, body: profile })
    assert.equal(created.status, 201)
    const { id } = (await created.json()) as { id: string }
    const seen = await other.api(`/profiles/${id}`, { cookie })
    assert.equal(((await seen.json()) as { name: string }).name, 'Solar')
    const sources = (await (await other.api('/sources', { cookie })).json()) as { items: unknown[] }
    assert.equal(sources.items.length, 1)
    await other.api(`/profiles/${id}`, { method: 'DELETE', cookie })
    assert.equal((await one.api(`/profiles/${id}`, { cookie })).status, 404)
  })

  test('reject a session that was signed out on the other', async () => {
    const own = await one.signIn(administrator)
    assert.equal((await other.api('/session', { cookie: own })).status, 200)
    assert.equal((await one.api('/session', { cookie: own })).status, 200)
    await one.api('/session', { method: 'DELETE', cookie: own })
    assert.equal((await other.api('/session', { cookie: own })).status, 401)
  })

  test('send new annotations and read marks to listeners on both', async () => {
    const streams = await Promise.all([one.stream(cookie), other.stream(cookie)])
    for (const stream of streams) await stream.until('hello')
    const id = await annotate()
    for (const stream of streams) await untilNotified(stream, id)
    await one.api(`/annotations/${id}`, { method: 'PATCH', cookie, body: { read: true } })
    for (const stream of streams) {
      for (;;) {
        const { data } = (await stream.until('counts')).at(-1)!
        const { changed } = data as { changed?: { ids: number[]; marks: unknown } }
        if (changed === undefined) continue
        assert.deepEqual(changed, { ids: [id], marks: { read: true } })
        break
      }
    }
    for (const stream of streams) await stream.close()
  })

  test('find and show archived documents only for users who may see them', async () => {
    const page = pages[0]!
    assert.equal((await one.api(`/documents/${page.documentId}`, { cookie })).status, 404)
    await annotate()
    for (const each of [one, other]) {
      const found = (await (await each.api('/search?q=solar', { cookie })).json()) as { items: { document: number }[] }
      assert.ok(found.items.some(({ document }) => document === page.documentId))
      const text = await each.api(`/versions/${page.versionId}/text`, { cookie })
      assert.match(await text.text(), /solar \d/)
    }
  })

  test('are listed as nodes until they stop', async (t) => {
    const third = await openServe(address, { ERACE_CLUSTER_NAME: 'third' })
    t.after(() => third.child.kill('SIGKILL'))
    const listed = async () => {
      const { items } = (await (await one.api('/nodes', { cookie })).json()) as {
        items: { role: string; name: string; state: string }[]
      }
      return items
    }
    await until('all three to be listed', async () => {
      const items = await listed()
      assert.ok(items.length <= 3)
      return items.filter(({ role, state }) => role === 'server' && state === 'running').length === 3
    })
    assert.equal((await listed()).filter(({ name }) => name === 'third').length, 1)
    const crawl = (await (await other.api('/crawl', { cookie })).json()) as { paused: string; now: { queued: number } }
    assert.match(crawl.paused, /No worker/)
    assert.equal((await third.stop()).exitCode, 0)
    assert.equal((await listed()).length, 2)
  })
})

describe('worker activity', () => {
  type Crawl = { isPaused: boolean; paused: string | null; now: Record<string, number>; totals: Record<string, number> }

  test('is visible on every server, and can be paused on any', async () => {
    const nodes = createPostgresNodes(stores.pool)
    const beat = (id: string, stats: Record<string, number>) =>
      nodes.heartbeat({ id, name: id, role: 'worker', host: 'box', pid: 1, stats })
    const crawlAt = async (serve: Serve) => (await (await serve.api('/crawl', { cookie })).json()) as Crawl
    await beat('first', { fetched: 100, queued: 3, paused: 0 })
    await beat('second', { fetched: 200, queued: 4, paused: 0 })
    for (const each of [one, other])
      await until('both to be counted', async () => {
        const { now, totals, paused } = await crawlAt(each)
        return now.queued === 7 && totals.fetched === 300 && paused === null
      })
    await beat('second', { fetched: 250, queued: 4, paused: 0 })
    await until('the rate', async () => (await crawlAt(one)).now.pagesPerSecond! > 0)
    await other.api('/crawl', { method: 'PATCH', cookie, body: { paused: true } })
    await until('the pause', async () => (await crawlAt(one)).isPaused)
    assert.equal((await beat('first', {})).paused, true)
    await one.api('/crawl', { method: 'PATCH', cookie, body: { paused: false } })
    for (const id of ['first', 'second']) await nodes.remove(id)
  })
})

describe('a server whose database fails', () => {
  test('reconnects, tells listeners to reload, and misses nothing afterwards', async () => {
    const streams = await Promise.all([one.stream(cookie), other.stream(cookie)])
    for (const stream of streams) await stream.until('hello')
    await stores.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name LIKE 'erace %' AND datname = current_database()`,
    )
    for (const stream of streams) await stream.until('reset')
    const id = await annotate()
    for (const stream of streams) await untilNotified(stream, id)
    for (const each of [one, other]) {
      await until('requests to be answered again', async () => (await each.api('/annotations', { cookie })).ok)
      await until('the archive to be read again', async () => (await each.api('/search?q=solar', { cookie })).ok)
      await until('it to be ready again', async () => (await each.readiness()).ok)
    }
    for (const stream of streams) await stream.close()
  })

  test('answers 503 while the database is down, reports it in readiness, and recovers', async () => {
    const stream = await one.stream(cookie)
    await stream.until('hello')
    await stores.close()
    await postgres.stop()
    const refused = await one.api('/annotations', { cookie })
    const { error } = (await refused.json()) as { error: { code: string; message: string } }
    assert.deepEqual([refused.status, error.code], [503, 'store-unreachable'])
    assert.doesNotMatch(error.message, /ECONNREFUSED|\d+\.\d+\.\d+\.\d+/)
    const readiness = await one.readiness()
    assert.equal(readiness.status, 503)
    assert.match(await readiness.text(), /the store does not answer: store-unreachable/)
    assert.equal((await fetch(`${one.url}/healthz`)).status, 200)
    const late = startServe(address)
    await late.logs('waiting for the store: starting')
    await postgres.start()
    stores = await openStores()
    await until('it to be ready again', async () => (await one.readiness()).ok)
    assert.ok((await one.api('/annotations', { cookie })).ok)
    await stream.until('reset')
    await untilNotified(stream, await annotate())
    await stream.close()
    assert.equal((await late.ready<{ setupUrl: string | null }>()).setupUrl, null)
    assert.equal((await late.stop()).exitCode, 0)
  })

  test('shuts down cleanly while the database is away', async () => {
    await stores.close()
    await postgres.stop()
    assert.equal((await other.stop()).exitCode, 0)
    const waiting = startServe(address)
    await waiting.logs('waiting for the store: starting')
    assert.equal((await waiting.stop()).exitCode, 0)
    await postgres.start()
    stores = await openStores()
  })

  test('fails immediately on a wrong password or a missing database', async () => {
    const wrongPassword = new URL(address)
    wrongPassword.password = 'wrong'
    const wrongName = new URL(address)
    wrongName.pathname = '/nowhere'
    for (const wrong of [wrongPassword, wrongName]) {
      const { exitCode, stdout } = await startServe(wrong.href).ended
      assert.equal(exitCode, 1)
      assert.equal((JSON.parse(stdout) as { error: { code: string } }).error.code, 'store-refused')
    }
  })
})
