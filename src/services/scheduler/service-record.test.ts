import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServiceRecord } from './service-record.ts'

test('lateness percentiles are accurate to ten per cent, separately for each level', () => {
  const record = createServiceRecord()
  for (let lateMs = 1; lateMs <= 1_000; lateMs++) record.note('gold', lateMs, lateMs <= 900)
  const { met, missed, lateP50Ms, lateP95Ms } = record.of('gold')
  assert.deepEqual([met, missed], [900, 100])
  assert.ok(Math.abs(lateP50Ms - 500) < 50, `${lateP50Ms}`)
  assert.ok(Math.abs(lateP95Ms - 950) < 95, `${lateP95Ms}`)
  assert.deepEqual(record.of('bronze'), { met: 0, missed: 0, lateP50Ms: 0, lateP95Ms: 0 })
})

test('old checks fade from the lateness percentiles but stay counted', () => {
  const record = createServiceRecord()
  for (let check = 0; check < 100_000; check++) record.note('silver', 60_000, false)
  for (let check = 0; check < 500_000; check++) record.note('silver', 0, true)
  record.noteSkipped('silver')
  const { met, missed, lateP95Ms } = record.of('silver')
  assert.deepEqual([met, missed, lateP95Ms], [500_000, 100_001, 0])
})
