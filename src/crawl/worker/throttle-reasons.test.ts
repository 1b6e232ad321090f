import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBoardMemory, openBoard } from './shared-counters.ts'
import { createHoldReasons } from './throttle-reasons.ts'

test('a board is held until nobody has a reason any more', () => {
  const board = openBoard(createBoardMemory(1, null))
  const holds = createHoldReasons(board)
  holds.set('paused', true)
  holds.set('behind', true)
  holds.set('behind', false)
  assert.deepEqual([board.isHeld(), holds.has('paused'), holds.has('behind')], [true, true, false])
  holds.set('paused', false)
  holds.set('paused', false)
  assert.equal(board.isHeld(), false)
})
