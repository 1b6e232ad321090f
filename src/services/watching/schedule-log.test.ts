import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScheduler, watchOf } from '../scheduler/scheduler.testkit.ts'
import { createScheduleLog, type ScheduleReport } from './schedule-log.ts'

function openLog() {
  const { scheduler, clock, finish, takeIds } = openScheduler()
  const said: ScheduleReport[] = []
  const waiting = { tasks: 0 }
  const log = createScheduleLog({
    clock,
    stats: scheduler.stats,
    countTasks: async () => waiting.tasks,
    write: (stats) => said.push(stats),
  })
  return { scheduler, clock, finish, takeIds, said, waiting, log }
}

describe('schedule log', () => {
  test('reports once a minute which deadlines were met and missed at each level', async () => {
    const { scheduler, clock, finish, takeIds, said, waiting, log } = openLog()
    scheduler.set(watchOf(1, { level: 'gold' }))
    scheduler.set(watchOf(2, { level: 'bronze' }))
    assert.deepEqual(takeIds().sort(), [1, 2])
    finish(1)
    await log.tick()
    assert.deepEqual(said, [])
    clock.advance(3_600_000 / 2)
    finish(2)
    waiting.tasks = 3
    await log.tick()
    await log.tick()
    const [{ watches, underWay, tasks, lost, gold, silver, bronze }] = said as unknown as [ScheduleReport]
    assert.deepEqual([said.length, watches, underWay, tasks, lost], [1, 2, 0, 3, 0])
    assert.deepEqual([gold.met, gold.missed, silver.met, bronze.met, bronze.missed], [1, 0, 0, 0, 1])
  })

  test('stays silent while nothing happens, and writes a final report at the end', async () => {
    const { scheduler, clock, finish, takeIds, said, log } = openLog()
    scheduler.set(watchOf(1))
    clock.advance(600_000)
    await log.tick()
    assert.equal(said.length, 0)
    takeIds()
    finish(1)
    await log.end()
    assert.equal(said.length, 1)
    clock.advance(60_000)
    await log.tick()
    await log.end()
    assert.equal(said.length, 1)
  })
})
