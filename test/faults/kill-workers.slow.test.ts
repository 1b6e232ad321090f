import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKillWorkers } from './kill-workers.ts'

test('workers killed one after another store every page once, repeat only in-flight requests, and keep every delay', async () => {
  const report = await runKillWorkers({
    workers: 3,
    pages: 900,
    hosts: 30,
    fetchers: 12,
    delayMs: 150,
    leaseMs: 2000,
    everyRequests: 150,
  })
  assert.deepEqual(report.faults, [])
  assert.ok(report.kills > 0)
})
