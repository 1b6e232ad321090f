import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKillCrawl } from './kill-crawl.ts'

test('a crawl that is killed again and again stores every page once and repeats only what was in flight', async () => {
  const report = await runKillCrawl({ rounds: 6, pages: 600, hosts: 3, fetchers: 12, seed: 7 })
  assert.deepEqual(report.faults, [])
})
