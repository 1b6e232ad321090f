import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSlowHost } from './slow-host.ts'

test('an unresponsive host does not delay others, and each host has one connection and its own delay', async () => {
  const report = await runSlowHost({ fastPages: 20, slowPages: 3, delayMs: 20, slowMs: 'held' })
  assert.deepEqual(report.faults, [])
})
