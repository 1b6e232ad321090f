import assert from 'node:assert/strict'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createDirectBuffer, openDirectFile } from './direct-file.ts'

/** Bytes that differ from place to place. */
function bytesOf(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at++) bytes[at] = (at * 31 + (at >> 8) * 7 + seed) & 0xff
  return bytes
}

async function withFile(folder: string, work: (path: string, fd: number) => Promise<void>): Promise<void> {
  const own = mkdtempSync(join(folder, 'erace-direct-'))
  const path = join(own, 'file')
  const fd = openSync(path, 'w+')
  try {
    await work(path, fd)
  } finally {
    closeSync(fd)
    rmSync(own, { recursive: true })
  }
}

const sizes = [1, 4095, 4096, 4097, 8192, 25_000, (4 << 20) - 1, 4 << 20, (4 << 20) + 1, 9_000_001]

describe('a file written past the page cache', () => {
  // A file system in memory has no such writes, or other rules for them.
  for (const folder of [tmpdir(), '/dev/shm'].filter(existsSync))
    test(`holds what was appended, in any sizes and mixed with ordinary writes (${folder})`, () =>
      withFile(folder, async (path, fd) => {
        const file = openDirectFile(path, fd, createDirectBuffer())
        const expected: Buffer[] = []
        let length = 0
        for (const [n, size] of [...sizes, ...sizes.toReversed(), 10, 10].entries()) {
          const bytes = bytesOf(size, n)
          const cut = Math.floor(size / 3)
          await file.append([bytes.subarray(0, cut), bytes.subarray(cut)], length)
          const between = bytesOf(n * 100, n + 1)
          writeSync(fd, between, 0, between.length, length + size)
          expected.push(bytes, between)
          length += size + between.length
          // Read as others do, through the cache.
          assert.ok(readFileSync(path).equals(Buffer.concat(expected)), `after ${n + 1} appends`)
        }
        file.close()
        assert.ok(readFileSync(path).equals(Buffer.concat(expected)))
      }))

  test('goes on through the cache if its own descriptor is closed', () =>
    withFile(tmpdir(), async (path, fd) => {
      const file = openDirectFile(path, fd, createDirectBuffer())
      await file.append([bytesOf(5000, 1)], 0)
      file.close()
      await file.append([bytesOf(5000, 2)], 5000)
      assert.ok(readFileSync(path).equals(Buffer.concat([bytesOf(5000, 1), bytesOf(5000, 2)])))
    }))

  test('refuses to append to a file that has become shorter', () =>
    withFile(tmpdir(), async (path, fd) => {
      const file = openDirectFile(path, fd, createDirectBuffer())
      await assert.rejects(file.append([bytesOf(10, 1)], 100), { code: 'store-damaged' })
      file.close()
    }))

  test('reports a full disk', { skip: existsSync('/dev/full') ? false : 'no /dev/full' }, async () => {
    const fd = openSync('/dev/full', 'r+')
    const file = openDirectFile('/dev/full', fd, createDirectBuffer())
    try {
      await assert.rejects(file.append([bytesOf(5000, 1)], 0), { code: 'ENOSPC' })
    } finally {
      file.close()
      closeSync(fd)
    }
  })
})
