import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCounterMemory, openSharedCounters } from './shared-counters.ts'
import { createThrottleReasons } from './throttle-reasons.ts'

test('a board is held until nobody has a reason any more', () => {
  const counters = openSharedCounters(createCounterMemory(1, null))
  const holds = createThrottleReasons(counters)
  holds.set('paused', true)
  holds.set('behind', true)
  holds.set('behind', false)
  assert.deepEqual([counters.isHeld(), holds.has('paused'), holds.has('behind')], [true, true, false])
  holds.set('paused', false)
  holds.set('paused', false)
  assert.equal(counters.isHeld(), false)
})
