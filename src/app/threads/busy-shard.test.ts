import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { createHandlerSite } from '../../../test/site/handler-site.ts'
import { configOf } from '../../config/load-config.ts'
import type { CheckResult } from '../../core/check-order.ts'
import { systemClock } from '../../core/clock.ts'
import { hostKey, partitionOf } from '../../core/url/partition.ts'
import { createRetries } from '../../core/work/retries.ts'
import { settingsForWatching } from '../../crawl/crawl-settings.ts'
import { createCounterMemory, openSharedCounters } from '../../crawl/worker/shared-counters.ts'
import { createLocalFetcher } from '../../fetchers/local/local-fetcher.ts'
import { createProfileKeys } from '../../services/profiles/keyed-profile.ts'
import { profileWith, sourceAt } from '../../services/watching/watching.testkit.ts'
import { createWatching } from '../../services/watching/watching.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { openFolder, paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { sqliteStores } from '../engines/sqlite-stores.ts'
import { watchableSchemes } from '../protocols.ts'
import { openForCrawling, startShardThreads } from './sqlite-shards.ts'

const config = configOf({ 'crawl.threads': 2, 'crawl.delay': '0ms', 'network.allow': '127.0.0.0/8' })
const log = pino({ level: 'silent' })
const keyed = createProfileKeys({})
/** Only its partition matters. */
const busyUrl = 'http://127.0.0.3:9/'
const IN_PROGRESS = -2
const LIMIT_MS = 60_000

/** Two sites, and a folder whose second shard owns the hosts of the second site. */
async function openSites(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'erace-busy-shard-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const [first, second] = await Promise.all(
    ['127.0.0.1', '127.0.0.2'].map((address) =>
      createHandlerSite((path, response) => void response.end(`<p>${path}</p>`), address),
    ),
  )
  context.after(() => Promise.all([first!.close(), second!.close()]))
  await openFolder({ folder, holder: 'test', shards: 2 }).close()
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  for (const [shard, { origin }] of [first!, second!].entries())
    db.prepare('INSERT INTO partitions (partition, shard) VALUES (?, ?)').run(partitionOf(hostKey(origin)), shard)
  db.close()
  return { folder, first: first!, second: second! }
}

/** Shard threads and a watch service, as in `erace up`. */
async function startService(folder: string) {
  const settings = await settingsForWatching(folder, config)
  const opened = openForCrawling(settings, log)
  const memory = createCounterMemory(2, null)
  const counters = openSharedCounters(memory)
  let deliver: (results: readonly CheckResult[]) => void = () => {}
  const threads = startShardThreads({
    ...{ settings, opened, run: 1, looksBack: true, memory, log, retries: createRetries(systemClock) },
    onResults: (results) => deliver(results),
  })
  const fetcher = createLocalFetcher({
    schemes: watchableSchemes(),
    ...{ shards: threads.handles, stop: () => void counters.stop(), throttle() {} },
    onResults(listener) {
      deliver = listener
    },
  })
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  const stores = sqliteStores(folder, db)
  const { service } = createWatching({
    ...{ stores, fetcher, config, clock: systemClock, log, maxTasks: 1000 },
    countTasks: async () => 0,
  })
  let wake: () => void = () => {}
  service.onResults(() => wake())
  await service.start()
  const table = new Int32Array(opened.partitions)
  const place = partitionOf(hostKey(busyUrl))
  const row = async (uri: string) => (await stores.watches.all()).find((each) => each.uri === uri)!

  return {
    service,
    row,
    put: (id: string, uri: string) => stores.profiles.put([keyed(profileWith(id, id, [sourceAt(uri)]))]),
    remove: (id: string) => stores.profiles.remove([id]),
    /** Blocks the second shard until it is released: it waits for the owner of a partition. */
    block(): void {
      Atomics.store(table, place, IN_PROGRESS)
      threads.handles[1]!.seed([busyUrl]).catch(() => {})
    },
    release(): void {
      Atomics.store(table, place, 0)
      Atomics.notify(table, place)
    },
    /** Ticks until the check of a source is over. */
    async checked(uri: string): Promise<void> {
      for (;;) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve
        })
        await service.tick()
        if ((await row(uri))?.checkedAt > 0) return
        await woken
      }
    },
    /** As if the process were killed. */
    async kill(): Promise<void> {
      await threads.end()
      await stores.close()
      await opened.close()
    },
  }
}

test('a busy shard delays neither the scheduler nor the checks of other shards', {
  timeout: LIMIT_MS,
}, async (context) => {
  const { folder, first, second } = await openSites(context)
  const up = await startService(folder)
  try {
    up.block()
    const [a, b] = [`${first.origin}/a`, `${second.origin}/b`]
    await up.put('ann', a)
    await up.put('bob', b)
    await up.checked(a)
    // Profile changes don't wait for it either.
    await up.put('cid', `${first.origin}/c`)
    await up.put('dan', `${second.origin}/d`)
    await up.checked(`${first.origin}/c`)
    await up.remove('dan')
    await up.service.tick()
    const { id, checkedAt } = await up.row(b)
    assert.deepEqual([checkedAt, up.service.isChecking(id), second.asked], [0, true, []])
    up.release()
    await up.checked(b)
    assert.equal((await up.row(b)).outcome, 'changed')
    assert.equal(up.service.isChecking(id), false)
    assert.deepEqual(first.asked.sort(), ['/a', '/c', '/robots.txt'])
    assert.deepEqual(second.asked.sort(), ['/b', '/robots.txt'])
  } finally {
    await up.kill()
  }
})

test('a check that a busy shard never received is made after a restart', { timeout: LIMIT_MS }, async (context) => {
  const { folder, first, second } = await openSites(context)
  const [a, b] = [`${first.origin}/a`, `${second.origin}/b`]
  const up = await startService(folder)
  up.block()
  await up.put('ann', a)
  await up.put('bob', b)
  await up.checked(a)
  await up.kill()
  const next = await startService(folder)
  try {
    await next.checked(b)
    assert.equal((await next.row(b)).outcome, 'changed')
    assert.deepEqual(second.asked.sort(), ['/b', '/robots.txt'])
  } finally {
    await next.kill()
  }
})
