import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  assertPolite,
  assertStoredOnce,
  excessOf,
  type Field,
  type FieldOptions,
  openField,
  requestsByUrl,
  until,
} from './main-cluster-shards.testkit.ts'
import { cutConnections, postgres, usePostgres } from './store/cluster/postgres.testkit.ts'

usePostgres()

function withField(options: FieldOptions, work: (field: Field) => Promise<void>): () => Promise<void> {
  return async () => {
    const field = await openField(options)
    try {
      await work(field)
    } finally {
      await field.destroy()
    }
  }
}

describe('workers of a cluster', { timeout: 120_000 }, () => {
  test(
    'two share a site of many hosts and fetch every page once',
    withField({ hosts: 12, pages: 30 }, async (field) => {
      const first = await field.startWorker('first')
      const second = await field.startWorker('second')
      await first.seed()
      await field.untilFinished()
      assert.equal(requestsByUrl(field.site).size, 12 * 30)
      assert.equal(excessOf(field.site), 0)
      await assertStoredOnce(field)
      assert.ok(first.board.total('fetched') > 0)
      assert.ok(second.board.total('fetched') > 0)
      await first.shards.stop()
      await second.shards.stop()
    }),
  )

  test(
    'one that stops in good order leaves nothing to be repeated, and no host is asked before its time',
    withField({ hosts: 10, pages: 16, values: { 'crawl.delay': '100ms' } }, async (field) => {
      const first = await field.startWorker('first')
      const second = await field.startWorker('second')
      await first.seed()
      await field.answered(60)
      await first.shards.stop()
      assert.deepEqual(first.epochs.held(), [])
      const byFirst = first.board.total('fetched')
      await field.untilFinished()
      assert.ok(byFirst > 0 && byFirst < 150)
      assert.equal(requestsByUrl(field.site).size, 160)
      assert.equal(excessOf(field.site), 0)
      assert.equal(second.epochs.held().length, 256)
      assertPolite(field.site, 100)
      await assertStoredOnce(field)
    }),
  )

  test(
    'what was in flight when one was killed is all that is repeated, and no host is asked before its time',
    withField({ hosts: 10, pages: 16, values: { 'crawl.delay': '100ms' } }, async (field) => {
      const first = await field.startWorker('first')
      const second = await field.startWorker('second')
      await first.seed()
      await field.answered(60)
      const inHand = first.board.total('inFlight')
      await first.shards.end()
      await field.untilFinished()
      assert.equal(requestsByUrl(field.site).size, 160)
      // What came between the two looks may add to it.
      assert.ok(excessOf(field.site) <= inHand + 10, `${excessOf(field.site)} repeated, ${inHand} in hand`)
      assertPolite(field.site, 100)
      await assertStoredOnce(field)
      await second.shards.stop()
    }),
  )

  test(
    'connections that are cut in the middle lose nothing and double nothing',
    withField({ hosts: 6, pages: 120, values: { 'cluster.lease': '10s' } }, async (field) => {
      const first = await field.startWorker('first')
      const second = await field.startWorker('second')
      await first.seed()
      for (let cut = 1; cut <= 6; cut++) {
        await field.answered(cut * 80)
        const name = cut % 2 === 0 ? 'erace first shard 0' : 'erace second shard 0'
        await cutConnections(field.database.pool, name)
      }
      await field.untilFinished()
      assert.equal(requestsByUrl(field.site).size, 720)
      assert.equal(excessOf(field.site), 0)
      await assertStoredOnce(field)
      await first.shards.stop()
      await second.shards.stop()
    }),
  )

  test(
    'one that drains hands everything over, and gets its share again when it is called back',
    withField({ hosts: 4, pages: 10 }, async (field) => {
      const first = await field.startWorker('first')
      const second = await field.startWorker('second')
      await until(() => first.epochs.held().length === 128 && second.epochs.held().length === 128)
      first.shards.drain(true)
      await until(() => first.epochs.held().length === 0 && second.epochs.held().length === 256)
      await first.seed()
      await field.untilFinished()
      assert.equal(first.board.total('fetched'), 0)
      assert.equal(second.board.total('fetched'), 40)
      first.shards.drain(false)
      await until(() => first.epochs.held().length === 128 && second.epochs.held().length === 128)
    }),
  )

  test(
    'a database that is away for longer than a lease is waited for',
    withField({ hosts: 6, pages: 60, values: { 'cluster.lease': '2s' } }, async (field) => {
      const server = await postgres()
      if (process.env.ERACE_TEST_POSTGRES) return
      const first = await field.startWorker('first')
      await first.seed()
      await field.answered(60)
      await server.stop()
      await until(() => first.epochs.held().length === 0)
      assert.equal(first.board.total('paused'), 1)
      await server.start()
      await field.untilFinished()
      assert.equal(first.board.total('paused'), 0)
      assert.equal(requestsByUrl(field.site).size, 360)
      assert.ok(excessOf(field.site) <= first.board.total('refused') + 16)
      await assertStoredOnce(field)
    }),
  )
})
