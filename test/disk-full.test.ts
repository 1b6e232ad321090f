import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { CrawlResult } from '../src/core/reports/crawl-report.ts'
import { lastLines, readResult, startErace } from './kit/erace.ts'
import { assertVerified, newFolder, runCrawl, startCrawl } from './site/crawl-run.ts'
import { createHandlerSite, type HandlerSite } from './site/handler-site.ts'
import { createSite } from './site/site.ts'

/**
 * A crawl on a disk that is too small: a nearly full in-memory file system. Whenever the crawl reports that it is waiting,
 * one of the filler files is removed, so the disk is full at several points of one crawl.
 */
const diskBytes = 24 << 20
const fillerBytes = 1 << 20
const pageBytes = 16 << 10
const pages = 250
/** Few fetchers, so that the pages in flight fit into the space of one filler file. */
const options = ['--threads', '1', '--fetchers', '16']

type Disk = { folder: string; fillers(): string[]; freeOne(): void; unmount(): void }

/** Mounts a new disk, filled with files of equal size except for some free bytes. */
function mountDisk(freeBytes: number): Disk {
  const folder = mount(diskBytes)
  const filler = Buffer.alloc(fillerBytes)
  for (let left = diskBytes - freeBytes; left > 0; left -= fillerBytes)
    writeFileSync(join(folder, `filler-${left}`), filler.subarray(0, left))
  const fillers = (): string[] => readdirSync(folder).filter((name) => name.startsWith('filler-'))
  return {
    folder,
    fillers,
    freeOne() {
      const name = fillers()[0]
      if (name !== undefined) rmSync(join(folder, name))
    },
    unmount: () => unmount(folder),
  }
}

function mount(bytes: number): string {
  const folder = newFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'erace-test', folder], { stdio: 'pipe' })
  return folder
}

const unmount = (folder: string) => void spawnSync('umount', ['-l', folder])

/** Why no disk can be mounted here; undefined if it can. */
function whyNoDisk(): string | undefined {
  try {
    unmount(mount(1 << 20))
    return undefined
  } catch (error) {
    return `no file system in memory can be mounted: ${error}`
  }
}

/** Page n links to its two children in a binary tree; no two pages are alike. */
async function createLargePages(): Promise<HandlerSite> {
  return createHandlerSite((path, response) => {
    const page = path === '/' ? 0 : Number(/^\/(\d+)$/.exec(path)?.[1] ?? Number.NaN)
    if (!(page < pages)) return void response.writeHead(404).end()
    const links = [2 * page + 1, 2 * page + 2].filter((each) => each < pages)
    const text = `page ${page} `.repeat(pageBytes / 10)
    response.end(`<title>${page}</title>${links.map((each) => `<a href="/${each}">x</a>`).join('')}<p>${text}</p>`)
  })
}

async function startOnSmallDisk(t: TestContext) {
  const disk = mountDisk(2 << 20)
  const site = await createLargePages()
  t.after(async () => {
    await site.close()
    disk.unmount()
  })
  const data = join(disk.folder, 'data')
  return { disk, site, ...startCrawl([`${site.origin}/`], { data, options }) }
}

describe('a full disk', { skip: whyNoDisk() ?? false }, () => {
  test('pauses the crawl with a logged reason until there is space again', async (t) => {
    const { disk, site, data, child, ended } = await startOnSmallDisk(t)
    const pauses: string[] = []
    let statusWhileFull: Promise<void> | undefined
    child.stderr!.on('data', (text: string) => {
      const lines = text.split('\n').filter((line) => line.includes('the crawl waits'))
      pauses.push(...lines)
      if (lines.length === 0) return
      statusWhileFull ??= assertReadable(data)
      void statusWhileFull.then(() => disk.freeOne())
    })
    const { end, log } = await ended
    const result = readResult(end) as CrawlResult | undefined
    assert.ok(
      end.exitCode === 0 && result !== undefined,
      `exit ${end.exitCode}: ${end.stdout.slice(-500)} ${lastLines(end)}`,
    )
    await statusWhileFull
    assert.ok(pauses.length >= 2 && pauses.every((line) => /full|no space/i.test(line)), pauses.join('\n'))
    assert.ok(log.some((line) => line.msg.startsWith('the store takes writes again')))
    assert.deepEqual(
      { stored: result.stored, failed: result.failed, finished: result.finished },
      { stored: pages, failed: 0, finished: true },
    )
    // Nothing was fetched twice: results waited for space.
    assert.equal(site.asked.length, pages + 1)
    await assertVerified(data)
  })

  test('does not block an interrupt, and the next crawl continues', async (t) => {
    const { disk, site, data, child, ended } = await startOnSmallDisk(t)
    let isInterrupted = false
    child.stderr!.on('data', (text: string) => {
      if (isInterrupted || !text.includes('the crawl waits')) return
      isInterrupted = true
      child.kill('SIGINT')
    })
    const { end } = await ended
    assert.equal(end.exitCode, 1, lastLines(end))
    assert.match(end.stdout, /store-full/)
    while (disk.fillers().length > 0) disk.freeOne()
    const { result } = await runCrawl([`${site.origin}/`], { data })
    assert.equal(result.finished, true)
    await assertVerified(data)
    const status = await startErace(['status', '--data', data, '--json']).ended
    assert.equal(JSON.parse(status.stdout).documents.versions, pages)
  })

  test('makes a backup or restore fail without leaving files behind', async () => {
    const disk = mount(100 << 10)
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
      unmount(disk)
    }
  })
})

describe('a data folder that takes no files', { skip: whyNoDisk() ?? false }, () => {
  test('is neither called damaged nor an internal error: full or read-only is what commands say', async () => {
    const disk = mount(4 << 20)
    const site = await createSite({ pages: 20 })
    const data = join(disk, 'data')
    const errorOf = async (...args: string[]) => {
      const end = await startErace([...args, '--data', data, '--json']).ended
      const { error } = (readResult(end) ?? {}) as { error?: { code: string; message: string } }
      return { exitCode: end.exitCode, code: error?.code, message: error?.message ?? lastLines(end) }
    }
    try {
      await runCrawl([`${site.origin()}/`], { data, options: ['--allow-net', '127.0.0.0/8', '--threads', '1'] })
      const filler = join(disk, 'filler')
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k'])
      for (const command of ['verify', 'status', 'search x'])
        assert.deepEqual((await errorOf(...command.split(' '))).code, 'store-full', command)
      rmSync(filler)
      await assertVerified(data)
      // Logs left by readers are empty. With them, a folder could be read without writing anything.
      for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' }))
        if (/-(?:wal|shm)$/.test(name)) rmSync(join(data, name))
      execFileSync('mount', ['-o', 'remount,ro', disk], { stdio: 'pipe' })
      for (const command of ['verify', 'status', 'gc', `crawl ${site.origin()}/`]) {
        const { exitCode, code, message } = await errorOf(...command.split(' '))
        assert.deepEqual([exitCode, code], [1, 'store-failed'], `${command}: ${message}`)
        assert.match(message, /may not write|read-only/, command)
      }
    } finally {
      await site.close()
      unmount(disk)
    }
  })
})

async function assertReadable(data: string): Promise<void> {
  const end = await startErace(['status', '--data', data, '--json']).ended
  assert.equal(end.exitCode, 0, end.stderr)
}
