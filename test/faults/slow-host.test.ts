import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSlowHost } from './slow-host.ts'

test('a host that does not answer holds up no other host, and each host is asked by one connection with its delay', async () => {
  const report = await runSlowHost({ fastPages: 20, slowPages: 3, delayMs: 20, slowMs: 'held' })
  assert.deepEqual(report.faults, [])
})
