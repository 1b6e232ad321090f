import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../core/clock.ts'
import { createRecordingIo } from './cli.testkit.ts'
import { createInterrupt } from './interrupt.ts'

function setUp() {
  const world = createRecordingIo()
  const clock = createManualClock()
  let told = 0
  const interrupt = createInterrupt({ io: world.io, clock, onFirst: () => told++ })
  return { ...world, clock, interrupt, told: () => told }
}

test('the first SIGINT aborts gracefully, the second exits at once', () => {
  const { raise, clock, interrupt, exits, told } = setUp()
  raise('SIGINT')
  assert.equal(interrupt.signal.aborted, true)
  clock.advance(500)
  assert.deepEqual(exits, [])
  raise('SIGINT')
  assert.deepEqual(exits, [130])
  assert.equal(told(), 1)
})

test('several SIGINTs in quick succession count as one', () => {
  const { raise, clock, exits, told } = setUp()
  raise('SIGINT')
  clock.advance(100)
  raise('SIGINT')
  clock.advance(300)
  raise('SIGINT')
  assert.deepEqual(exits, [])
  assert.equal(told(), 1)
})

test('SIGTERM and SIGHUP also abort gracefully', () => {
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    const { raise, interrupt } = setUp()
    raise(signal)
    assert.equal(interrupt.signal.aborted, true)
  }
})

test('dispose removes all signal listeners', () => {
  const { interrupt, listening } = setUp()
  interrupt.dispose()
  assert.equal(listening(), 0)
})
