import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { isAppError } from '../../../core/errors.ts'
import type { CopyProgress } from '../../../core/reports/backup-report.ts'
import { filesOf, openOne } from '../../conformance/engine.testkit.ts'
import { offersOf, pageOf } from '../../conformance/samples.testkit.ts'
import { checkDatabases } from '../folder/checks.ts'
import { paths } from '../folder/folder.ts'
import { lockFolder } from '../folder/lock.ts'
import { createSqliteSystem } from '../testkit/store.testkit.ts'
import { PAGES, QUEUED, withSystem } from './backup.testkit.ts'

const fails = (code: Parameters<typeof isAppError>[1], text?: RegExp) => (error: unknown) => {
  assert.ok(isAppError(error, code), String(error))
  if (text !== undefined) assert.match(error.message, text)
  return true
}

const noTools = ['tar', 'sha256sum'].some((name) => spawnSync(name, ['--version']).status !== 0)
const needsTools = noTools && process.env.CI === undefined ? { skip: 'tar and sha256sum are not installed' } : {}

describe('a backup of the embedded store', () => {
  for (const name of ['b.tar', 'b.tar.gz', 'b.tgz', 'b.tar.zst']) {
    test(`${name} of a running system is complete and can be restored`, () =>
      withSystem(async ({ backup, restore, place, system, shard, host }) => {
        const report = await backup(name)
        assert.equal(report.documents, PAGES)
        assert.equal(report.versions, PAGES)
        assert.equal(report.fileBytes, statSync(join(place, name)).size)
        assert.deepEqual(report.incomplete, [])
        // Later writes are not in the backup.
        await shard.documents.record([pageOf(host, '/later', 'later')])
        await shard.frontier.offer(offersOf(host, QUEUED + 10))
        await system.close()
        const { documents, entries, bytes } = await restore(name, 'back')
        assert.deepEqual([documents, entries, bytes], [PAGES, report.entries, report.bytes])
        assert.deepEqual(checkDatabases(join(place, 'back')), [])
        const again = createSqliteSystem({ maxFileBytes: 2_000 }, join(place, 'back'))
        const opened = await openOne(again)
        assert.equal(opened.frontier.counts().queued, QUEUED)
        assert.equal((await opened.documents.counts()).documents, PAGES)
        let records = 0
        for (const { id } of await filesOf(opened.objects))
          for (const record of await opened.objects.records(id)) {
            records++
            assert.match((await opened.objects.read(record)).toString(), /body \d+/)
          }
        assert.equal(records, PAGES)
        assert.deepEqual(again.warnings, [])
        await again.destroy()
      }))
  }

  test('leaves only the backup file and reports progress', () =>
    withSystem(async ({ backup, place, system }) => {
      const seen: CopyProgress[] = []
      const report = await backup('b.tar', { onProgress: (progress) => seen.push(progress) })
      assert.deepEqual(readdirSync(place), ['b.tar'])
      assert.deepEqual([...new Set(seen.map(({ phase }) => phase))], ['snapshot', 'copy'])
      assert.deepEqual(seen.at(-1), { phase: 'copy', bytes: report.bytes, totalBytes: report.bytes })
      lockFolder(system.folder, 'test', 0, 'housekeeping').release()
    }))

  test('can be read by tar and checked by sha256sum', needsTools, () =>
    withSystem(async ({ backup, place }) => {
      const { entries } = await backup('b.tar')
      mkdirSync(join(place, 'out'))
      execFileSync('tar', ['xf', join(place, 'b.tar'), '-C', join(place, 'out')])
      const checked = execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: join(place, 'out'), encoding: 'utf8' })
      assert.equal(checked.match(/: OK$/gm)?.length, entries + 1)
    }),
  )

  test('overwrites a file only with force, and never writes into the data folder', () =>
    withSystem(async ({ backup, place, system }) => {
      writeFileSync(join(place, 'b.tar'), 'mine')
      await assert.rejects(backup('b.tar'), fails('usage-wrong', /--force/))
      assert.equal(readFileSync(join(place, 'b.tar'), 'utf8'), 'mine')
      await backup('b.tar', { force: true })
      assert.ok(statSync(join(place, 'b.tar')).size > 10_000)
      await assert.rejects(
        backup('', { file: paths.catalog(system.folder), force: true }),
        fails('usage-wrong', /data folder itself/),
      )
      await assert.rejects(backup('', { file: system.folder, force: true }), fails('usage-wrong'))
      await assert.rejects(backup('none/b.tar'), fails('usage-wrong', /no folder/))
      await assert.rejects(backup('b.tar', { folder: join(place, 'none') }), fails('store-missing'))
    }))

  test('waits for a process that replaces archive files, and names it', () =>
    withSystem(async ({ backup, system, place }) => {
      const lock = lockFolder(system.folder, 'the collector', 0, 'housekeeping')
      await assert.rejects(backup('b.tar', { patienceMs: 0 }), fails('store-locked', /the collector/))
      assert.deepEqual(readdirSync(place), [])
      const waited: string[] = []
      await backup('b.tar', {
        onWaiting(text) {
          waited.push(text)
          lock.release()
        },
      })
      assert.equal(waited.length, 1)
    }))

  test('clears leftovers of a killed backup but not files of others', () =>
    withSystem(async ({ backup, place }) => {
      const part = join(place, 'b.tar.part')
      mkdirSync(part)
      writeFileSync(join(part, 'lock.db'), '')
      writeFileSync(join(part, 'catalog.db'), 'half')
      await backup('b.tar')
      assert.deepEqual(readdirSync(place), ['b.tar'])
      mkdirSync(part)
      writeFileSync(join(part, 'diary.txt'), 'mine')
      await assert.rejects(backup('b.tar', { force: true }), fails('store-failed', /something else/))
      assert.deepEqual(readdirSync(part), ['diary.txt'])
    }))

  test('leaves nothing when interrupted', () =>
    withSystem(async ({ backup, place }) => {
      for (const phase of ['snapshot', 'copy']) {
        const stop = new AbortController()
        const { signal } = stop
        const onProgress = (progress: CopyProgress) => progress.phase === phase && stop.abort()
        await assert.rejects(backup('b.tar', { signal, onProgress }), { name: 'AbortError' })
        assert.deepEqual(readdirSync(place), [])
      }
    }))

  test('reports archive damage and copies the rest', () =>
    withSystem(async ({ backup, restore, place, system }) => {
      const archive = paths.archive(system.folder)
      const [first, second] = readdirSync(archive).sort()
      rmSync(join(archive, first!))
      truncateSync(join(archive, second!), 100)
      const { incomplete } = await backup('b.tar')
      assert.equal(incomplete.length, 2)
      assert.match(incomplete[0]!, /missing$/)
      assert.match(incomplete[1]!, /has 100 bytes/)
      await restore('b.tar', 'back')
      assert.equal(existsSync(join(place, 'back', 'archive', first!)), false)
      assert.equal(statSync(join(place, 'back', 'archive', second!)).size, 100)
    }))

  test('names a missing frontier and creates no file', () =>
    withSystem(async ({ backup, system, place }) => {
      await system.close()
      rmSync(paths.frontier(system.folder, 0))
      await assert.rejects(backup('b.tar'), fails('store-damaged', /00\.db/))
      assert.equal(existsSync(paths.frontier(system.folder, 0)), false)
      assert.deepEqual(readdirSync(place), [])
    }))
})
