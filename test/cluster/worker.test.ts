import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, test } from 'node:test'
import { createPostgresNodes } from '../../src/store/postgres/cluster/nodes.ts'
import { openPool } from '../../src/store/postgres/connection/pool.ts'
import { createDatabase, postgres, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { until } from '../watch/up-run.ts'
import { type Joined, startInCluster, startWorker } from './worker-process.ts'

usePostgres()

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('a starting worker', () => {
  test('creates a missing schema, registers itself, and gives up its partitions when drained', async () => {
    const { address } = await postgres()
    const target = new URL(address)
    target.pathname = '/worker_begins'
    const admin = openPool({ address, maxConnections: 1, name: 'admin' })
    await admin.query('CREATE DATABASE worker_begins')
    const pool = openPool({ address: target.href, maxConnections: 2, name: 'test' })
    const worker = startWorker(target.href, 'first')
    const { node, name } = await worker.ready<Joined>()
    assert.equal(name, 'first')
    const nodes = createPostgresNodes(pool)
    await until('all partitions', async () => (await nodes.list())[0]?.partitions === 256)
    const [shown] = await nodes.list()
    assert.deepEqual([shown?.id, shown?.name, shown?.role, shown?.draining], [node, 'first', 'worker', false])
    assert.ok(Number(shown?.stats.rssBytes) > 0)
    await nodes.drain(node, true)
    await until('a drained node', async () => (await nodes.list())[0]?.partitions === 0)
    await nodes.drain(node, false)
    await until('all partitions again', async () => (await nodes.list())[0]?.partitions === 256)
    assert.equal((await worker.stop()).exitCode, 0)
    assert.deepEqual(await nodes.list(), [])
    await pool.close()
    await admin.query('DROP DATABASE worker_begins WITH (FORCE)')
    await admin.close()
  })

  test('fails immediately on a wrong password, a missing database, a newer schema or no address', async () => {
    const { address, pool, destroy } = await createDatabase()
    const wrong = new URL(address)
    wrong.password = 'nonsense'
    const missing = new URL(address)
    missing.pathname = '/there_is_no_such_database'
    await pool.query(`INSERT INTO migrations (id, name) VALUES (999, 'from the future')`)
    const ends = await Promise.all(
      [wrong.href, missing.href, address, ''].map((store) => startWorker(store, 'w').ended),
    )
    const codes = ends.map(({ exitCode }) => exitCode)
    assert.deepEqual(codes, [1, 1, 1, 2])
    assert.match(ends[0]!.stdout, /password authentication failed/)
    assert.match(ends[1]!.stdout, /does not exist/)
    assert.match(ends[2]!.stdout, /schema 999/)
    assert.match(ends[3]!.stdout, /needs the address of the shared store/)
    for (const { stdout, stderr } of ends) assert.doesNotMatch(stdout + stderr, /nonsense|\n {4}at /)
    await destroy()
  })

  test('waits for an unreachable database, and can be stopped meanwhile', async () => {
    const worker = startWorker(`postgres://erace:secret@127.0.0.1:${await closedPort()}/erace`, 'patient')
    await worker.logs('waiting for the store: starting')
    const end = await worker.stop()
    assert.equal(end.exitCode, 0)
    assert.doesNotMatch(end.stderr, /secret/)
  })

  test('works alongside another worker of the same name, and logs its node', async () => {
    const { address, pool, destroy } = await createDatabase()
    const first = startWorker(address, 'twin')
    const { node } = await first.ready<Joined>()
    const nodes = createPostgresNodes(pool)
    await until('the first', async () => (await nodes.list()).length === 1)
    const second = startWorker(address, 'twin')
    await second.logs(node)
    await until('shared partitions', async () => {
      const held = (await nodes.list()).map(({ partitions }) => partitions)
      return held.length === 2 && held.every((count) => count === 128)
    })
    for (const { exitCode } of await Promise.all([first, second].map(({ stop }) => stop()))) assert.equal(exitCode, 0)
    await destroy()
  })

  test('reports invalid arguments', async () => {
    const end = await startInCluster('', ['worker', 'now', '--threads', 'many', '--store', 'mysql://x/'], {}).ended
    assert.equal(end.exitCode, 2)
    for (const text of ['takes no arguments', 'postgres://', 'threads']) assert.match(end.stderr, new RegExp(text))
  })
})
