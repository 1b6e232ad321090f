import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { lastLines, readResult, startErace } from './kit/erace.ts'
import { newFolder, runCrawl } from './site/crawl-run.ts'
import { createSite } from './site/site.ts'

/** A disk in memory that is too small for a backup; undefined where none can be had. */
function mountSmallDisk(): string | undefined {
  const folder = newFolder()
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=100k', 'erace-test', folder])
  return status === 0 ? folder : undefined
}

test('a disk that fills up ends a backup or restore with nothing left behind', async (t) => {
  const disk = mountSmallDisk()
  if (disk === undefined) {
    assert.equal(process.env.CI, undefined, 'no file system in memory can be mounted')
    return t.skip('no file system in memory can be mounted')
  }
  const site = await createSite({ pages: 200 })
  try {
    const options = ['--allow-net', '127.0.0.0/8', '--threads', '1']
    const { data } = await runCrawl([`${site.origin()}/`], { options })
    const codeOf = async (...args: string[]) => {
      const end = await startErace([...args, '--json']).ended
      const { error } = (readResult(end) ?? {}) as { error?: { code: string } }
      return [end.exitCode, error?.code ?? lastLines(end)]
    }
    assert.deepEqual(await codeOf('backup', join(disk, 'b.tar'), '--data', data), [1, 'store-full'])
    assert.deepEqual(readdirSync(disk), [])
    const file = join(newFolder(), 'b.tar')
    assert.equal((await codeOf('backup', file, '--data', data))[0], 0)
    assert.deepEqual(await codeOf('restore', file, '--data', join(disk, 'data')), [1, 'store-full'])
    assert.deepEqual(readdirSync(disk), [])
  } finally {
    await site.close()
    execFileSync('umount', ['-l', disk])
  }
})
