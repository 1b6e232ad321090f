import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { noCheck } from '../../../core/request.ts'
import {
  createCounterMemory,
  createThrottleReasons,
  openSharedCounters,
} from '../../../crawl/worker/shared-counters.ts'
import type { OpenShard } from '../../../store/conformance/engine.testkit.ts'
import { batchOf, offersOf, pageOf } from '../../../store/conformance/samples.testkit.ts'
import { createSqliteSystem } from '../../../store/sqlite/testkit/store.testkit.ts'
import { createTestServer, type TestServer } from '../../server.testkit.ts'

const system = createSqliteSystem({ shards: 2 })
const counters = openSharedCounters(createCounterMemory(2, null))
const holds = createThrottleReasons(counters)
const crawlControl = {
  isPaused: async () => holds.has('paused'),
  pause: async (paused: boolean) => holds.set('paused', paused),
}
let server: TestServer
let shard: OpenShard

before(async () => {
  const [first] = await system.open(1)
  shard = first!
  const [good, bad] = [system.hostOf(0, 0), system.hostOf(0, 1)] as const
  await first!.frontier.offer([...offersOf(good, 2), ...offersOf(bad, 1)])
  const { id } = (await first!.frontier.hosts(9, new Set())).find(({ host }) => host === bad)!
  await first!.frontier.settle(batchOf({ hosts: [{ id, nextAt: Date.now() + 3_600_000, failures: 4, rests: 1 }] }))
  await first!.documents.record([
    pageOf(good, '/', 'home', { links: [`http://${good}/a`], title: '<script>alert(1)</script>' }),
    pageOf(good, '/a', 'a', { parent: `http://${good}/` }),
  ])
  server = await createTestServer({ folder: system.folder, needs: { counters, crawlControl } })
  await server.addUser('root@example.org', { role: 'administrator' })
  await server.addUser('ann@example.org')
})

after(async () => {
  await server.close()
  await system.destroy()
})

describe('administration of the crawl over HTTP', () => {
  test('is visible to administrators only', async () => {
    for (const path of ['/crawl', '/crawl/graph', '/hosts', '/nodes']) {
      assert.equal((await server.nobody().get(path)).statusCode, 401, path)
      assert.equal((await server.as('ann@example.org').get(path)).statusCode, 403, path)
      assert.equal((await server.asToken('root@example.org', ['write']).get(path)).statusCode, 403, path)
      assert.equal((await server.asToken('root@example.org', ['admin']).get(path)).statusCode, 200, path)
    }
  })

  test('shows figures, totals, service levels and disk usage', async () => {
    counters.shard(1).add('fetched', 3)
    counters.shard(0).set('queued', 7)
    await server.parts.activity.tick()
    const { now, series, totals, levels, disk } = (await server.as('root@example.org').get('/crawl')).json()
    assert.deepEqual([now.queued, totals.fetched, totals.documents, series.length], [7, 3, 2, 1])
    assert.deepEqual(
      levels.map(({ level }: { level: string }) => level),
      ['gold', 'silver', 'bronze'],
    )
    assert.ok(disk.databaseBytes > 0 && disk.freeBytes! > 0)
  })

  test('shows versions that were set aside, with the reasons, and retries them', async () => {
    const host = system.hostOf(0, 2)
    const check = { ...noCheck, watch: 1, round: 1 }
    await shard.documents.record([pageOf(host, '/odd', 'odd', { check, run: 1 })])
    const { annotations } = server.stores
    const [task] = await annotations.tasks({ limit: 1, part: 0, parts: 1 })
    for (let n = 0; n < 3; n++) await annotations.countAttempts([task!.id], 1)
    await annotations.fail(task!.id, { reason: 'TypeError: no', at: Date.UTC(2026, 0, 1) })
    const root = server.as('root@example.org')
    const shown = { url: `http://${host}/odd`, reason: 'TypeError: no', at: '2026-01-01T00:00:00.000Z' }
    assert.deepEqual((await root.get('/crawl')).json().setAside, { count: 1, latest: [shown] })
    assert.deepEqual((await root.post('/crawl/set-aside/retry', {})).json(), { retried: 1 })
    assert.deepEqual((await root.get('/crawl')).json().setAside, { count: 0, latest: [] })
    assert.equal(await annotations.countTasks(), 1)
  })

  test('lists hosts page by page, failing ones first', async () => {
    const root = server.as('root@example.org')
    const { items, next } = (await root.get('/hosts?limit=1')).json()
    assert.deepEqual([items[0].host, items[0].health, items[0].failures], [system.hostOf(0, 1), 'resting', 4])
    assert.match(items[0].nextAt, /Z$/)
    const second = (await root.get(`/hosts?limit=1&cursor=${next}`)).json()
    assert.deepEqual(
      [second.items[0].host, second.items[0].nextAt, second.items[0].documents, second.next],
      [system.hostOf(0, 0), null, 2, null],
    )
    assert.equal((await root.get('/hosts?q=no-such')).json().items.length, 0)
  })

  test('shows the link graph of a host', async () => {
    const root = server.as('root@example.org')
    const { nodes, edges } = (await root.get(`/crawl/graph?host=${system.hostOf(0, 0).toUpperCase()}`)).json()
    assert.equal(nodes.length, 2)
    assert.equal(edges.length, 1)
    assert.equal(new URL(nodes[edges[0][0]].url).pathname, '/')
  })

  test('lists its own process as the only node', async () => {
    const { items } = (await server.as('root@example.org').get('/nodes')).json()
    assert.deepEqual(
      [items.length, items[0].role, items[0].pid, items[0].partitions, items[0].state, items[0].lagMs],
      [1, 'all', process.pid, 256, 'running', 0],
    )
  })

  test('pauses a single process, but does not drain it', async () => {
    const root = server.as('root@example.org')
    const { items } = (await root.get('/nodes')).json()
    const drained = await root.patch(`/nodes/${encodeURIComponent(items[0].id)}`, { draining: true })
    assert.deepEqual([drained.statusCode, drained.json().error.code], [400, 'not-available'])
    assert.match(drained.json().error.message, /a single process does all the work/)
    assert.equal((await root.get('/crawl')).json().isPaused, false)
    for (const paused of [true, true, false]) {
      const answer = await root.patch('/crawl', { paused })
      assert.deepEqual([answer.statusCode, answer.json()], [200, { isPaused: paused }])
      const crawl = (await root.get('/crawl')).json()
      assert.deepEqual([crawl.isPaused, counters.isThrottled()], [paused, paused])
      if (paused) assert.match(crawl.paused, /An administrator paused the crawl/)
      else assert.equal(crawl.paused, null)
      assert.equal((await root.get('/nodes')).json().items[0].state, paused ? 'paused' : 'running')
    }
  })

  test('accepts changes from administrators only, and invalid ones change nothing', async () => {
    for (const [path, body] of [
      ['/crawl', { paused: true }],
      ['/nodes/x', { draining: true }],
    ] as const) {
      assert.equal((await server.nobody().patch(path, body)).statusCode, 401)
      assert.equal((await server.as('ann@example.org').patch(path, body)).statusCode, 403)
      assert.equal((await server.asToken('root@example.org', ['write']).patch(path, body)).statusCode, 403)
    }
    const root = server.as('root@example.org')
    for (const body of [{}, { paused: 'perhaps' }, { paused: true, draining: true }, []])
      assert.equal((await root.patch('/crawl', body)).statusCode, 400, JSON.stringify(body))
    for (const body of [{}, { draining: 'perhaps' }, { draining: true, x: 1 }])
      assert.equal((await root.patch('/nodes/x', body)).statusCode, 400, JSON.stringify(body))
    assert.equal(counters.isThrottled(), false)
  })

  test('answers invalid queries with an error code', async () => {
    const root = server.as('root@example.org')
    const wrong = [
      '/hosts?limit=0',
      '/hosts?limit=many',
      '/hosts?cursor=x',
      `/hosts?cursor=${Buffer.from('"fine x host"').toString('base64url')}`,
      `/hosts?cursor=${Buffer.from('"nice 1 host"').toString('base64url')}`,
      `/hosts?cursor=${Buffer.from('7').toString('base64url')}`,
      '/crawl/graph?limit=5001',
      `/crawl/graph?host=${'x'.repeat(400)}`,
    ]
    for (const path of wrong) {
      const answer = await root.get(path)
      assert.equal(answer.statusCode, 400, path)
      assert.match(answer.json().error.code, /^(?:request|cursor)-invalid$/)
    }
  })
})
