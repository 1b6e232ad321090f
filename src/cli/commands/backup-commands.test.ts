import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { BackupReport, RestoreReport } from '../../core/reports/backup-report.ts'
import type { VerifyReport } from '../../core/reports/verify-report.ts'
import { useCliFolder } from '../cli.testkit.ts'
import type { Engine } from '../engine.ts'

const backedUp: BackupReport = {
  file: '/backup/a.tar',
  entries: 5,
  bytes: 34_600_000,
  fileBytes: 3_800_000,
  documents: 3000,
  versions: 3100,
  seconds: 2,
  incomplete: [],
  sealed: false,
  keepElsewhere: null,
}

const restored: RestoreReport = {
  folder: '/data',
  entries: 5,
  bytes: 34_600_000,
  documents: 3000,
  versions: 3100,
  madeAt: '2026-01-01T00:00:00.000Z',
  seconds: 1,
  sealed: false,
}

describe('backup and restore', () => {
  const folder = useCliFolder()

  test('backup passes on its folder and file, and prints a summary', async () => {
    const calls: unknown[] = []
    const backup: Engine['backup'] = async ({ dataDir }, file, { force }) => {
      calls.push([dataDir, file, force])
      return backedUp
    }
    const { code, out, err } = await folder.run(['backup', 'a.tar', '--data', 'd', '--force'], { engine: { backup } })
    assert.deepEqual([code, err], [0, ''])
    assert.deepEqual(calls, [[join(folder.cwd, 'd'), join(folder.cwd, 'a.tar'), true]])
    assert.match(out, /^\/backup\/a\.tar: written in 2s\n {2}documents +3,000\n {2}versions +3,100\n/)
    assert.deepEqual(
      JSON.parse((await folder.run(['backup', 'a.tar', '--json'], { engine: { backup } })).out),
      backedUp,
    )
    assert.equal((calls[1] as unknown[])[2], false)
  })

  test('a name that promises another compression is refused', async () => {
    const { code, err } = await folder.run(['backup', 'monday.tar.xz'])
    assert.equal(code, 2)
    assert.match(err, /^erace backup: FILE: monday\.tar\.xz can't be compressed as \.xz; use \.gz, \.tgz, /)
    const engine = { backup: async () => backedUp }
    for (const name of ['a.tar', 'a.tar.gz', 'A.TGZ', 'a.tar.zst', 'a.tzst', 'backup-of-monday'])
      assert.equal((await folder.run(['backup', name], { engine })).code, 0, name)
  })

  test('a backup with missing parts exits with 1 and lists them', async () => {
    const incomplete = ['/data/archive/x.warc is missing']
    const engine = { backup: async () => ({ ...backedUp, incomplete }) }
    const { code, out } = await folder.run(['backup', 'a.tar'], { engine })
    assert.equal(code, 1)
    assert.match(out, /Parts of the archive are missing .*\n {2}\/data\/archive\/x\.warc is missing\n$/)
  })

  test('a sealed backup says which key to keep elsewhere', async () => {
    const report: BackupReport = { ...backedUp, sealed: true, keepElsewhere: '/data/secret.key' }
    const engine = { backup: async () => report }
    const { code, out } = await folder.run(['backup', 'a.tar'], { engine })
    assert.equal(code, 0)
    assert.match(out, /is sealed[\s\S]* without the key in \/data\/secret\.key:\nkeep a copy of it elsewhere/)
    assert.deepEqual(JSON.parse((await folder.run(['backup', 'a.tar', '--json'], { engine })).out), report)
    assert.doesNotMatch(
      (await folder.run(['backup', 'a.tar'], { engine: { backup: async () => backedUp } })).out,
      /key/,
    )
  })

  test('both show their progress on a terminal, and backup shows what it waits for', async () => {
    const backup: Engine['backup'] = async (_dataDir, _file, { onProgress, onWaiting }) => {
      onWaiting('in use by the collector')
      onProgress({ phase: 'snapshot', bytes: 500, totalBytes: 1000 })
      onProgress({ phase: 'copy', bytes: 10, totalBytes: 1000 })
      return backedUp
    }
    const { err } = await folder.run(['backup', 'a.tar'], { engine: { backup }, columns: 80 })
    assert.match(err, /^waiting: in use by the collector\n\rdatabases · 50 % · 500 B of 1\.0 KB\rfiles · 1 %/)
    const restore: Engine['restore'] = async (_file, _dataDir, { onProgress }) => {
      onProgress({ phase: 'copy', bytes: 10, totalBytes: 1000 })
      return restored
    }
    assert.match((await folder.run(['restore', 'a.tar'], { engine: { restore }, columns: 80 })).err, /^\rfiles · 1 %/)
  })

  test('restore reports what was restored and when the backup was made', async () => {
    const calls: unknown[] = []
    const restore: Engine['restore'] = async (file, { dataDir }, { keyFile }) => {
      calls.push([file, dataDir, keyFile])
      return restored
    }
    const { code, out, listening } = await folder.run(['restore', 'a.tar', '--data', 'd'], { engine: { restore } })
    assert.deepEqual([code, listening], [0, 0])
    await folder.run(['restore', 'a.tar', '--data', 'd', '--key-file', 'k'], { engine: { restore } })
    const places = [join(folder.cwd, 'a.tar'), join(folder.cwd, 'd')]
    assert.deepEqual(calls, [
      [...places, null],
      [...places, join(folder.cwd, 'k')],
    ])
    assert.match(out, /^\/data: restored the backup of 2026-01-01T00:00:00\.000Z in 1s\n/)
    assert.deepEqual(
      JSON.parse((await folder.run(['restore', 'a.tar', '--json'], { engine: { restore } })).out),
      restored,
    )
  })

  test('both take exactly one file', async () => {
    for (const name of ['backup', 'restore']) {
      const none = await folder.run([name, '--wrong'])
      assert.equal(none.code, 2)
      assert.match(none.err, /--wrong[\s\S]*needs a file name/)
      const two = await folder.run([name, 'a', 'b', 'c'])
      assert.equal(two.code, 2)
      assert.match(two.err, /b: .*takes one file[\s\S]*c: .*takes one file/)
    }
  })

  test('verify --repair reports its repairs', async () => {
    const report: VerifyReport = {
      files: 2,
      records: 10,
      bytes: 1000,
      unusedBytes: 100,
      seconds: 1,
      faults: [],
      faultCount: 0,
      repaired: {
        faults: [{ file: 'x.warc', offset: 5, url: null, message: 'damaged' }],
        faultCount: 1,
        lostVersions: 1,
        lostUrls: ['http://a.example/'],
        forgottenFiles: 0,
      },
    }
    const asked: boolean[] = []
    const verify: Engine['verify'] = async (_dataDir, _onProgress, { repair }) => {
      asked.push(repair)
      return report
    }
    const { code, out } = await folder.run(['verify', '--repair'], { engine: { verify } })
    await folder.run(['verify'], { engine: { verify } })
    assert.deepEqual([code, asked], [0, [true, false]])
    assert.match(
      out,
      /^1 error found\nx\.warc at 5: damaged\n1 bodies dropped; the next crawl fetches them again: http:\/\/a\.example\/\n\nno errors: .*\(100 B no longer needed\)/,
    )
  })
})
