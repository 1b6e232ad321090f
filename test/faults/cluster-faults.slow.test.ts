import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKillWorkers } from './kill-workers.ts'
import { runRestartPostgres } from './restart-postgres.ts'
import { runStopWorker } from './stop-worker.ts'

const small = { pages: 450, hosts: 15, fetchers: 12, delayMs: 100 }

test('workers killed one after another store every page once, repeat only in-flight requests, and keep every delay', async () => {
  const options = { workers: 3, pages: 900, hosts: 30, fetchers: 12, delayMs: 150, leaseMs: 2000, everyRequests: 150 }
  const report = await runKillWorkers(options)
  assert.deepEqual(report.faults, [])
  assert.ok(report.kills > 0)
})

test('a crawl continues after a database outage longer than a lease', async () => {
  const report = await runRestartPostgres({ ...small, leaseMs: 2000, awayMs: 4000 })
  assert.deepEqual(report.faults, [])
})

test('a worker suspended past its lease has its writes refused, and nothing is duplicated', async () => {
  const report = await runStopWorker({ ...small, leaseMs: 4000, stops: 1 })
  assert.deepEqual(report.faults, [])
})
