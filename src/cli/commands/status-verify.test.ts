import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StatusReport } from '../../core/reports/status-report.ts'
import type { VerifyReport } from '../../core/reports/verify-report.ts'
import { useCliFolder } from '../cli.testkit.ts'

const status: StatusReport = {
  watching: { profiles: 0, sources: 0, tasks: 0, annotations: 0 },
  sources: [],
  frontier: { queued: 12, seen: 3400, hosts: 5, hostsResting: 1, hostsGivenUp: 0 },
  documents: { documents: 3300, versions: 3500, bodies: 3200 },
  disk: { archiveFiles: 2, archiveBytes: 150_000_000, databaseBytes: 2_500_000, freeBytes: 80_000_000_000 },
  lastRun: { id: 3, startedAt: '2026-01-01T00:00:00.000Z', finishedAt: null },
  lastCollection: {
    ...{ startedAt: '2026-01-01T00:02:00.000Z', state: 'finished', seconds: 1.5, error: null },
    ...{ versions: 11, bytes: 45_000, freedBytes: 0 },
  },
  lastOutcomes: [{ url: 'http://a.example/\u0007', outcome: 'stored', at: '2026-01-01T00:01:00.000Z' }],
  setAside: { count: 0, latest: [] },
  channels: { channels: 0, failing: 0, waiting: 0 },
}

const clean: VerifyReport = {
  files: 2,
  records: 3500,
  bytes: 150_000_000,
  unusedBytes: 0,
  seconds: 2,
  faults: [],
  faultCount: 0,
}

describe('erace status and erace verify', () => {
  const folder = useCliFolder()

  test('status prints text and JSON', async () => {
    const engine = { status: async () => status }
    const { code, out } = await folder.run(['status'], { engine })
    assert.equal(code, 0)
    assert.match(out, /crawl 3, started 2026-01-01T00:00:00\.000Z, not finished\n {2}URLs queued +12\n/)
    assert.match(out, /\nLast collection: 2026-01-01T00:02:00\.000Z, 11 versions removed \(45\.0 KB\) in 1\.5 s\n/)
    assert.match(out, /2026-01-01T00:01:00\.000Z {2}stored {2}http:\/\/a\.example\/\?\n$/)
    assert.deepEqual(JSON.parse((await folder.run(['status', '--json'], { engine })).out), status)
    const channels = { channels: 3, failing: 1, waiting: 1200 }
    const delivering = await folder.run(['status'], { engine: { status: async () => ({ ...status, channels }) } })
    assert.match(delivering.out, /\n {2}channels +3\n {2}channels failing +1\n {2}waiting for delivery +1,200\n/)
  })

  test('status lists versions that were set aside, and --retry-tasks retries them', async () => {
    const latest = [{ url: 'http://a.example/bad', reason: 'TypeError: no', at: '2026-01-01T00:01:00.000Z' }]
    const calls: string[] = []
    const engine = {
      async status() {
        calls.push('status')
        return { ...status, setAside: { count: 7, latest } }
      },
      async retryTasks() {
        calls.push('retry')
        return 7
      },
    }
    const { out } = await folder.run(['status'], { engine })
    assert.match(out, /Set aside: 7 could not be processed .*, the latest\n.*http:\/\/a\.example\/bad: TypeError: no\n/)
    const { code, err } = await folder.run(['status', '--retry-tasks'], { engine })
    assert.deepEqual([code, err, calls.slice(1)], [0, '7 versions will be processed again\n', ['retry', 'status']])
  })

  test('verify exits with 0 if there are no errors', async () => {
    const { code, out } = await folder.run(['verify'], { engine: { verify: async () => clean } })
    assert.equal(code, 0)
    assert.equal(out, 'no errors: 3,500 records in 2 files, 150 MB, 2s\n')
  })

  test('verify lists errors and exits with 1', async () => {
    const report: VerifyReport = {
      ...clean,
      faults: [{ file: '000001.warc', offset: 512, url: 'http://a.example/', message: 'the digest does not match' }],
      faultCount: 3,
    }
    const engine = { verify: async () => report }
    const { code, out } = await folder.run(['verify'], { engine })
    assert.equal(code, 1)
    assert.match(
      out,
      /^000001\.warc at 512: the digest does not match \(http:\/\/a\.example\/\)\nand 2 more\n3 errors: /,
    )
    assert.deepEqual(JSON.parse((await folder.run(['verify', '--json'], { engine })).out), report)
  })

  test('verify shows progress on a terminal only', async () => {
    const engine = {
      verify: async (
        _: unknown,
        onProgress: (progress: { records: number; bytes: number; totalBytes: number }) => void,
      ) => {
        onProgress({ records: 10, bytes: 5_000_000, totalBytes: 20_000_000 })
        return clean
      },
    }
    assert.match((await folder.run(['verify'], { engine, columns: 80 })).err, /^\r25 % · 10 records · 5\.0 MB\r +\r$/)
    assert.equal((await folder.run(['verify'], { engine })).err, '')
  })

  test('both reject positional arguments', async () => {
    for (const name of ['status', 'verify']) assert.equal((await folder.run([name, 'x'])).code, 2)
  })
})
