import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openOne } from '../../conformance/engine.testkit.ts'
import { batchOf, offerOf } from '../../conformance/samples.testkit.ts'
import { createSqliteSystem } from '../testkit/store.testkit.ts'

describe('host table', () => {
  test('hosts evicted from memory keep their counters and clocks', async () => {
    const system = createSqliteSystem({ maxUrlsPerHost: 2 })
    try {
      const { frontier } = await openOne(system)
      const hosts = Array.from({ length: 20_100 }, (_, n) => `h${n}.example`)
      await frontier.offer([offerOf(hosts[0]!, '/a')])
      const { id } = (await frontier.hosts(1, new Set()))[0]!
      await frontier.settle(batchOf({ hosts: [{ id, nextAt: 9_000, failures: 2, rests: 1 }] }))
      for (let at = 1; at < hosts.length; at += 5_025) {
        await frontier.offer(hosts.slice(at, at + 5_025).map((host) => offerOf(host, '/')))
      }
      assert.deepEqual(frontier.counts(), { queued: 20_100, seen: 20_100, hosts: 20_100, givenUp: 0 })
      const more = ['/a', '/b', '/c'].map((path) => offerOf(hosts[0]!, path))
      assert.deepEqual(await frontier.offer(more), { accepted: 1, known: 1, limited: 1, watches: new Map() })
      const last = (await frontier.hosts(20_100, new Set())).at(-1)!
      assert.equal(last.host, hosts[0])
      assert.deepEqual([last.queued, last.nextAt, last.failures, last.rests], [2, 9_000, 2, 1])
    } finally {
      await system.destroy()
    }
  })
})
