import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FrontierStore, HostState } from '../../contracts/frontier.ts'
import { openOne, openTwo, type StoreEngine, withSystem } from '../engine.testkit.ts'
import { batchOf, offerOf, offersOf, queuedUrls, queueOf } from '../samples.testkit.ts'

/** Hosts: their clocks, their order, giving them up, their robots.txt. */
export function frontierHostSuite(engine: StoreEngine): void {
  describe(`frontier hosts (${engine.name})`, () => {
    test(
      'hosts with queued requests are listed by their next request time, without excluded ones',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const names = [0, 1, 2, 3].map((n) => system.hostOf(0, n))
        await frontier.offer(names.map((host) => offerOf(host, '/')))
        const ids = await idsOf(frontier)
        const [late, soon, never, middle] = names.map((name) => ids.get(name)!)
        const clockOf = (id: number, nextAt: number) => ({ id, nextAt, failures: 0, rests: 0 })
        const done = (await queueOf(frontier)).filter(({ hostId }) => hostId === never)
        const hosts = [clockOf(late!, 9_000.4), clockOf(soon!, 1_000), clockOf(middle!, 5_000), clockOf(never!, 0)]
        await frontier.settle(batchOf({ done, hosts }))
        const order = async (limit: number, except: number[]) =>
          (await frontier.hosts(limit, new Set(except))).map(({ id }) => id)
        assert.deepEqual(await order(9, []), [soon, middle, late])
        assert.deepEqual(await order(2, []), [soon, middle])
        assert.deepEqual(await order(2, [soon!]), [middle, late])
        assert.deepEqual(await order(9, [soon!, middle!, late!]), [])
      }),
    )

    test(
      'the clock of a host is stored with its failures and rests',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        await frontier.offer(offersOf(system.hostOf(0, 0), 2))
        const { id } = (await frontier.hosts(1, new Set()))[0]!
        await frontier.settle(batchOf({ hosts: [{ id, nextAt: 1_767_225_600_123, failures: 4, rests: 2 }] }))
        await system.close()
        const reopened = await openOne(system)
        assertHost(await firstHost(reopened.frontier), {
          id,
          host: system.hostOf(0, 0),
          queued: 2,
          nextAt: 1_767_225_600_123,
          failures: 4,
          rests: 2,
        })
      }),
    )

    test(
      'giving up a host empties its queue and rejects later links in the same run',
      withSystem(engine, {}, async (system) => {
        const { frontier } = await openOne(system)
        const [bad, good] = [system.hostOf(0, 0), system.hostOf(0, 1)]
        await frontier.offer([...offersOf(bad, 4), ...offersOf(good, 2)])
        const inHand = (await queueOf(frontier)).filter(({ host }) => host === bad)
        const { hostId } = inHand[0]!
        assert.deepEqual(await frontier.giveUp(hostId), { dropped: 4, watches: new Map() })
        assert.deepEqual(await frontier.giveUp(hostId), { dropped: 0, watches: new Map() })
        assert.deepEqual(frontier.counts(), { queued: 2, seen: 6, hosts: 2, givenUp: 1 })
        const counts = await frontier.settle(
          batchOf({ offers: [offerOf(bad, '/0'), offerOf(bad, '/new')], done: [inHand[0]!], again: [inHand[1]!] }),
        )
        assert.deepEqual(counts, { accepted: 0, known: 1, limited: 1, removed: 0, watches: new Map() })
        assert.deepEqual(
          await queuedUrls(frontier),
          offersOf(good, 2).map(({ url }) => url),
        )
        assert.deepEqual(await frontier.giveUp(424_242), { dropped: 0, watches: new Map() })
      }),
    )

    test(
      'a given-up host stays given up after a restart and gets another chance in the next run',
      withSystem(engine, {}, async (system) => {
        const host = system.hostOf(0, 0)
        const first = await openOne(system)
        await first.frontier.offer(offersOf(host, 2))
        await first.frontier.giveUp((await firstHost(first.frontier)).id)
        await system.kill()
        const second = await openOne(system)
        assert.equal((await second.frontier.offer([offerOf(host, '/new')])).limited, 1)
        assert.equal(second.frontier.counts().givenUp, 1)
        await system.close()
        const third = await openOne(system, 2)
        assert.equal(third.frontier.counts().givenUp, 0)
        assert.equal((await third.frontier.offer([offerOf(host, '/new')])).accepted, 1)
        assert.equal(third.frontier.counts().givenUp, 0)
      }),
    )

    test(
      'robots.txt is stored per origin, byte for byte, and the last one replaces earlier ones',
      withSystem(engine, { shards: 2 }, async (system) => {
        const [{ frontier }] = await openTwo(system)
        const origin = `http://${system.hostOf(0, 0)}`
        assert.equal(await frontier.loadRobots(origin), null)
        // Half a byte-order mark, Latin-1, UTF-8 and NUL: not valid as text in every database.
        const body = Buffer.from('\xef\xbbUser-agent: *\nDisallow: /\xe9\nDisallow: /\xc3\xa9\0\n', 'latin1')
        const rules = { kind: 'rules' as const, body, expiresAt: 5_000.5 }
        await frontier.saveRobots(origin, { kind: 'disallow-all', body: Buffer.alloc(0), expiresAt: 1 })
        await frontier.saveRobots(origin, rules)
        await frontier.saveRobots(`${origin}:8080`, { kind: 'allow-all', body: Buffer.alloc(0), expiresAt: 2 })
        await system.kill()
        const [reopened] = await openTwo(system)
        const kept = await reopened.frontier.loadRobots(origin)
        assert.equal(kept?.kind, 'rules')
        assert.deepEqual(Buffer.from(kept.body), body)
        assert.ok(Math.abs(kept.expiresAt - 5_000.5) < 1)
        assert.equal((await reopened.frontier.loadRobots(`${origin}:8080`))?.kind, 'allow-all')
      }),
    )

    test(
      'the table status is stored per origin, and the last one replaces earlier ones',
      withSystem(engine, { shards: 2 }, async (system) => {
        const [{ frontier }] = await openTwo(system)
        const origin = `http://${system.hostOf(0, 0)}`
        assert.equal(await frontier.loadTables(origin), null)
        await frontier.saveTables(origin, { kind: 'offered', expiresAt: 5_000 })
        await frontier.saveTables(origin, { kind: 'wrong', expiresAt: 7_000.5 })
        await frontier.saveTables(`${origin}:8080`, { kind: 'none', expiresAt: 2 })
        await system.kill()
        const [reopened] = await openTwo(system)
        const kept = await reopened.frontier.loadTables(origin)
        assert.equal(kept?.kind, 'wrong')
        assert.ok(Math.abs(kept.expiresAt - 7_000.5) < 1)
        assert.equal((await reopened.frontier.loadTables(`${origin}:8080`))?.kind, 'none')
      }),
    )
  })
}

async function firstHost(frontier: FrontierStore): Promise<HostState> {
  const [state] = await frontier.hosts(1, new Set())
  assert.ok(state)
  return state
}

async function idsOf(frontier: FrontierStore): Promise<Map<string, number>> {
  return new Map((await frontier.hosts(1000, new Set())).map(({ host, id }) => [host, id]))
}

/** Ignores further fields: an engine may keep more about a host than the contract defines. */
function assertHost(actual: HostState, expected: HostState): void {
  const { id, host, queued, nextAt, failures, rests } = actual
  assert.deepEqual({ id, host, queued, nextAt, failures, rests }, expected)
}
