import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pino from 'pino'
import { pageWith } from '../../archive/export/export.testkit.ts'
import { createIndexKeeper } from '../../archive/search/index-keeper.ts'
import { createVersionTexts } from '../../archive/search/version-text.ts'
import { readConfig } from '../../config/load-config.ts'
import { createManualClock, systemClock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { createRetries, type Retries } from '../../core/work/retries.ts'
import type { SearchIndex } from '../../store/contracts/search.ts'
import { createPostgresObjects } from '../../store/postgres/archive/objects.ts'
import { createPostgresVersions } from '../../store/postgres/archive/versions.ts'
import { createLeaderLease } from '../../store/postgres/leases/leader.ts'
import { createKeptCheck, createPostgresSearchIndex } from '../../store/postgres/search/search-index.ts'
import {
  createDatabase,
  postgres,
  type TestDatabase,
  usePostgres,
} from '../../store/postgres/testkit/postgres.testkit.ts'
import { recordCaptures } from '../engines/targets.testkit.ts'
import { startClusterIndexer } from './indexer.ts'

usePostgres({ own: true })

const log = pino({ enabled: false })

function pages(from: number, count: number) {
  return Array.from({ length: count }, (_, n) =>
    pageWith(`host${(from + n) % 9}.example`, `/${from + n}`, `<p>words and number${from + n}`),
  )
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe('indexer of a shared store', () => {
  let database: TestDatabase
  let index: SearchIndex
  const config = async () => (await readConfig({ file: undefined, cwd: '/', env: {}, overrides: [] })).config
  before(async () => {
    database = await createDatabase()
    const { pool } = database
    index = createPostgresSearchIndex({ pool, kept: createKeptCheck(pool) })
  })
  after(() => database?.destroy())

  const countTexts = async () =>
    (await database.pool.query<{ n: number }>('SELECT count(*) AS n FROM version_texts'))[0]!.n

  function keeper(parts: { holder: string; mustEnd(): boolean; leaseMs?: number; onAdded?(count: number): void }) {
    const { pool } = database
    const versions = createPostgresVersions(pool)
    const { holder, leaseMs = 15_000, ...rest } = parts
    return createIndexKeeper({
      lease: createLeaderLease({ pool, name: 'indexer', holder, clock: systemClock, leaseMs }),
      update: { index, versions, texts: createVersionTexts({ versions, objects: createPostgresObjects(pool) }) },
      clock: systemClock,
      renewMs: 1000,
      track: createRetries(systemClock).track('indexing'),
      ...rest,
    })
  }

  test('only one thread indexes at a time, and another one takes over when it ends', async () => {
    const settings = { address: database.address, config: await config(), retries: createRetries(systemClock) }
    /** Versions added by each thread, according to its log. */
    const added = [0, 0, 0]
    const indexers = added.map((_, n) => {
      const write = (line: string): void => {
        added[n]! += (JSON.parse(line) as { versions: number }).versions
      }
      return startClusterIndexer({ ...settings, log: pino({ level: 'debug' }, { write }) })
    })
    const recordPages = async (from: number, to: number): Promise<number[]> => {
      const before = [...added]
      for (let page = from; page < to; page += 100) {
        await recordCaptures(database, pages(page, 100))
        await until(async () => added.reduce((sum, count) => sum + count) === page + 100)
      }
      return added.map((count, n) => count - before[n]!)
    }
    try {
      const first = await recordPages(0, 300)
      assert.deepEqual(first.toSorted(), [0, 0, 300])
      const leader = first.indexOf(300)
      await indexers[leader]!.end()
      const second = await recordPages(300, 500)
      assert.deepEqual(second.toSorted(), [0, 0, 200])
      assert.equal(second[leader], 0)
    } finally {
      for (const indexer of indexers) await indexer.end()
    }
    assert.equal(await countTexts(), 500)
    const [left] = await database.pool.query(`SELECT 1 FROM leaders WHERE name = 'indexer' AND holder IS NOT NULL`)
    assert.equal(left, undefined)
  })

  test('several indexers that all believe they lead add each version exactly once', async () => {
    await recordCaptures(database, pages(500, 700))
    let added = 0
    let isOver = false
    const { pool } = database
    const versions = createPostgresVersions(pool)
    const always = {
      beat: async () => ({ kind: 'leads', epoch: 1, changed: false }) as const,
      epoch: () => 1,
      release: async () => {},
    }
    const keepers = [1, 2, 3].map(() =>
      createIndexKeeper({
        lease: always,
        update: { index, versions, texts: createVersionTexts({ versions, objects: createPostgresObjects(pool) }) },
        clock: systemClock,
        renewMs: 1000,
        mustEnd: () => isOver,
        track: createRetries(systemClock).track('indexing'),
        onAdded: (count) => {
          added += count
        },
      }),
    )
    const running = keepers.map((each) => each.run())
    await until(async () => (await index.counts()).versions >= 1200)
    isOver = true
    for (const each of keepers) each.wake()
    await Promise.all(running)
    assert.deepEqual([added, await countTexts(), (await index.counts()).versions], [700, 1200, 1200])
  })

  test('adds nothing until it leads', async () => {
    const other = createLeaderLease({ pool: database.pool, name: 'indexer', holder: 'other', clock: systemClock })
    assert.equal((await other.beat()).kind, 'leads')
    await recordCaptures(database, pages(1200, 5))
    let looks = 0
    const follower = keeper({ holder: 'follower', mustEnd: () => ++looks > 1 })
    await follower.run()
    assert.equal((await index.counts()).versions, 1200)
    await other.release()
    let isOver = false
    const next = keeper({
      holder: 'next',
      mustEnd: () => isOver,
      onAdded: () => {
        isOver = true
      },
    })
    await next.run()
    assert.equal((await index.counts()).versions, 1205)
  })

  test('waits for an unreachable store, and reports it', async () => {
    const reported: (string | null)[] = []
    let beats = 0
    let isOver = false
    const away = new AppError('store-unreachable', 'no answer')
    const waiting = createIndexKeeper({
      lease: {
        async beat() {
          if (++beats <= 2) throw away
          isOver = true
          return { kind: 'follows', leader: 'other' }
        },
        epoch: () => null,
        release: () => Promise.reject(away),
      },
      update: { index, versions: createPostgresVersions(database.pool), texts: { read: () => Promise.reject(away) } },
      clock: createManualClock(),
      renewMs: 1000,
      mustEnd: () => isOver,
      track: {
        begin() {},
        failed: (error) => void reported.push((error as Error).message),
        done: () => void reported.push(null),
      },
    })
    await waiting.run()
    assert.deepEqual([reported, beats], [['no answer', 'no answer', null], 3])
  })

  test('continues after the server goes down and comes back', async () => {
    const server = await postgres()
    const retries = createRetries(systemClock)
    const reported: (string | undefined)[] = []
    const { promise: waits, resolve: onWaiting } = Promise.withResolvers<void>()
    const adopt: Retries['adopt'] = (_, waiting) => {
      reported.push(waiting[0]?.what)
      onWaiting()
    }
    const watched = { ...retries, adopt }
    const indexer = startClusterIndexer({ address: database.address, config: await config(), log, retries: watched })
    try {
      await recordCaptures(database, pages(1205, 10))
      await until(async () => (await index.counts()).versions === 1215)
      await server.stop()
      await waits
      await server.start()
      await recordCaptures(database, pages(1215, 10))
      await until(async () => (await index.counts()).versions === 1225)
    } finally {
      await indexer.end()
    }
    assert.equal(reported[0], 'indexing')
    assert.equal(await countTexts(), 1225)
  })

  test('ends even if the server is unreachable', async () => {
    const indexer = startClusterIndexer({
      address: 'postgres://nobody@127.0.0.1:1/nothing',
      config: await config(),
      log,
      retries: createRetries(systemClock),
    })
    await indexer.end()
  })

  test('fails on a permanent error such as a wrong password', async () => {
    const indexer = startClusterIndexer({
      address: database.address.replace(/:\/\/[^@]*@/, '://nobody:wrong@'),
      config: await config(),
      log,
      retries: createRetries(systemClock),
    })
    await assert.rejects(indexer.failed, /password|role/)
    await indexer.end()
  })
})
