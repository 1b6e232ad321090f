import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { AppError, type ErrorCode, isAppError } from '../../../core/errors.ts'
import type { CopyProgress } from '../../../core/reports/backup-report.ts'
import { withAccess } from '../../../core/url/access.ts'
import { filesOf, openOne } from '../../conformance/engine.testkit.ts'
import { offersOf, pageOf } from '../../conformance/samples.testkit.ts'
import { checkDatabases } from '../folder/checks.ts'
import { paths } from '../folder/folder.ts'
import { createSqliteSystem } from '../testkit/store.testkit.ts'
import { type BackedUp, keyOf, PAGES, withSystem } from './backup.testkit.ts'
import { SEALED_CHUNK_BYTES, SEALED_HEADER_BYTES } from './sealed-file.ts'

const credentials = '5f0c'.repeat(6)
const letter = 'Dear Ada, the vault opens with 4711. '
const title = 'About the vault'

/** A folder with public pages and one message that was fetched with a user's credentials. */
const withPrivate = (work: (parts: BackedUp) => Promise<void>): Promise<void> =>
  withSystem(async (parts) => {
    const url = withAccess(`imap://${parts.host}/INBOX/1`, { render: 'http', credentials })
    await parts.shard.documents.record([pageOf(parts.host, '/mail', letter.repeat(10), { url, title })])
    await work(parts)
  })

const fails = (code: ErrorCode, text: RegExp) => (error: unknown) => {
  assert.ok(isAppError(error, code), String(error))
  assert.match(error.message, text)
  return true
}

const traces = [letter, title, 'INBOX', credentials, 'body 1', 'SQLite format 3']

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

function assertHidden(path: string): void {
  const bytes = readFileSync(path)
  for (const text of traces) assert.equal(bytes.includes(text), false, `${path}: ${text}`)
}

/** The blocks of 16 bytes in which the chunks of a sealed file are encrypted. */
function blocksOf(bytes: Buffer): string[] {
  const blocks: string[] = []
  for (let start = SEALED_HEADER_BYTES; start < bytes.length; start += 4 + SEALED_CHUNK_BYTES + 16) {
    const end = Math.min(start + 4 + SEALED_CHUNK_BYTES, bytes.length - 16)
    for (let at = start + 4; at + 16 <= end; at += 16) blocks.push(bytes.toString('latin1', at, at + 16))
  }
  return blocks
}

describe('a backup of a folder with private data', () => {
  for (const name of ['b.tar', 'b.tar.gz', 'b.tar.zst']) {
    test(`${name} hides all data and can be restored completely`, () =>
      withPrivate(async ({ backup, restore, place, system }) => {
        const report = await backup(name)
        assert.deepEqual([report.sealed, report.keepElsewhere], [true, '/keys/test key'])
        assertHidden(join(place, name))
        assert.deepEqual(readdirSync(place), [name])
        assert.equal(existsSync(paths.snapshots(system.folder)), false)
        const back = await restore(name, 'back')
        assert.deepEqual([back.sealed, back.documents, back.bytes], [true, PAGES + 1, report.bytes])
        assert.deepEqual(checkDatabases(join(place, 'back')), [])
        const plain = Buffer.concat(filesIn(join(place, 'back')).map((path) => readFileSync(path)))
        for (const text of traces) assert.equal(plain.includes(text), true, text)
        for (const file of readdirSync(paths.archive(system.folder))) {
          const original = readFileSync(join(paths.archive(system.folder), file))
          assert.ok(original.equals(readFileSync(join(place, 'back', 'archive', file))), file)
        }
        const again = createSqliteSystem({ maxFileBytes: 2_000 }, join(place, 'back'))
        const { objects } = await openOne(again)
        let letters = 0
        for (const { id } of await filesOf(objects))
          for (const record of await objects.records(id)) if ((await objects.read(record)).includes(letter)) letters++
        assert.equal(letters, 1)
        await again.destroy()
      }))
  }

  test('is sealed for a private queued URL too, but not for a browser without credentials', () =>
    withSystem(async ({ backup, shard, host, place }) => {
      const page = `http://${host}/rendered`
      const rendered = withAccess(page, { render: 'browser', credentials: '' })
      await shard.documents.record([pageOf(host, '/rendered', 'open', { url: rendered })])
      const open = await backup('open.tar')
      assert.deepEqual([open.sealed, open.keepElsewhere], [false, null])
      assert.equal(readFileSync(join(place, 'open.tar')).includes('body 1'), true)
      const [offer] = offersOf(host, 1)
      await shard.frontier.offer([{ ...offer!, fp: 77n, url: withAccess(page, { render: 'browser', credentials }) }])
      assert.equal((await backup('queued.tar')).sealed, true)
    }))

  test('has no block of ciphertext in common with another one', () =>
    withPrivate(async ({ backup, place }) => {
      await backup('a.tar')
      await backup('b.tar')
      const blocks = ['a.tar', 'b.tar'].flatMap((name) => blocksOf(readFileSync(join(place, name))))
      assert.ok(blocks.length > (2 * SEALED_CHUNK_BYTES) / 16, 'several chunks')
      assert.equal(new Set(blocks).size, blocks.length)
    }))

  test('cannot be restored with a wrong key or without one, and nothing is left behind', () =>
    withPrivate(async ({ backup, restore, place }) => {
      await backup('b.tar')
      const wrong = restore('b.tar', 'back', { key: keyOf('other') })
      await assert.rejects(
        wrong,
        fails('credentials-locked', /with the key in \/keys\/other: it was sealed with another/),
      )
      await assert.rejects(restore('b.tar', 'back', { key: null }), fails('credentials-locked', /--key-file/))
      assert.deepEqual(readdirSync(place), ['b.tar'])
    }))

  test('is not made without a key', () =>
    withPrivate(async ({ backup, place, system }) => {
      const key = {
        place: 'credentials.key',
        read: () => {
          throw new AppError('credentials-locked', 'no key is set')
        },
      }
      await assert.rejects(
        backup('b.tar', { key }),
        fails('credentials-locked', /sealed with their key: no key is set/),
      )
      assert.deepEqual(readdirSync(place), [])
      assert.equal(existsSync(paths.snapshots(system.folder)), false)
    }))

  test('is rejected if it is cut off anywhere', () =>
    withPrivate(async ({ backup, restore, place }) => {
      await backup('b.tar')
      const bytes = readFileSync(join(place, 'b.tar'))
      const chunk = 4 + SEALED_CHUNK_BYTES + 16
      const atChunks = [0, 1, 2].map((n) => SEALED_HEADER_BYTES + n * chunk)
      assert.ok(atChunks[2]! < bytes.length, 'several chunks')
      const lastChunk = bytes.length - ((bytes.length - SEALED_HEADER_BYTES) % chunk)
      for (const end of [30, ...atChunks, atChunks[1]! + 2, 100_000, lastChunk, bytes.length - 17, bytes.length - 1]) {
        writeFileSync(join(place, 'cut.tar'), bytes.subarray(0, end))
        await assert.rejects(restore('cut.tar', 'back'), fails('file-invalid', /cut off/), `cut at ${end}`)
      }
      assert.deepEqual(readdirSync(place).sort(), ['b.tar', 'cut.tar'])
    }))

  test('is rejected if a bit is flipped, chunks are reordered or data follows the end', () =>
    withPrivate(async ({ backup, restore, place }) => {
      await backup('b.tar')
      const bytes = readFileSync(join(place, 'b.tar'))
      const refuses = async (changed: Buffer, code: ErrorCode, text: RegExp, what: string) => {
        writeFileSync(join(place, 'bad.tar'), changed)
        await assert.rejects(restore('bad.tar', 'back'), fails(code, text), what)
      }
      const flipped = (at: number, bit = 1) => {
        const changed = Buffer.from(bytes)
        changed[at] = changed[at]! ^ bit
        return changed
      }
      const chunk = 4 + SEALED_CHUNK_BYTES + 16
      const first = SEALED_HEADER_BYTES
      await refuses(flipped(3), 'file-invalid', /refused/, 'magic')
      await refuses(flipped(20, 2), 'store-too-new', /format 3/, 'format')
      for (const at of [25, 60]) await refuses(flipped(at), 'credentials-locked', /first bytes/, `header at ${at}`)
      for (const at of [first + 3, first + 4, first + chunk - 1, first + chunk + 500, bytes.length - 1])
        await refuses(flipped(at), 'file-invalid', /damaged/, `byte ${at}`)
      await refuses(flipped(first, 0x80), 'file-invalid', /damaged/, 'the last chunk announced too early')
      const [head, one, two, rest] = [
        bytes.subarray(0, first),
        bytes.subarray(first, first + chunk),
        bytes.subarray(first + chunk, first + 2 * chunk),
        bytes.subarray(first + 2 * chunk),
      ]
      await refuses(Buffer.concat([head, two, one, rest]), 'file-invalid', /damaged/, 'swapped')
      await refuses(Buffer.concat([head, one, rest]), 'file-invalid', /damaged/, 'left out')
      await refuses(Buffer.concat([bytes, Buffer.of(0)]), 'file-invalid', /goes on after its end/, 'longer')
      assert.deepEqual(readdirSync(place).sort(), ['b.tar', 'bad.tar'])
    }))

  test('leaves nothing when it or its restore is interrupted', () =>
    withPrivate(async ({ backup, restore, place, system }) => {
      for (const phase of ['snapshot', 'copy']) {
        const stop = new AbortController()
        const onProgress = (progress: CopyProgress) => progress.phase === phase && stop.abort()
        await assert.rejects(backup('b.tar', { signal: stop.signal, onProgress }), { name: 'AbortError' })
        assert.deepEqual(readdirSync(place), [])
        assert.equal(existsSync(paths.snapshots(system.folder)), false)
      }
      await backup('b.tar')
      const stop = new AbortController()
      const restored = restore('b.tar', 'back', { signal: stop.signal, onProgress: () => stop.abort() })
      await assert.rejects(restored, { name: 'AbortError' })
      assert.deepEqual(readdirSync(place), ['b.tar'])
    }))

  for (const phase of ['snapshot', 'copy']) {
    test(`killed in the phase ${phase} leaves nothing readable at its target, and the next one cleans up`, () =>
      withPrivate(async ({ backup, restore, place, system }) => {
        const file = join(place, 'b.tar')
        const { signal } = killedBackup(system.folder, file, phase)
        assert.equal(signal, 'SIGKILL')
        assert.deepEqual(readdirSync(place), ['b.tar.part'])
        for (const name of readdirSync(`${file}.part`)) assertHidden(join(`${file}.part`, name))
        assert.equal(existsSync(paths.snapshots(system.folder)), true)
        await backup('b.tar')
        assert.deepEqual(readdirSync(place), ['b.tar'])
        assert.equal(existsSync(paths.snapshots(system.folder)), false)
        assert.equal((await restore('b.tar', 'back')).documents, PAGES + 1)
      }))
  }

  test('restores its key into the folder on request', () =>
    withPrivate(async ({ backup, restore, place }) => {
      await backup('b.tar')
      await restore('b.tar', 'back', { keepsKey: true })
      const kept = readFileSync(paths.key(join(place, 'back')), 'latin1')
      assert.equal(kept, `${keyOf('test key').read().toString('hex')}\n`)
    }))
})

/** A backup in its own process, which dies as soon as it reaches that phase. */
function killedBackup(folder: string, file: string, phase: string) {
  const program = `
    import { systemClock } from '${new URL('../../../core/clock.ts', import.meta.url)}'
    import { backupFolder } from '${new URL('backup.ts', import.meta.url)}'
    import { keyOf } from '${new URL('backup.testkit.ts', import.meta.url)}'
    const onProgress = (progress) => progress.phase === '${phase}' && process.kill(process.pid, 'SIGKILL')
    const [folder, file] = ${JSON.stringify([folder, file])}
    await backupFolder({ folder, file, force: false, clock: systemClock, key: keyOf('test key'), onWaiting() {}, onProgress })`
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
}
