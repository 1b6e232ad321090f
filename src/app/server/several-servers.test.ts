import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { loadConfig } from '../../config/load-config.ts'
import { createManualClock } from '../../core/clock.ts'
import { createAttempts } from '../../services/accounts/attempts.ts'
import { createRequestLimits } from '../../services/limits/request-limits.ts'
import { createPostgresRequestCounts } from '../../store/postgres/accounts/request-counts.ts'
import { createPostgresSignInFailures } from '../../store/postgres/accounts/sign-in.ts'
import { openPool, type PostgresPool } from '../../store/postgres/connection/pool.ts'
import { createDatabase, usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { postgresStores } from '../engines/postgres-stores.ts'
import { createChannelParts } from './channel-parts.ts'

usePostgres()

async function withServers(count: number, work: (pools: PostgresPool[]) => Promise<void>): Promise<void> {
  const database = await createDatabase()
  const { address } = database
  const pools = Array.from({ length: count }, () => openPool({ address, maxConnections: 3, name: 'server' }))
  try {
    await work(pools)
  } finally {
    for (const pool of pools) await pool.close()
    await database.destroy()
  }
}

describe('limits shared by several servers', () => {
  test('two servers that create profiles at the same time stay within the limit', () =>
    withServers(2, async (pools) => {
      const config = await loadConfig({ env: { ERACE_SERVER_MAXPROFILES: '5' }, values: {} })
      const clock = createManualClock()
      const services = pools.map(
        (pool) => createChannelParts({ config, stores: postgresStores(pool, [1, 2]), clock }).profiles,
      )
      const value = { name: 'Solar', sources: [{ uri: 'http://a.example/' }] }
      const outcomes = await Promise.all(
        Array.from({ length: 16 }, (_, n) => services[n % 2]!.create('ann@x.example', { form: 'json', value })),
      )
      assert.equal(outcomes.filter(({ kind }) => kind === 'profile').length, 5)
      const refused = outcomes.filter((outcome) => outcome.kind === 'invalid')
      assert.ok(refused.every(({ errors }) => errors[0]!.message === 'you have 5 profiles; the maximum is 5'))
      assert.equal((await services[0]!.list('ann@x.example', { after: '', limit: 99 })).length, 5)
    }))

  test('three servers together check no more password guesses than one', () =>
    withServers(3, async (pools) => {
      const clock = createManualClock()
      const servers = pools.map((pool) => createAttempts({ failures: createPostgresSignInFailures(pool), clock }))
      let checked = 0
      const guesses = Array.from({ length: 90 }, (_, n) =>
        servers[n % 3]!.guard({ email: `${n}@x.example`, address: '192.0.2.1', device: null }, async () => {
          checked++
          return false
        }),
      )
      const kinds = (await Promise.all(guesses)).map(({ kind }) => kind)
      assert.deepEqual([checked, kinds.filter((kind) => kind === 'wait').length], [20, 70])
    }))

  test('the limit of requests per minute applies to all servers together', () =>
    withServers(2, async (pools) => {
      const clock = createManualClock()
      const exchanges: Promise<unknown>[] = []
      const problems: string[] = []
      const servers = pools.map((pool) => {
        const counts = createPostgresRequestCounts(pool)
        return createRequestLimits({
          perMinute: 100,
          clock,
          shared: {
            add(window, given) {
              const done = counts.add(window, given)
              exchanges.push(done)
              return done
            },
          },
          onProblem: (message) => problems.push(message),
        })
      })
      // Before half a second has passed: counts of a key that has used up a share of its limit are exchanged at once.
      let early = 0
      for (let n = 0; n < 400; n++) {
        if (servers[n % 2]!.take('address 192.0.2.7') === 0) early++
        await Promise.all(exchanges)
      }
      assert.ok(early >= 100 && early <= 110, String(early))
      let allowed = 0
      for (let n = 0; n < 400; n++) {
        if (servers[n % 2]!.take('address 192.0.2.1') === 0) allowed++
        // Servers exchange their counts every half second.
        if (n % 10 === 9) {
          clock.advance(501)
          await Promise.all(exchanges)
        }
      }
      assert.ok(allowed >= 100 && allowed <= 120, String(allowed))
      assert.equal(servers[0]!.take('account 7'), 0)
      clock.advance(60_000)
      assert.equal(servers[0]!.take('address 192.0.2.1'), 0)
      assert.deepEqual(problems, [])
      await Promise.all(exchanges)
    }))
})
