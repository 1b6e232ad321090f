import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runEvilExpression } from './evil-expression.ts'
import { runFuzz } from './fuzz.ts'
import { runIdleConnections } from './idle-connections.ts'
import { runKillBackup } from './kill-backup.ts'
import { runKillCrawl } from './kill-crawl.ts'
import { runKillGc } from './kill-gc.ts'
import { runKillUp } from './kill-up.ts'
import { runSoak } from './soak.ts'
import { runStarvedReads } from './starved-reads.ts'

const procSkip = process.platform === 'linux' ? false : 'needs /proc'

test('backups taken during a crawl restore all current data, even if some backups are killed', async () => {
  const report = await runKillBackup({ rounds: 2, pages: 400, seed: 5 })
  assert.deepEqual(report.faults, [])
  assert.ok(report.restored > 0)
})

for (const [threads, division] of Object.entries({ 2: 'one crawling and one scanning', 3: 'three crawling' }))
  test(`a crawl killed repeatedly stores every page once and repeats only in-flight requests (${division})`, async () => {
    const report = await runKillCrawl({
      ...{ rounds: 6, pages: 600, hosts: 3, fetchers: 12, seed: 7, threads: Number(threads) },
    })
    assert.deepEqual(report.faults, [])
  })

test('a killed garbage collection loses nothing current, and the next one continues', async () => {
  const report = await runKillGc({ rounds: 1, pages: 60, seed: 3 })
  assert.deepEqual(report.faults, [])
  assert.equal(report.rounds, 1)
})

test('a watch killed repeatedly sends every notification exactly once', async () => {
  const report = await runKillUp({ rounds: 2, seed: 5 })
  assert.deepEqual(report.faults, [])
  assert.equal(report.rounds, 2)
})

test('the service keeps answering despite idle and broken connections, and closes them', {
  skip: procSkip,
}, async () => {
  const report = await runIdleConnections({ connections: 600, requests: 10 })
  assert.deepEqual(report.faults, [])
})

test('a watch killed during garbage collection loses nothing current and nothing unread', async () => {
  const report = await runKillUp({ rounds: 3, seed: 6, collect: true })
  assert.deepEqual(report.faults, [])
  assert.equal(report.rounds, 3)
  assert.ok(report.kills.collect > 0)
})

test('fuzzed requests and files are answered or refused, and leak nothing of other users', {
  skip: procSkip,
}, async () => {
  // Too short to detect a leak; the long run does that.
  const report = await runFuzz({ requests: 400, seed: 14, maxGrowth: 1 })
  assert.deepEqual(report.faults, [])
  assert.ok(report.requests >= 400 && report.commands > 0)
})

test("a user's slow expression does not delay other users' checks, and is set aside", async () => {
  const report = await runEvilExpression({ links: 200, sources: 2, checks: 3, maxDelayMs: 5000 })
  assert.deepEqual(report.faults, [])
})

test("a user's slow profiles and diffs do not delay other users' diffs and notifications", async () => {
  const report = await runStarvedReads({ profiles: 10, pageMB: 1, parallel: 20, rounds: 3, maxDelayMs: 5000 })
  assert.deepEqual(report.faults, [])
})

test('a busy service does not leak heap or file handles', { skip: procSkip }, async () => {
  // Too short to detect a slow leak; the long run does that, with a limit of 2 %.
  const report = await runSoak({ minutes: 0.2, sampleSeconds: 4, sources: 40, changeMs: 5000, maxGrowth: 0.1 })
  assert.deepEqual(report.faults, [])
  assert.ok(report.checksPerSecond > 0)
})
