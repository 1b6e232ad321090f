import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { startErace } from '../kit/erace.ts'

test('a file tree is crawled, and recrawled without rereading unchanged files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-tree-'))
  mkdirSync(join(folder, 'tree', 'below'), { recursive: true })
  writeFileSync(join(folder, 'tree', 'one.txt'), 'The first file.\n')
  writeFileSync(join(folder, 'tree', 'below', 'two.md'), '# The second file\n')
  const seed = `${pathToFileURL(join(folder, 'tree'))}/`
  const run = async (...args: string[]) => {
    const end = await startErace([...args, '--data', join(folder, 'data'), '--json']).endWithin(60_000)
    assert.equal(end.exitCode, 0, end.stderr)
    return JSON.parse(end.stdout) as { fetched: number; stored: number; bytes: number; items?: { url: string }[] }
  }
  const first = await run('crawl', seed)
  assert.deepEqual([first.fetched, first.stored, first.bytes], [4, 4, 34])
  const again = await run('crawl', seed)
  assert.deepEqual([again.stored, again.bytes], [0, 0])
  writeFileSync(join(folder, 'tree', 'below', 'two.md'), '# Another second file\n')
  assert.equal((await run('crawl', seed)).bytes, 22)
  rmSync(folder, { recursive: true })
})
