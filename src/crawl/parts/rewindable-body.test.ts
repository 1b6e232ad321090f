import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { createSpool, dropBody, MAX_MEMORY_BYTES, openBody, openSpoolFolder } from './rewindable-body.ts'

const folder = mkdtempSync(join(tmpdir(), 'erace-spool-'))
after(() => rmSync(folder, { recursive: true }))

let folders = 0
function newFolder(): string {
  const path = join(folder, String(++folders))
  mkdirSync(path)
  return path
}

const bytesOf = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => (at * 7) % 251)

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of stream) pieces.push(piece)
  return Uint8Array.from(Buffer.concat(pieces))
}

describe('a rewindable body', () => {
  for (const [length, kind] of [
    [0, 'memory'],
    [1, 'memory'],
    [MAX_MEMORY_BYTES, 'memory'],
    [MAX_MEMORY_BYTES + 1, 'file'],
    [3 * MAX_MEMORY_BYTES + 5, 'file'],
  ] as const)
    test(`of ${length} bytes is kept in ${kind === 'file' ? 'a file' : 'memory'} and can be read repeatedly`, async () => {
      const own = newFolder()
      const bytes = bytesOf(length)
      const data = await createSpool(own, 3).keep(bytes)
      assert.equal(data.kind, kind)
      assert.equal(readdirSync(own).length, kind === 'file' ? 1 : 0)
      const body = openBody(data)
      assert.equal(body.length, length)
      for (let time = 0; time < 2; time++) {
        assert.deepEqual(Uint8Array.from(await body.bytes()), bytes)
        assert.deepEqual(await collect(body.stream()), bytes)
      }
      await dropBody(data)
      await dropBody(data)
      assert.deepEqual(readdirSync(own), [])
    })

  test('stays the same for the next reader even if one modifies it', async () => {
    for (const length of [100, MAX_MEMORY_BYTES + 100]) {
      const given = bytesOf(length)
      const body = openBody(await createSpool(newFolder(), 1).keep(given))
      given.fill(1)
      const read = await body.bytes()
      read.fill(2)
      for await (const piece of body.stream()) piece.fill(3)
      assert.deepEqual(Uint8Array.from(await body.bytes()), bytesOf(length))
    }
  })

  test('can be read by two readers at once, and after one that stops half-way', async () => {
    const bytes = bytesOf(5 * MAX_MEMORY_BYTES)
    const body = openBody(await createSpool(newFolder(), 1).keep(bytes))
    for await (const piece of body.stream()) {
      assert.deepEqual(Uint8Array.from(piece), bytes.subarray(0, piece.length))
      break
    }
    const [one, other] = await Promise.all([collect(body.stream()), collect(body.stream())])
    assert.deepEqual(one, bytes)
    assert.deepEqual(other, bytes)
  })

  test('is stored in a separate file that only its owner can read', async () => {
    const own = newFolder()
    const long = bytesOf(MAX_MEMORY_BYTES + 1)
    const spools = [createSpool(own, 1), createSpool(own, 2)]
    const kept = await Promise.all([...spools, ...spools].map((spool) => spool.keep(long)))
    const paths = kept.map((data) => (data.kind === 'file' ? data.path : ''))
    assert.equal(new Set(paths).size, 4)
    for (const path of paths) assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  test('that cannot be written causes a typed error', async () => {
    const spool = createSpool(join(folder, 'missing'), 1)
    await assert.rejects(spool.keep(bytesOf(MAX_MEMORY_BYTES + 1)), (error) => isAppError(error, 'store-failed'))
  })
})

describe('spool folder', () => {
  test('has one subfolder per process; those of ended processes are removed at the next start', () => {
    const parent = join(newFolder(), 'spool')
    const { pid: ended } = spawnSync(process.execPath, ['--version'])
    const files = [`${ended}/1-1`, `${process.ppid}/1-1`, `${process.pid}/1-1`, 'notes/1-1']
    for (const file of files) {
      mkdirSync(join(parent, file, '..'), { recursive: true })
      writeFileSync(join(parent, file), 'left')
    }
    const { folder: own, remove } = openSpoolFolder(parent)
    assert.equal(existsSync(join(parent, String(ended))), false)
    assert.deepEqual(readdirSync(own), [], 'an earlier process had the same number')
    assert.equal(readFileSync(join(parent, `${process.ppid}/1-1`), 'utf8'), 'left')
    assert.equal(readFileSync(join(parent, 'notes/1-1'), 'utf8'), 'left')
    remove()
    assert.deepEqual(readdirSync(parent).sort(), [String(process.ppid), 'notes'].sort())
  })
})
