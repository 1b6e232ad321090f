import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { noCheck, type Offer, UNLIMITED_DEPTH } from '../../../core/request.ts'
import { openDatabase } from '../folder/database.ts'
import { paths } from '../folder/folder.ts'
import { frontierMigrations } from '../folder/schema-frontier.ts'
import { createSqliteSystem } from '../testkit/store.testkit.ts'
import { createSqliteFrontierView } from './frontier-view.ts'

const offerOf = (host: string, fp: bigint): Offer => ({
  host,
  fp,
  url: `http://${host}/${fp}`,
  parent: '',
  depth: UNLIMITED_DEPTH,
  hops: 0,
  redirects: 0,
  priority: 0,
  check: noCheck,
})

test('a view shows hosts, queues and robots.txt of all shards while they work', async () => {
  const system = createSqliteSystem({ shards: 2 })
  const view = createSqliteFrontierView(system.folder, 2)
  try {
    const shards = await system.open(1)
    const hosts = [system.hostOf(0, 0), system.hostOf(1, 0)]
    for (const [shard, host] of hosts.entries()) {
      assert.equal(await view.host(host), null)
      await shards[shard]!.frontier.offer([offerOf(host, -5n), offerOf(host, 2n ** 62n)])
      assert.deepEqual((await view.host(host))?.queued, 2)
      assert.equal(await view.isQueued({ host, fp: -5n }), true)
      assert.equal(await view.isQueued({ host, fp: 2n ** 62n }), true)
      assert.equal(await view.isQueued({ host, fp: 6n }), false)
      const origin = `http://${host}`
      assert.equal(await view.robots(origin), null)
      const robots = {
        kind: 'rules',
        body: Uint8Array.from(Buffer.from('User-agent: *\nDisallow: /\xe9', 'latin1')),
        expiresAt: 5,
      } as const
      await shards[shard]!.frontier.saveRobots(origin, robots)
      assert.deepEqual(await view.robots(origin), robots)
      const [state] = await shards[shard]!.frontier.hosts(1, new Set())
      await shards[shard]!.frontier.giveUp(state!.id)
      assert.deepEqual([(await view.host(host))?.givenUp, (await view.host(host))?.queued], [true, 0])
    }
    assert.equal(await view.isQueued({ host: 'nowhere.example', fp: 1n }), false)
  } finally {
    view.close()
    await system.destroy()
  }
})

test('a frontier written by an older version has no dropped links', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-view-'))
  mkdirSync(dirname(paths.frontier(folder, 0)), { recursive: true })
  openDatabase(paths.frontier(folder, 0), { migrations: frontierMigrations.slice(0, 2) }).close()
  const view = createSqliteFrontierView(folder, 1)
  assert.deepEqual(await view.dropped(null, 10), [])
  view.close()
  rmSync(folder, { recursive: true })
})
