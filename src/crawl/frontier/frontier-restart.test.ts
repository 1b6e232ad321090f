import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { offersOf } from '../../store/conformance/samples.testkit.ts'
import { pathsOf, type Taken, withField } from './frontier.testkit.ts'

const DAY_MS = 86_400_000

describe('frontier after a restart', () => {
  for (const how of ['close', 'kill'] as const) {
    test(
      `hands out exactly the unfinished requests (${how})`,
      withField({}, async (field) => {
        await field.offer(offersOf(field.hostOf(0), 6))
        const [done] = field.takeAll() as [Taken]
        await field.finish([done])
        const [inFlight] = field.takeAll() as [Taken]
        await field.restart(how)
        const rest: string[] = []
        for (let taken = field.takeAll(); taken.length > 0; taken = field.takeAll()) {
          rest.push(...pathsOf(taken))
          await field.finish(taken)
        }
        assert.deepEqual(rest, [...pathsOf([inFlight]), '/2', '/3', '/4', '/5'])
      }),
    )
  }

  test(
    'leaves a host alone for the rest of its pause',
    withField({ rules: { delayMs: 10_000 } }, async (field) => {
      await field.offer([...offersOf(field.hostOf(0), 2), ...offersOf(field.hostOf(1), 2)])
      const [first, second] = field.takeAll() as [Taken, Taken]
      await field.finish([first])
      field.clock.advance(4_000)
      await field.finish([second], [], { kind: 'slow-down', totalMs: 1, retryAfterMs: 60_000 })
      await field.restart('close')
      assert.deepEqual(field.takeAll(), [])
      assert.equal(field.frontier.nextDueAt()! - field.clock.monotonic(), 6_000)
      field.clock.advance(6_000)
      assert.deepEqual(
        field.takeAll().map(({ hostQueue }) => hostQueue.host),
        [first.hostQueue.host],
      )
      field.clock.advance(54_000)
      assert.deepEqual(
        field.takeAll().map(({ hostQueue }) => hostQueue.host),
        [second.hostQueue.host],
      )
    }),
  )

  test(
    'sends no host a request before its delay has passed since the kill',
    withField({ rules: { delayMs: 2_000 } }, async (field) => {
      await field.offer([0, 1, 2].flatMap((n) => offersOf(field.hostOf(n), 2)))
      const [first] = field.takeAll()
      await field.finish([first!])
      await field.restart('kill')
      field.clock.advance(1_999)
      assert.deepEqual(field.takeAll(), [])
      const restarted = field.clock.monotonic() - 1_999
      field.clock.advance(1)
      const taken = field.takeAll()
      assert.equal(taken.length, 3)
      // A worker that then learns a longer delay from robots.txt knows how long to wait.
      for (const { hostQueue } of taken) assert.equal(hostQueue.askedBefore, restarted)
    }),
  )

  test(
    'keeps the failure and rest counts of a host',
    withField({ rules: { failuresToRest: 3, maxRests: 1 } }, async (field) => {
      await field.offer(offersOf(field.hostOf(0), 9))
      const fail = async (): Promise<string> => {
        field.clock.advance(60_000)
        const [taken] = field.takeAll() as [Taken]
        const verdict = field.frontier.release(taken.hostQueue, { kind: 'failed', totalMs: 1 })
        await field.store.settle({
          offers: [],
          done: [taken.request],
          again: [],
          hosts: field.frontier.changedClocks(field.lease),
        })
        field.frontier.completed(taken.hostQueue, taken.request)
        return verdict
      }
      const verdicts = [await fail(), await fail()]
      await field.restart('kill')
      verdicts.push(await fail())
      assert.equal(field.frontier.counts().resting, 1)
      await field.restart('close')
      verdicts.push(await fail())
      assert.deepEqual(verdicts, ['goes-on', 'goes-on', 'rests', 'given-up'])
    }),
  )

  test(
    'keeps no host waiting beyond the longest rest if the wall clock was set back a day',
    withField({ rules: { delayMs: 1_000, restMaxMs: 60_000 } }, async (field) => {
      await field.offer([0, 1].flatMap((n) => offersOf(field.hostOf(n), 3)))
      await field.finish(field.takeAll())
      field.clock.jump(-DAY_MS)
      await field.restart('close')
      field.clock.advance(60_000)
      assert.equal(field.takeAll().length, 2)
    }),
  )

  test(
    'takes one request per host if the wall clock was set forward a day, then keeps the delay',
    withField({ rules: { delayMs: 1_000 } }, async (field) => {
      await field.offer([0, 1].flatMap((n) => offersOf(field.hostOf(n), 4)))
      await field.finish(field.takeAll())
      field.clock.jump(DAY_MS)
      await field.restart('close')
      const taken = field.takeAll()
      assert.equal(taken.length, 2)
      await field.finish(taken)
      assert.deepEqual(field.takeAll(), [])
      field.clock.advance(1_000)
      assert.equal(field.takeAll().length, 2)
    }),
  )

  test(
    'observes the pauses of the previous run in a new run',
    withField({ rules: { delayMs: 1_000 } }, async (field) => {
      const links = offersOf(field.hostOf(0), 1)
      await field.offer(links)
      await field.finish(field.takeAll())
      await field.restart('close', 2)
      await field.offer(links)
      assert.deepEqual(field.takeAll(), [])
      field.clock.advance(1_000)
      assert.equal(field.takeAll().length, 1)
    }),
  )
})
