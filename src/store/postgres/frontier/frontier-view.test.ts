import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offerOf } from '../../conformance/samples.testkit.ts'
import { usePostgres } from '../testkit/postgres.testkit.ts'
import { createPostgresSystem } from '../testkit/store.testkit.ts'
import { createPostgresFrontierView } from './frontier-view.ts'

usePostgres()

test('a view shows hosts, queues and robots.txt of all shards while they work', async () => {
  const system = await createPostgresSystem({ shards: 2 })
  const view = createPostgresFrontierView(system.database.pool)
  const shards = await system.open(1)
  for (const [shard, { frontier }] of shards.entries()) {
    const host = system.hostOf(shard, 0)
    assert.equal(await view.host(host), null)
    await frontier.offer([-5n, 2n ** 62n].map((fp) => offerOf(host, `/${fp}`, { fp })))
    assert.equal((await view.host(host))?.queued, 2)
    assert.equal(await view.isQueued({ host, fp: 2n ** 62n }), true)
    assert.equal(await view.isQueued({ host, fp: 6n }), false)
    const robots = {
      kind: 'rules',
      body: Buffer.from('User-agent: *\nDisallow: /\xe9', 'latin1'),
      expiresAt: 5,
    } as const
    await frontier.saveRobots(`http://${host}`, robots)
    assert.deepEqual(await view.robots(`http://${host}`), robots)
  }
  assert.deepEqual(await view.totals(1), { queued: 4, seen: 4, hosts: 2, givenUp: 0 })
  const heavy = system.hostOf(1, 1)
  await shards[1]!.frontier.offer([1n, 2n, 3n].map((fp) => offerOf(heavy, `/${fp}`, { fp })))
  const heaviest = await view.heavyHosts(2)
  assert.deepEqual([heaviest[0], heaviest.length], [{ host: heavy, queued: 3 }, 2])
  for (const request of (await shards[1]!.frontier.hosts(9, new Set())).filter(({ host }) => host === heavy))
    await shards[1]!.frontier.giveUp(request.id)
  const [state] = await shards[0]!.frontier.hosts(1, new Set())
  await shards[0]!.frontier.giveUp(state!.id)
  assert.equal((await view.host(state!.host))?.givenUp, true)
  assert.deepEqual(await view.totals(1), { queued: 2, seen: 7, hosts: 3, givenUp: 2 })
  assert.deepEqual(await view.totals(2), { queued: 2, seen: 0, hosts: 3, givenUp: 0 })
  assert.equal(await view.robots('http://nowhere.example'), null)
  await system.destroy()
})
