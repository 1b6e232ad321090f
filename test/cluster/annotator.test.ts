import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { postgresStores } from '../../src/app/engines/postgres-stores.ts'
import { type PostgresAnnotatorOptions, startPostgresAnnotator } from '../../src/app/threads/annotator.ts'
import { readConfig } from '../../src/config/load-config.ts'
import { createProfileKeys } from '../../src/services/profiles/keyed-profile.ts'
import { createEpochMemory, openEpochs } from '../../src/store/contracts/cluster/held-epochs.ts'
import { cutConnections, usePostgres } from '../../src/store/postgres/testkit/postgres.testkit.ts'
import { createPostgresSystem, type PostgresSystem } from '../../src/store/postgres/testkit/store.testkit.ts'
import { profileOf, sourceOf, until } from '../watch/up-run.ts'
import { watchedPage } from './stored-pages.ts'

usePostgres()

const { config } = await readConfig({ cwd: '/', env: { ERACE_ANNOTATE_PROCESSORS: '2' } })

/** A profile that matches every page about java, and pages of two shards waiting for annotation. */
async function fill(system: PostgresSystem) {
  const shards = await system.open(1)
  const stores = postgresStores(system.database.pool, [1, 2])
  const source = sourceOf('http://source.example/', { depth: 3, scope: { kind: 'pattern', source: '.' } })
  await stores.profiles.put([createProfileKeys({})(profileOf('p', 'ann@example.org', [source], { java: 4 }))])
  const [urd] = await stores.profiles.urdsOf('p')
  const keep = async (shard: number, paths: readonly string[]): Promise<void> => {
    const host = system.hostOf(shard, 0)
    await shards[shard]!.documents.record(paths.map((path) => watchedPage(host, path, `java at ${path}`, urd!.watch)))
  }
  await keep(0, ['/a', '/b', '/c'])
  await keep(1, ['/d', '/e'])
  const annotated = async (): Promise<string> => {
    const made = await stores.annotations.list({ after: 0, limit: 99 })
    return made
      .map(({ url }) => new URL(url).pathname)
      .sort()
      .join(' ')
  }
  return { stores, keep, annotated }
}

function startWith(system: PostgresSystem, epochs: PostgresAnnotatorOptions['epochs']) {
  const done = { settled: 0, refused: 0, problems: [] as string[] }
  const clockOffsetMs = new SharedArrayBuffer(8)
  const { address } = system.database
  const annotator = startPostgresAnnotator(
    { address, config, name: 'annotator', seed: [1, 2], epochs, clockOffsetMs },
    {
      onAnnotated() {},
      onSettled() {
        done.settled++
      },
      onRefused() {
        done.refused++
      },
      onProblem: (message) => done.problems.push(message),
      onWaiting() {},
    },
  )
  return { annotator, done }
}

describe('the annotator of a worker', () => {
  test('annotates only partitions held under the current epoch, and survives lost connections', async () => {
    const system = await createPostgresSystem({ shards: 2 })
    const { pool } = system.database
    const { stores, annotated, keep } = await fill(system)
    const leases = await pool.query<{ partition: number; epoch: number }>('SELECT partition, epoch FROM leases')
    const epochs = createEpochMemory()
    const held = openEpochs(epochs)
    const { annotator, done } = startWith(system, epochs)
    const hold = (shard: number, off = 0): void => {
      for (const { partition, epoch } of leases) if (partition % 2 === shard) held.set(partition, epoch + off)
    }
    try {
      hold(0)
      await until('the first shard', async () => (await annotated()) === '/a /b /c')
      // A wrong epoch: the tasks are left to the current holder of the partition.
      hold(1, 1)
      await until('a refusal', () => done.refused > 0)
      assert.equal(await annotated(), '/a /b /c')
      assert.equal(await stores.annotations.countTasks(), 2)
      hold(1)
      await until('the second shard', async () => (await annotated()) === '/a /b /c /d /e')
      await cutConnections(pool, 'annotator')
      await keep(0, ['/f'])
      await until('a page after the cut', async () => (await annotated()) === '/a /b /c /d /e /f')
      assert.equal(await stores.annotations.countTasks(), 0)
      assert.equal(done.settled, 6)
    } finally {
      await annotator.end()
      await system.destroy()
    }
  })
})
