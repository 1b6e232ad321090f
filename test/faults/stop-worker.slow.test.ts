import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runStopWorker } from './stop-worker.ts'

test('a worker suspended past its lease has its writes refused, and nothing is duplicated', async () => {
  const report = await runStopWorker({ pages: 450, hosts: 15, fetchers: 12, delayMs: 100, leaseMs: 4000, stops: 1 })
  assert.deepEqual(report.faults, [])
})
