import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { snapshotOf } from '../../src/cli/top/top.testkit.ts'
import { topReport } from '../../src/cli/top/top-screen.ts'
import { createPostgresNodes } from '../../src/store/postgres/cluster/nodes.ts'
import { createDatabase, type TestDatabase, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { nodeStateOf, problemOf } from '../../src/store/rules/node-state.ts'
import type { EraceProcess } from '../kit/erace.ts'
import { until } from '../watch/up-run.ts'
import { startInCluster, startWorker } from './worker-process.ts'

usePostgres()

async function whileLocked({ pool }: TestDatabase, table: string, work: () => Promise<void>): Promise<void> {
  await pool.transaction(async (tx) => {
    await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0')
    await tx.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    await work()
  })
}

async function assertEndsWell(process: EraceProcess): Promise<void> {
  const { exitCode, stderr } = await process.stop()
  assert.equal(exitCode, 0, stderr)
  assert.doesNotMatch(stderr, /can't be reached|does not answer/)
  assert.equal(stderr.split('the store works again').length, 2, 'it is said once')
}

describe('a table locked by another session', () => {
  test('a worker taking over partitions reports what it is waiting for in its log and in top', async () => {
    const database = await createDatabase()
    const nodes = createPostgresNodes(database.pool)
    const find = async () => {
      const [node] = await nodes.list()
      return node === undefined ? null : { node, state: nodeStateOf(node, { leaseMs: 60_000, paused: false }) }
    }
    let worker: EraceProcess | undefined
    await whileLocked(database, 'frontiers', async () => {
      worker = startWorker(database.address, 'held-up')
      await worker.logs('waiting for the store: taking over partitions')
      await until('a node that waits', async () => (await find())?.state === 'waiting')
      const { node } = (await find())!
      assert.match(problemOf(node), /^waiting: .*taking over partitions since 2\d{3}-.*Z: no answer yet/)
      const top = topReport(snapshotOf({ nodes: [node] }), 60_000)
      assert.match(top, /held-up .* waiting .* waiting: .*taking over partitions/)
    })
    await worker!.logs('the store works again')
    await until('a node that works', async () => (await find())?.state === 'running')
    await assertEndsWell(worker!)
    await database.destroy()
  })

  test('a server reports a waiting heartbeat in /readyz and in its log', async () => {
    const database = await createDatabase()
    const server = startInCluster(database.address, ['serve', '--json', '--port', '0'])
    const { url } = await server.ready<{ url: string }>()
    const readiness = async (): Promise<{ status: string; reasons?: string[] }> =>
      (await (await fetch(new URL('/readyz', url))).json()) as { status: string }
    await until('a server that is ready', async () => (await readiness()).status === 'ready')
    await whileLocked(database, 'nodes', async () => {
      await until('a reason', async () => {
        const { reasons = [] } = await readiness()
        return reasons.some((reason) => /^waiting: heartbeat since 2\d{3}-.*Z \(no answer yet\)$/.test(reason))
      })
      await server.logs('waiting for the store: heartbeat')
    })
    await server.logs('the store works again')
    await until('a server that is ready again', async () => (await readiness()).status === 'ready')
    await assertEndsWell(server)
    await database.destroy()
  })
})
