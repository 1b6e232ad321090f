import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { offerOf, offersOf } from '../../store/conformance/samples.testkit.ts'
import { answered, type Field, nextTurn, pathsOf, type Taken, withField } from './frontier.testkit.ts'

const DAY_MS = 86_400_000

/** Takes and finishes until no requests are left, advancing the clock whenever hosts have to wait. */
async function crawlAll(field: Field): Promise<Taken[]> {
  const all: Taken[] = []
  for (let idle = 0; idle < 3; ) {
    const taken = field.takeAll()
    all.push(...taken)
    await field.finish(taken)
    const due = field.frontier.nextDueAt()
    if (due !== undefined) field.clock.advance(Math.max(0, due - field.clock.monotonic()))
    idle = taken.length === 0 && due === undefined ? idle + 1 : 0
  }
  return all
}

const hostsOf = (taken: readonly Taken[]): string[] => taken.map(({ request }) => request.host)

describe('frontier', () => {
  test(
    'lets hosts take turns',
    withField({}, async (field) => {
      const hosts = [0, 1, 2].map(field.hostOf)
      await field.offer(hosts.flatMap((host) => offersOf(host, 3)))
      for (const round of ['/0', '/1', '/2']) {
        const taken = field.takeAll()
        assert.deepEqual(hostsOf(taken), hosts)
        assert.deepEqual(pathsOf(taken), [round, round, round])
        await field.finish(taken)
      }
      assert.deepEqual(field.frontier.counts(), { active: 0, waiting: 0, resting: 0 })
    }),
  )

  test(
    'lets hosts take turns with several requests per host',
    withField({ perHost: 2 }, async (field) => {
      const [one, two] = [field.hostOf(0), field.hostOf(1)]
      await field.offer([...offersOf(one, 5), ...offersOf(two, 5)])
      assert.deepEqual(hostsOf(field.takeAll()), [one, two, one, two])
    }),
  )

  test(
    'limits the requests in flight per host',
    withField({ perHost: 3 }, async (field) => {
      await field.offer(offersOf(field.hostOf(0), 10))
      const first = field.takeAll()
      assert.equal(first.length, 3)
      await field.finish(first.slice(0, 1))
      assert.deepEqual(pathsOf(field.takeAll()), ['/3'])
      assert.deepEqual(field.takeAll(), [])
    }),
  )

  test(
    'serves sixteen pages per turn, on one connection, if there are more hosts than connections',
    withField({ perHost: 8, keptConnections: 1 }, async (field) => {
      const [one, two] = [field.hostOf(0), field.hostOf(1)]
      await field.offer([...offersOf(one, 20), ...offersOf(two, 20)])
      const asked: string[] = []
      for (let page = 0; page < 34; page++) {
        const taken = field.frontier.take()!
        asked.push(taken.request.host)
        await field.finish([taken])
      }
      const times = (host: string, pages: number): string[] => new Array<string>(pages).fill(host)
      assert.deepEqual(asked, [...times(one, 16), ...times(two, 16), ...times(one, 2)])
      assert.deepEqual(hostsOf(field.takeAll()), [one, two])
    }),
  )

  test(
    'serves pages further from the seeds only after all hosts have had a turn',
    withField({ keptConnections: 1 }, async (field) => {
      const [one, two] = [field.hostOf(0), field.hostOf(1)]
      const pages = (host: string) => [
        ...offersOf(host, 2),
        offerOf(host, '/far', { hops: 2, priority: 2 }),
        offerOf(host, '/far/too', { hops: 2, priority: 2 }),
      ]
      await field.offer([...pages(one), ...pages(two)])
      const asked: string[] = []
      for (let page = 0; page < 8; page++) {
        const taken = field.frontier.take()!
        asked.push(taken.request.host)
        await field.finish([taken])
      }
      assert.deepEqual(asked, [one, one, two, two, one, one, two, two])
    }),
  )

  test(
    'gives a host with a delay all its connections instead of longer turns',
    withField({ perHost: 2, keptConnections: 1, rules: { delayMs: 3 } }, async (field) => {
      const [one, two] = [field.hostOf(0), field.hostOf(1)]
      await field.offer([...offersOf(one, 3), ...offersOf(two, 3)])
      assert.deepEqual(hostsOf(field.takeAll()), [one, two])
      field.clock.advance(3)
      assert.deepEqual(hostsOf(field.takeAll()), [one, two])
    }),
  )

  test(
    'does not stall if the clock advances while it looks for a host',
    withField({ perHost: 2, rules: { delayMs: 3 } }, async (field) => {
      const [one, two] = [field.hostOf(0), field.hostOf(1)]
      await field.offer([...offersOf(one, 3), ...offersOf(two, 1)])
      const first = field.frontier.take()!
      field.clock.advance(3)
      assert.equal(field.frontier.take()!.request.host, two)
      // The first host is in the ring; its answer moves its clock just ahead of now.
      field.frontier.release(first.hostQueue, answered)
      const now = field.clock.monotonic()
      let questions = 0
      field.clock.monotonic = () => (questions++ === 0 ? now : now + 100)
      const next = field.frontier.take()
      assert.equal(next?.request.host, one)
    }),
  )

  test(
    'the delay runs from the end of one request to the start of the next',
    withField({ rules: { delayMs: 1_000 } }, async (field) => {
      await field.offer(offersOf(field.hostOf(0), 3))
      const first = field.takeAll()
      assert.equal(first.length, 1, 'the first needs no pause')
      field.clock.advance(700)
      await field.finish(first)
      assert.equal(field.frontier.nextDueAt(), 1_700)
      field.clock.advance(999)
      assert.deepEqual(field.takeAll(), [])
      field.clock.advance(1)
      assert.deepEqual(pathsOf(field.takeAll()), ['/1'])
    }),
  )

  test(
    'with several connections the delay runs from start to start',
    withField({ perHost: 2, rules: { delayMs: 1_000 } }, async (field) => {
      await field.offer(offersOf(field.hostOf(0), 4))
      assert.equal(field.takeAll().length, 1)
      field.clock.advance(1_000)
      assert.equal(field.takeAll().length, 1)
      field.clock.advance(1_000)
      assert.equal(field.takeAll().length, 0, 'both connections are in use')
    }),
  )

  test(
    'ignores wall clock jumps while the crawl runs',
    withField({ rules: { delayMs: 1_000 } }, async (field) => {
      await field.offer(offersOf(field.hostOf(0), 20))
      for (const jump of [DAY_MS, -2 * DAY_MS, DAY_MS]) {
        await field.finish(field.takeAll())
        field.clock.jump(jump)
        field.clock.advance(999)
        assert.deepEqual(field.takeAll(), [])
        field.clock.advance(1)
        const taken = field.takeAll()
        assert.equal(taken.length, 1)
        await field.finish(taken)
        field.clock.advance(1_000)
      }
    }),
  )

  test(
    'does not let a slow host delay others',
    withField({}, async (field) => {
      await field.offer([...offersOf(field.hostOf(0), 5), ...offersOf(field.hostOf(1), 50)])
      const [slow, quick] = field.takeAll() as [Taken, Taken]
      await field.finish([quick])
      const rest = await crawlAll(field)
      assert.equal(rest.length, 49)
      assert.ok(rest.every(({ hostQueue }) => hostQueue !== slow.hostQueue))
      await field.finish([slow])
      assert.equal((await crawlAll(field)).length, 4)
    }),
  )

  test(
    'serves all hosts even if there are more than it has room for',
    withField({ maxHostQueues: 2 }, async (field) => {
      const links = Array.from({ length: 15 }, (_, n) => offersOf(field.hostOf(n), 3)).flat()
      for (let at = 0; at < links.length; at += 7) await field.offer(links.slice(at, at + 7))
      const all = await crawlAll(field)
      assert.deepEqual(all.map(({ request }) => request.url).sort(), links.map(({ url }) => url).sort())
      assert.equal(field.store.counts().queued, 0)
    }),
  )

  test(
    'serves all hosts left on disk by an earlier process',
    withField({ maxHostQueues: 3 }, async (field) => {
      await field.offer(Array.from({ length: 20 }, (_, n) => offersOf(field.hostOf(n), 2)).flat())
      await field.restart('close')
      assert.ok(field.frontier.counts().active <= 3)
      assert.equal((await crawlAll(field)).length, 40)
    }),
  )

  test(
    'hands out a queue longer than its buffer in order, each request once',
    withField({ bufferRows: 8 }, async (field) => {
      for (let at = 0; at < 600; at += 100) {
        await field.offer(Array.from({ length: 100 }, (_, n) => offerOf(field.hostOf(0), `/${at + n}`)))
      }
      const all = await crawlAll(field)
      assert.deepEqual(
        pathsOf(all),
        Array.from({ length: 600 }, (_, n) => `/${n}`),
      )
    }),
  )

  test(
    'hands out links that go before everything queued first, each once, however many there are',
    withField({ bufferRows: 4, perHost: 2 }, async (field) => {
      const host = field.hostOf(0)
      const queued = offersOf(host, 30, { priority: 100 })
      await field.offer(queued)
      for (let round = 1; field.store.counts().queued > 0; round++) {
        const taken = field.takeAll()
        for (const { request } of taken) assert.equal(request.url, queued.shift()?.url)
        const links = Array.from({ length: 25 }, (_, n) => offerOf(host, `/${round}/${n}`, { priority: 100 - round }))
        if (round <= 20) queued.unshift(...links)
        await field.finish(taken, round <= 20 ? links : [])
        assert.ok(round < 2_000, 'the queue does not end')
      }
      assert.deepEqual(queued, [])
    }),
  )

  test(
    'hands out a request put back at once, and a postponed one after the pause',
    withField({ rules: { delayMs: 500 } }, async (field) => {
      await field.offer(offersOf(field.hostOf(0), 2))
      const [first] = field.takeAll() as [Taken]
      field.frontier.putBack(first.hostQueue, first.request)
      const [again] = field.takeAll() as [Taken]
      assert.equal(again.request, first.request)
      field.frontier.postpone(again.hostQueue, again.request, answered)
      assert.deepEqual(field.takeAll(), [])
      field.clock.advance(500)
      assert.equal((field.takeAll() as [Taken])[0].request, first.request)
    }),
  )

  test(
    'without a delay, hands out a postponed request first, then other hosts in turn',
    withField({}, async (field) => {
      const [one, two] = [field.hostOf(0), field.hostOf(1)]
      await field.offer([...offersOf(one, 2), ...offersOf(two, 2)])
      const first = field.frontier.take()!
      field.frontier.postpone(first.hostQueue, first.request, answered)
      const second = field.takeAll()
      assert.deepEqual(hostsOf(second), [one, two])
      assert.equal(second[0]!.request, first.request)
      await field.finish(second)
      assert.deepEqual(pathsOf(field.takeAll()), ['/1', '/1'])
    }),
  )

  test(
    'respects a pause requested by a host, even with other requests in flight',
    withField({ perHost: 4 }, async (field) => {
      await field.offer(offersOf(field.hostOf(0), 9))
      const [first, second, third] = field.takeAll() as [Taken, Taken, Taken, Taken]
      await field.finish([first])
      await field.finish([second], [], { kind: 'slow-down', totalMs: 1, retryAfterMs: 30_000 })
      await field.finish([third])
      assert.deepEqual(field.takeAll(), [])
      field.clock.advance(29_999)
      assert.deepEqual(field.takeAll(), [])
      field.clock.advance(1)
      assert.equal(field.takeAll().length, 3)
    }),
  )

  test(
    'hands out nothing more for a host that was given up',
    withField({ rules: { failuresToRest: 1, maxRests: 0 } }, async (field) => {
      await field.offer(offersOf(field.hostOf(0), 5))
      const [taken] = field.takeAll() as [Taken]
      assert.equal(field.frontier.release(taken.hostQueue, { kind: 'failed', totalMs: 1 }), 'given-up')
      assert.deepEqual(field.takeAll(), [])
      field.frontier.drop(taken.hostQueue)
      assert.equal((await field.store.giveUp(taken.hostQueue.id)).dropped, 5)
      field.frontier.completed(taken.hostQueue, taken.request)
      await nextTurn()
      assert.deepEqual(field.takeAll(), [])
      assert.equal(field.frontier.counts().active, 0)
    }),
  )

  test(
    'hands out a retried request once more, after the others',
    withField({}, async (field) => {
      await field.offer(offersOf(field.hostOf(0), 2))
      const [first] = field.takeAll() as [Taken]
      field.frontier.release(first.hostQueue, answered)
      const again = [{ ...first.request, attempts: 1 }]
      await field.store.settle({ offers: [], done: [], again, hosts: [] })
      field.frontier.completed(first.hostQueue, first.request)
      const rest = await crawlAll(field)
      assert.deepEqual(pathsOf(rest), ['/1', '/0'])
      assert.equal(rest[1]!.request.attempts, 1)
    }),
  )
})
