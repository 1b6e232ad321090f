import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { configOf } from '../../config/load-config.ts'
import { createManualClock } from '../../core/clock.ts'
import { isAppError } from '../../core/errors.ts'
import { offersOf } from '../../store/conformance/samples.testkit.ts'
import { createPostgresNodes } from '../../store/postgres/cluster/nodes.ts'
import { createPostgresRuns } from '../../store/postgres/cluster/runs.ts'
import { schedulerRole } from '../../store/postgres/cluster/schedule.ts'
import { openPool } from '../../store/postgres/connection/pool.ts'
import { createPostgresFrontier } from '../../store/postgres/frontier/frontier.ts'
import { createLeaderLease } from '../../store/postgres/leases/leader.ts'
import { createDatabase, createEmptyDatabase, usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { distribute, migrate, control as openControl, schema } from './cluster.ts'

usePostgres()

const targetOf = (store: string | null) => ({ dataDir: '/nowhere', store, config: configOf({}) })

const signOf = (id: string, name: string) => ({
  id,
  name,
  role: 'worker' as const,
  host: 'example',
  pid: 7,
  stats: { perSecond: 3 },
})

describe('cluster control', () => {
  test('shows the current nodes, leases, leader, run and queue', async () => {
    const { pool, address, destroy } = await createDatabase()
    const control = await openControl(targetOf(address))
    assert.deepEqual(await control.snapshot(), {
      nodes: [],
      freePartitions: 256,
      paused: false,
      held: false,
      leader: '',
      run: null,
      queued: 0,
      seen: 0,
      hosts: 0,
      tasks: 0,
      heavyHosts: [],
      problem: null,
    })
    const nodes = createPostgresNodes(pool)
    await nodes.heartbeat(signOf('a-1', 'a'))
    await pool.query(`UPDATE leases SET holder = 'a-1/0/x', until = now() + interval '1 h' WHERE partition < 200`)
    await createLeaderLease({ pool, name: schedulerRole, holder: 'b-1', clock: createManualClock() }).beat()
    const { id } = await createPostgresRuns(pool).begin(1_000)
    const frontier = createPostgresFrontier({ pool, events: null, run: id, maxUrlsPerHost: 50 })
    await frontier.offer(offersOf('a.example', 3))
    await frontier.close()
    const busy = await control.snapshot()
    assert.deepEqual(
      [busy.nodes[0]!.partitions, busy.freePartitions, busy.leader, busy.run, busy.queued, busy.hosts],
      [200, 56, 'b-1', { id: 1, finished: false }, 3, 1],
    )
    await createPostgresRuns(pool).finish(id, 2_000)
    await nodes.remove('a-1')
    const later = await control.snapshot()
    assert.deepEqual([later.nodes, later.run], [[], { id: 1, finished: true }])
    await control.close()
    await destroy()
  })

  test('drains a node by id or unique name, and lists the existing nodes if none matches', async () => {
    const { pool, address, destroy } = await createDatabase()
    const control = await openControl(targetOf(address))
    const nodes = createPostgresNodes(pool)
    await assert.rejects(control.drain('a', true), (error) => isAppError(error, 'not-found'))
    for (const [id, name] of [
      ['a-1', 'a'],
      ['b-1', 'b'],
      ['b-2', 'b'],
    ] as const)
      await nodes.heartbeat(signOf(id, name))
    assert.equal(await control.drain('a', true), 'a-1')
    assert.equal(await control.drain('b-2', true), 'b-2')
    assert.deepEqual(
      (await control.snapshot()).nodes.map(({ draining }) => draining),
      [true, false, true],
    )
    await assert.rejects(control.drain('b', true), /2 nodes have this name; use an id: b-1, b-2$/)
    await assert.rejects(control.drain('c', true), /no node has the id or name c; there are: a, b$/)
    assert.equal(await control.drain('a-1', false), 'a-1')
    assert.equal((await nodes.heartbeat(signOf('a-1', 'a'))).draining, false)
    await control.close()
    await destroy()
  })

  test('pauses and resumes all nodes, visible to nodes and to other controls', async () => {
    const { pool, address, destroy } = await createDatabase()
    const [one, other] = [await openControl(targetOf(address)), await openControl(targetOf(address))]
    await one.pause(true)
    assert.equal((await other.snapshot()).paused, true)
    assert.equal((await createPostgresNodes(pool).heartbeat(signOf('a-1', 'a'))).paused, true)
    await other.pause(false)
    assert.equal((await one.snapshot()).paused, false)
    await one.close()
    await other.close()
    await destroy()
  })

  test('forgets nodes that are silent for a day', async () => {
    const { pool, address, destroy } = await createDatabase()
    const nodes = createPostgresNodes(pool)
    for (const id of ['young', 'old', 'lost']) await nodes.heartbeat(signOf(id, id))
    await pool.query(`UPDATE nodes SET seen_at = now() - interval '25 hours' WHERE id = 'old'`)
    await pool.query(`UPDATE nodes SET seen_at = now() - interval '23 hours' WHERE id = 'lost'`)
    const control = await openControl(targetOf(address))
    assert.deepEqual(
      (await control.snapshot()).nodes.map(({ id }) => id),
      ['lost', 'young'],
    )
    await control.close()
    await destroy()
  })

  test('rejects a database without the schema, with a hint to erace migrate', async () => {
    const { address, destroy } = await createEmptyDatabase()
    await assert.rejects(openControl(targetOf(address)), /lacks \d+ steps of the schema; erace migrate/)
    await destroy()
  })
})

describe('schema of a shared store', () => {
  test('is listed as missing, applied once, and listed as applied', async () => {
    const { address, destroy } = await createEmptyDatabase()
    const pool = openPool({ address, maxConnections: 1, name: 'test' })
    const target = targetOf(address)
    const before = await schema(target)
    assert.ok(before.steps.every(({ appliedAt }) => appliedAt === null))
    assert.match(before.server, /^PostgreSQL \d+/)
    assert.deepEqual(await pool.query(`SELECT to_regclass('migrations')::text AS name`), [{ name: null }])
    assert.deepEqual(
      await migrate(target),
      before.steps.map(({ id }) => id),
    )
    assert.deepEqual(await migrate(target), [])
    const after = await schema(target)
    assert.ok(after.steps.every(({ appliedAt }) => /^\d{4}-\d\d-\d\dT.*Z$/.test(appliedAt ?? '')))
    if (!after.citus) await assert.rejects(distribute(target), (error) => isAppError(error, 'store-refused'))
    await pool.close()
    await destroy()
  })

  test('does not exist in a data folder', async () => {
    await assert.rejects(migrate(targetOf(null)), (error) => isAppError(error, 'usage-wrong'))
    await assert.rejects(openControl(targetOf(null)), (error) => isAppError(error, 'usage-wrong'))
  })
})
