import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '../../../core/clock.ts'
import { isAppError } from '../../../core/errors.ts'
import type { PartitionGrant, PartitionLeases } from '../../contracts/cluster/partition-leases.ts'
import type { PostgresPool } from '../connection/pool.ts'
import { createDatabase, type TestDatabase, usePostgres } from '../testkit/postgres.testkit.ts'
import { createLeaderLease } from './leader.ts'
import { createPartitionLeases } from './leases.ts'

usePostgres()

function withDatabase(work: (database: TestDatabase) => Promise<void>): () => Promise<void> {
  return async () => {
    const database = await createDatabase()
    try {
      await work(database)
    } finally {
      await database.destroy()
    }
  }
}

type Holder = PartitionLeases & {
  granted: PartitionGrant[]
  wanted: number[]
  lost: number[]
  /** Hands over the partitions asked for, like a shard with nothing in flight. */
  giveWanted(): Promise<void>
}

function holderOf(
  pool: PostgresPool,
  node: string,
  { name = node, shard = 0, clock = createManualClock() } = {},
): Holder {
  const told = { granted: [] as PartitionGrant[], wanted: [] as number[], lost: [] as number[] }
  const listener = {
    granted: (grants: readonly PartitionGrant[]) => void told.granted.push(...grants),
    wanted: (partitions: readonly number[]) => void told.wanted.push(...partitions),
    lost: (partitions: readonly number[]) => void told.lost.push(...partitions),
  }
  const leases = createPartitionLeases({ pool, node, name, shard, clock, listener })
  return { ...leases, ...told, giveWanted: () => leases.release(told.wanted.splice(0)) }
}

/** Makes the leases of this holder expire now, and the holder itself look gone. */
async function expire(pool: PostgresPool, { holder }: PartitionLeases): Promise<void> {
  await pool.query(`UPDATE leases SET until = now() - interval '1 ms' WHERE holder = $1`, [holder])
  await pool.query(`UPDATE holders SET until = now() - interval '1 ms' WHERE holder = $1`, [holder])
}

async function owners(pool: PostgresPool): Promise<Map<string | null, number>> {
  const rows = await pool.query<{ holder: string | null; n: number }>(
    'SELECT holder, count(*) AS n FROM leases GROUP BY holder',
  )
  return new Map(rows.map(({ holder, n }) => [holder, n]))
}

describe('partition leases', () => {
  test(
    'busy partitions are spread evenly over all holders',
    withDatabase(async ({ pool }) => {
      const holders = ['a', 'b', 'c'].map((node) => holderOf(pool, node))
      const settle = async (): Promise<void> => {
        for (let round = 0; round < 8; round++)
          for (const holder of holders) {
            await holder.heartbeat()
            await holder.giveWanted()
          }
      }
      await settle()
      // One holder has all busy partitions.
      const busy = holders[1]!.held().slice(0, 6)
      await pool.query('UPDATE frontiers SET queued = 500 WHERE partition = ANY($1)', [busy])
      await settle()
      const shares = holders.map((holder) => holder.held().filter((partition) => busy.includes(partition)).length)
      assert.deepEqual(shares, [2, 2, 2])
      assert.deepEqual(
        holders.map((holder) => holder.held().length).sort((x, y) => x - y),
        [85, 85, 86],
      )
      assert.equal((await owners(pool)).get(null), undefined)
      // Nothing moves any more.
      const before = holders.map((holder) => holder.held().length + holder.granted.length)
      await settle()
      assert.deepEqual(
        holders.map((holder) => holder.held().length + holder.granted.length),
        before,
      )
    }),
  )

  test(
    'with more threads than partitions, every process still holds at least one',
    withDatabase(async ({ pool }) => {
      await pool.query('UPDATE frontiers SET queued = 500')
      const processes = Array.from({ length: 150 }, (_, n) =>
        [0, 1].map((shard) => holderOf(pool, `node-${n}`, { shard })),
      )
      const holders = processes.flat()
      for (let round = 0; round < 3; round++)
        for (const holder of holders) {
          await holder.heartbeat()
          await holder.giveWanted()
        }
      const held = processes.map((threads) => threads.map((thread) => thread.held().length))
      assert.ok(
        held.every(([first]) => first === 1),
        'every first thread',
      )
      assert.equal(
        held.reduce((sum, [, second]) => sum + second!, 0),
        256 - 150,
      )
    }),
  )

  test(
    'a lone holder has everything and hands a fair share to a newcomer',
    withDatabase(async ({ pool }) => {
      const first = holderOf(pool, 'a')
      assert.deepEqual(await first.heartbeat(), { live: 1, share: 256, held: 256, twins: 0 })
      assert.ok(first.granted.every(({ recovered }) => !recovered))
      const second = holderOf(pool, 'b')
      assert.equal((await second.heartbeat()).held, 0)
      await first.heartbeat()
      assert.equal(first.wanted.length, 128)
      await first.heartbeat()
      assert.equal(first.wanted.length, 128)
      await first.giveWanted()
      assert.equal((await second.heartbeat()).held, 128)
      assert.ok(second.granted.every(({ recovered, epoch }) => !recovered && epoch === 2))
      assert.deepEqual([first.held().length, second.held().length], [128, 128])
    }),
  )

  test(
    'partitions of a dead holder are taken over and marked as recovered',
    withDatabase(async ({ pool }) => {
      const [first, second] = [holderOf(pool, 'a'), holderOf(pool, 'b')]
      await first.heartbeat()
      await expire(pool, first)
      const beat = await second.heartbeat()
      assert.deepEqual([beat.live, beat.held], [1, 256])
      assert.ok(second.granted.every(({ recovered, epoch }) => recovered && epoch === 2))
      await first.heartbeat()
      assert.equal(first.lost.length, 256)
      assert.deepEqual(first.held(), [])
    }),
  )

  test(
    'shares stay even while holders join, leave and die',
    withDatabase(async ({ pool }) => {
      const holders: Holder[] = []
      const settle = async (): Promise<void> => {
        for (let round = 0; round < 4; round++) {
          for (const holder of holders) {
            await holder.heartbeat()
            await holder.giveWanted()
          }
        }
      }
      const assertEven = async (): Promise<void> => {
        const share = Math.ceil(256 / holders.length)
        const least = Math.floor(256 / holders.length)
        const counts = [...(await owners(pool)).entries()]
        assert.equal(counts.find(([holder]) => holder === null)?.[1] ?? 0, 0)
        assert.deepEqual(new Set(counts.map(([holder]) => holder)), new Set(holders.map(({ holder }) => holder)))
        for (const [, n] of counts) assert.ok(n >= least && n <= share, `${n} of ${least} to ${share}`)
      }
      for (const [step, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
        holders.push(holderOf(pool, name))
        await settle()
        assert.equal(holders.length, step + 1)
        await assertEven()
      }
      await holders.shift()!.leave()
      await settle()
      await assertEven()
      await expire(pool, holders.shift()!)
      await settle()
      await assertEven()
      const all = holders.flatMap((holder) => holder.held())
      assert.equal(new Set(all).size, 256)
      assert.equal(all.length, 256)
    }),
  )

  test(
    'a late heartbeat does not bring back a holder that has left',
    withDatabase(async ({ pool }) => {
      const holder = holderOf(pool, 'a')
      await holder.heartbeat()
      const leaving = holder.leave()
      await Promise.all([leaving, holder.heartbeat()])
      await holder.heartbeat()
      assert.deepEqual(await pool.query('SELECT holder FROM holders'), [])
      assert.deepEqual([...(await owners(pool)).keys()], [null])
    }),
  )

  test(
    'concurrent holders never take the same partition',
    withDatabase(async ({ pool }) => {
      const holders = Array.from({ length: 8 }, (_, n) => holderOf(pool, `n${n}`))
      for (let round = 0; round < 6; round++) {
        await Promise.all(holders.map((holder) => holder.heartbeat()))
        await Promise.all(holders.map((holder) => holder.giveWanted()))
      }
      assert.deepEqual(
        holders.map((holder) => holder.held().length),
        new Array(8).fill(32),
      )
      assert.equal(new Set(holders.flatMap((holder) => holder.held())).size, 256)
    }),
  )

  test(
    'a holder that cannot renew gives up before its lease ends and restarts with a new epoch',
    withDatabase(async ({ pool }) => {
      const clock = createManualClock()
      const holder = holderOf(pool, 'a', { clock })
      await holder.heartbeat()
      clock.advance(13_000)
      holder.expire()
      assert.equal(holder.lost.length, 0)
      assert.equal(holder.epochOf(7), 1)
      clock.advance(1_000)
      assert.equal(holder.epochOf(7), null)
      holder.expire()
      assert.equal(holder.lost.length, 256)
      assert.equal((await holder.heartbeat()).held, 256)
      assert.equal(holder.epochOf(7), 2)
      assert.equal(holder.granted.filter(({ recovered }) => recovered).length, 256)
    }),
  )

  test(
    'two workers with the same name hold different leases and detect each other',
    withDatabase(async ({ pool }) => {
      const [first, second] = [holderOf(pool, 'id-1', { name: 'w' }), holderOf(pool, 'id-2', { name: 'w' })]
      assert.notEqual(first.holder, second.holder)
      assert.equal((await first.heartbeat()).twins, 0)
      assert.equal((await second.heartbeat()).twins, 1)
      assert.equal((await first.heartbeat()).twins, 1)
    }),
  )

  test(
    'a draining holder hands over everything and no longer counts',
    withDatabase(async ({ pool }) => {
      const [first, second] = [holderOf(pool, 'a'), holderOf(pool, 'b')]
      await first.heartbeat()
      first.drain()
      await first.heartbeat()
      await first.giveWanted()
      assert.deepEqual(await second.heartbeat(), { live: 1, share: 256, held: 256, twins: 0 })
      assert.equal((await first.heartbeat()).held, 0)
    }),
  )

  test(
    'a handover is clean, and leaving late frees nothing that another holder took',
    withDatabase(async ({ pool }) => {
      const [first, second] = [holderOf(pool, 'a'), holderOf(pool, 'b')]
      await first.heartbeat()
      await expire(pool, first)
      await second.heartbeat()
      await first.leave()
      assert.equal((await owners(pool)).get(second.holder), 256)
      await second.leave()
      assert.equal((await owners(pool)).get(null), 256)
      const third = holderOf(pool, 'c')
      await third.heartbeat()
      assert.ok(third.granted.every(({ recovered }) => !recovered))
    }),
  )

  test(
    'a takeover waits for a transaction that passed the fence, while a renewal does not',
    withDatabase(async ({ pool }) => {
      const [first, second] = [holderOf(pool, 'a'), holderOf(pool, 'b')]
      await first.heartbeat()
      await pool.transaction(async (tx) => {
        await tx.query('SELECT fence(7::smallint, 1)')
        await first.heartbeat()
        await expire(pool, first)
        await second.heartbeat()
        assert.equal(second.epochOf(7), null)
        assert.equal(second.held().length, 255)
      })
      await second.heartbeat()
      assert.equal(second.epochOf(7), 2)
      await assert.rejects(pool.query('SELECT fence(7::smallint, 1)'), (error) => isAppError(error, 'lease-lost'))
    }),
  )
})

describe('leader lease', () => {
  const leaderOf = (pool: PostgresPool, holder: string, clock = createManualClock()) =>
    createLeaderLease({ pool, name: 'scheduler', holder, clock })

  test(
    'one holder leads, others follow, and each new leader gets a later epoch',
    withDatabase(async ({ pool }) => {
      const [first, second] = [leaderOf(pool, 'a'), leaderOf(pool, 'b')]
      assert.deepEqual(await first.beat(), { kind: 'leads', epoch: 1, changed: true })
      assert.deepEqual(await second.beat(), { kind: 'follows', leader: 'a' })
      assert.deepEqual(await first.beat(), { kind: 'leads', epoch: 1, changed: false })
      await pool.query(`UPDATE leaders SET until = now() - interval '1 ms'`)
      assert.deepEqual(await second.beat(), { kind: 'leads', epoch: 2, changed: true })
      assert.deepEqual(await first.beat(), { kind: 'follows', leader: 'b' })
      assert.equal(first.epoch(), null)
      await first.release()
      assert.deepEqual(await second.beat(), { kind: 'leads', epoch: 2, changed: false })
      await second.release()
      assert.deepEqual(await first.beat(), { kind: 'leads', epoch: 3, changed: true })
    }),
  )

  test(
    'a leader that could not renew in time no longer leads',
    withDatabase(async ({ pool }) => {
      const clock = createManualClock()
      const leader = leaderOf(pool, 'a', clock)
      await leader.beat()
      assert.equal(leader.epoch(), 1)
      clock.advance(14_000)
      assert.equal(leader.epoch(), null)
    }),
  )
})
