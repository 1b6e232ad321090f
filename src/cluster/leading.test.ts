import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../core/clock.ts'
import type { SchedulerStats } from '../services/scheduler/scheduler-report.ts'
import type { CheckListener } from '../services/watching/watch-service.ts'
import { createPostgresEvents } from '../store/postgres/cluster/events.ts'
import { openPool } from '../store/postgres/connection/pool.ts'
import { startCuttingProxy } from '../store/postgres/testkit/cutting-proxy.testkit.ts'
import { createDatabase, usePostgres } from '../store/postgres/testkit/postgres.testkit.ts'
import { checkPayloads, checksChannel, createLeading, readCheckPayload } from './leading.ts'

usePostgres()

/** Payloads of a channel, read one at a time. */
function createPayloads() {
  const payloads: (string | null)[] = []
  let arrived = Promise.withResolvers<void>()
  return {
    hear(payload: string | null): void {
      payloads.push(payload)
      arrived.resolve()
    },
    async next(): Promise<string | null> {
      while (payloads.length === 0) {
        await arrived.promise
        arrived = Promise.withResolvers()
      }
      return payloads.shift()!
    },
  }
}

test('the leader announces a full reload after a failed notification', async () => {
  const database = await createDatabase()
  const proxy = await startCuttingProxy(database.address)
  const pool = openPool({ address: proxy.address, maxConnections: 1, name: 'leader' })
  const others = createPostgresEvents({ pool: database.pool })
  const { hear, next } = createPayloads()
  others.listen(checksChannel, hear)
  assert.equal(await next(), null)
  const leader = createPostgresEvents({ pool })
  const sent: Promise<void>[] = []
  let report: CheckListener = () => {}
  const leading = createLeading({
    epoch: 1,
    service: {
      checkNow: () => 'asked',
      onCheck(listener) {
        report = listener
      },
    },
    scheduler: { stats: () => ({}) as SchedulerStats },
    asked: { take: async () => [] },
    stats: { put: async () => {} },
    events: {
      listen: () => () => {},
      notify(channel, payload) {
        const sending = leader.notify(channel, payload)
        sent.push(sending)
        return sending
      },
    },
    clock: createManualClock(),
    onCheck() {},
  })

  report(7, 'begun')
  leading.afterTick()
  assert.deepEqual(readCheckPayload(await next()), { begun: [7], ended: [] })
  proxy.cutAt(1, 'before')
  report(7, 'ended')
  leading.afterTick()
  await assert.rejects(sent.at(-1)!)
  assert.equal(proxy.wasCut(), true)
  report(8, 'begun')
  leading.afterTick()
  assert.equal(await next(), '')
  assert.deepEqual(readCheckPayload(await next()), { begun: [8], ended: [] })
  // Missed notifications are announced only once.
  report(8, 'ended')
  leading.afterTick()
  assert.deepEqual(readCheckPayload(await next()), { begun: [], ended: [8] })

  await leader.close()
  await others.close()
  await pool.close()
  await proxy.close()
  await database.destroy()
})

test('many checks are split into payloads that fit the notification limit', () => {
  const checks = new Map<number, 'begun' | 'ended'>()
  for (let n = 0; n < 1000; n++) checks.set(Number.MAX_SAFE_INTEGER - n, n % 3 === 0 ? 'ended' : 'begun')
  const texts = checkPayloads(checks)
  assert.ok(texts.every((text) => Buffer.byteLength(text) < 8000))
  const read = new Map<number, 'begun' | 'ended'>()
  for (const text of texts) {
    for (const watch of readCheckPayload(text)!.begun) read.set(watch, 'begun')
    for (const watch of readCheckPayload(text)!.ended) read.set(watch, 'ended')
  }
  assert.deepEqual(read, new Map([...checks].sort(() => 0)))
})

test('an unreadable payload is read as null, and invalid ids are dropped', () => {
  for (const text of [null, '', '{', 'null', '7 8']) assert.equal(readCheckPayload(text), null)
  assert.deepEqual(readCheckPayload('{"begun":[1,"x",2.5],"ended":7}'), { begun: [1], ended: [] })
})
