import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runRestartPostgres } from './restart-postgres.ts'

test('a crawl continues after its database was away for longer than a lease', async () => {
  const report = await runRestartPostgres({
    pages: 450,
    hosts: 15,
    fetchers: 12,
    delayMs: 100,
    leaseMs: 2000,
    awayMs: 4000,
  })
  assert.deepEqual(report.faults, [])
})
