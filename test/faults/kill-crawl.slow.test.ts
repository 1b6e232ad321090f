import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKillCrawl } from './kill-crawl.ts'

test('a crawl killed repeatedly stores every page once and repeats only in-flight requests', async () => {
  const report = await runKillCrawl({ rounds: 6, pages: 600, hosts: 3, fetchers: 12, seed: 7 })
  assert.deepEqual(report.faults, [])
})
