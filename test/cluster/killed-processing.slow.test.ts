import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresStores } from '../../src/app/engines/postgres-stores.ts'
import { createProfileKeys } from '../../src/services/profiles/keyed-profile.ts'
import { readSeed } from '../../src/store/postgres/schema/migrate.ts'
import { createDatabase, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { withFault } from '../kit/processing-faults.ts'
import { profileOf, sourceOf, until } from '../watch/up-run.ts'
import { storePages } from './stored-pages.ts'
import { startWorker } from './worker-process.ts'

usePostgres()

test('a document that kills three workers is set aside by the fourth, which processes all others', async () => {
  const { address, pool, destroy } = await createDatabase()
  const stores = postgresStores(pool, await readSeed(pool))
  const source = sourceOf('http://source.example/', { depth: 3, scope: { kind: 'pattern', source: '.' } })
  await stores.profiles.put([createProfileKeys({})(profileOf('p', 'ann@example.org', [source], { java: 4 }))])
  const [urd] = await stores.profiles.urdsOf('p')
  const urls = ['a', 'bad', 'b', 'c'].map((name) => `http://a.example/${name}`)
  await storePages(stores, Object.fromEntries(urls.map((url) => [url, `<p>java at ${url}</p>`])), urd!.watch)
  const attempts = async (): Promise<number> =>
    (await pool.query<{ n: number }>('SELECT max(attempts) AS n FROM tasks'))[0]!.n
  for (let n = 1; n <= 3; n++) {
    const { signal, stderr } = await startWorker(address, `w${n}`, withFault('kills the process')).endWithin(120_000)
    assert.equal(signal, 'SIGKILL', stderr.slice(-2000))
    assert.equal(await attempts(), n)
  }
  const worker = startWorker(address, 'w4', withFault('kills the process'))
  await until(
    'all to be settled',
    async () => !worker.isRunning() || (await stores.annotations.countTasks()) === 0,
    120_000,
  )
  const made = await stores.annotations.list({ after: 0, limit: 9 })
  assert.deepEqual(made.map(({ url }) => new URL(url).pathname).sort(), ['/a', '/b', '/c'])
  const { count, latest } = await stores.annotations.setAside(9)
  assert.deepEqual([count, latest[0]?.url, latest[0]?.reason], [1, urls[1], 'processing ended abruptly 3 times'])
  const { exitCode, stderr } = await worker.stop()
  assert.equal(exitCode, 0, stderr.slice(-2000))
  await destroy()
})
