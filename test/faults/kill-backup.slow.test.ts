import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runKillBackup } from './kill-backup.ts'

test('backups of a running crawl, killed or not, restore everything current and a crawl that continues', async () => {
  const report = await runKillBackup({ rounds: 2, pages: 400, seed: 5 })
  assert.deepEqual(report.faults, [])
  assert.ok(report.restored > 0)
})
