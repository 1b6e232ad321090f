import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '../../core/clock.ts'
import { createCounterMemory, openSharedCounters } from '../../crawl/worker/shared-counters.ts'
import { openScheduler, watchOf } from '../scheduler/scheduler.testkit.ts'
import { type Activity, createActivity } from './activity.ts'
import type { Stats } from './stats.ts'
import { createThisNode } from './this-node.ts'

const kept = { documents: 7, versions: 9, annotations: 3, profiles: 2, sources: 4 }

function openActivity() {
  const { scheduler, takeIds, finish, clock } = openScheduler({ clock: createManualClock(Date.UTC(2026, 2, 4, 12)) })
  const counters = openSharedCounters(createCounterMemory(2, null))
  const told: Stats[] = []
  const asked = { tasks: 0, kept: 0, disk: 0 }
  const store = { tasks: 0, freeBytes: 1e12, fails: false }
  const activity = createActivity({
    clock,
    counters,
    stats: scheduler.stats,
    store: {
      async countTasks() {
        asked.tasks++
        if (store.fails) throw new Error('busy')
        return store.tasks
      },
      setAside: async () => ({ count: 0, latest: [] }),
      channelFigures: async () => [],
      retrySetAside: async () => 0,
      async countKept() {
        asked.kept++
        return kept
      },
      async readDisk() {
        asked.disk++
        return { archiveBytes: 10, databaseBytes: 20, freeBytes: store.freeBytes }
      },
      lastCollection: async () => ({
        ...{ startedAt: 0, tookMs: 1500, state: 'finished' as const, error: '' },
        ...{ versions: 3, bytes: 400, freedBytes: 0 },
      }),
    },
    publish: (stats) => told.push(stats),
  })
  return { activity, clock, counters, told, asked, store, scheduler, takeIds, finish }
}

async function pass(activity: Activity, clock: { advance(ms: number): void }, seconds: number, each = () => {}) {
  for (let second = 0; second < seconds; second++) {
    clock.advance(1000)
    each()
    await activity.tick()
  }
}

describe('crawl activity', () => {
  test('rates are averages over the last five seconds and all shards', async () => {
    const { activity, clock, counters } = openActivity()
    await activity.tick()
    assert.equal(activity.now().pagesPerSecond, 0)
    await pass(activity, clock, 8, () => {
      counters.shard(0).add('fetched', 20)
      counters.shard(1).add('fetched', 10)
      counters.shard(1).add('bytes', 5_000)
    })
    assert.deepEqual([activity.now().pagesPerSecond, activity.now().bytesPerSecond], [30, 5_000])
    await pass(activity, clock, 5)
    assert.equal(activity.now().pagesPerSecond, 0)
  })

  test('rates take a long gap between two ticks into account', async () => {
    const { activity, clock, counters } = openActivity()
    await activity.tick()
    counters.shard(0).add('fetched', 600)
    clock.advance(60_000)
    await activity.tick()
    assert.equal(activity.now().pagesPerSecond, 10)
  })

  test('the series has a point every two seconds and covers ten minutes', async () => {
    const { activity, clock, told } = openActivity()
    await pass(activity, clock, 700)
    const { series } = await activity.report()
    assert.equal(series.length, 300)
    assert.equal(Date.parse(series[1]!.at) - Date.parse(series[0]!.at), 2_000)
    assert.ok(Date.parse(activity.now().at) - Date.parse(series[0]!.at) <= 600_000)
    assert.equal(told.length, 700, 'listeners are notified each second')
  })

  test('figures of the store and the disk are cached', async () => {
    const { activity, clock, asked, store } = openActivity()
    store.tasks = 5
    for (let second = 0; second < 60; second++) {
      await pass(activity, clock, 1)
      await Promise.all([activity.report(), activity.report()])
    }
    assert.equal(activity.now().tasks, 5)
    assert.deepEqual([asked.tasks, asked.kept, asked.disk], [30, 2, 2])
    store.fails = true
    await pass(activity, clock, 2)
    assert.equal(activity.now().tasks, 5, 'a count that fails leaves the last one standing')
  })

  test('the report has totals, met deadlines by level and disk usage', async () => {
    const { activity, counters, scheduler, takeIds, finish } = openActivity()
    scheduler.set(watchOf(1, { level: 'gold' }))
    takeIds()
    finish(1)
    counters.shard(0).add('stored', 2)
    counters.shard(1).add('stored', 1)
    const { totals, levels, disk, paused } = await activity.report()
    assert.deepEqual(totals, { fetched: 0, stored: 3, unchanged: 0, failed: 0, bytes: 0, ...kept })
    assert.deepEqual(
      levels.map(({ level, met }) => [level, met]),
      [
        ['gold', 1],
        ['silver', 0],
        ['bronze', 0],
      ],
    )
    assert.deepEqual(disk, { archiveBytes: 10, databaseBytes: 20, freeBytes: 1e12 })
    assert.equal(paused, null)
  })

  test('says why fetching is paused', async () => {
    const { activity, clock, counters, store } = openActivity()
    counters.throttle(true)
    assert.match((await activity.paused())!, /fallen behind/)
    counters.shard(1).set('paused', 1)
    assert.match((await activity.paused())!, /not accepting writes/)
    store.freeBytes = 1000
    clock.advance(30_000)
    assert.match((await activity.paused())!, /disk is full/)
    const node = createThisNode({
      activity,
      host: 'box',
      pid: 12,
      startedAtMs: 0,
      threads: 2,
      partitions: 256,
      rssBytes: () => 1,
    })
    assert.deepEqual(
      (await node.list()).map(({ id, role, state }) => [id, role, state]),
      [['box:12', 'all', 'paused']],
    )
  })
})
