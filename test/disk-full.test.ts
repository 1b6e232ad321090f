import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { CrawlResult } from '../src/core/reports/crawl-report.ts'
import { lastLines, readResult, startErace } from './kit/erace.ts'
import { assertVerified, newFolder, runCrawl, startCrawl } from './site/crawl-run.ts'
import { createHandlerSite, type HandlerSite } from './site/handler-site.ts'

/**
 * A crawl on a disk that is too small for it. The disk is one in memory, filled up but for a little; whenever the crawl
 * says that it waits, one of the files that fill it goes. So the disk is full at several points of one crawl.
 */
const diskBytes = 24 << 20
const fillerBytes = 1 << 20
const pageBytes = 16 << 10
const pages = 250
/** Few fetchers hold few pages while the crawl waits: then a file's worth of room is enough for what is to be kept at once. */
const options = ['--threads', '1', '--fetchers', '16']

type Disk = { folder: string; fillers(): string[]; freeOne(): void; unmount(): void }

/** Fills a new disk with files of one size until so few bytes are left. */
function mountDisk(freeBytes: number): Disk {
  const folder = newFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'erace-test', folder])
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
    unmount: () => void spawnSync('umount', ['-l', folder]),
  }
}

/** Why no disk can be had here, or undefined. */
function whyNoDisk(): string | undefined {
  const folder = newFolder()
  const { status, stderr, error } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'erace-test', folder])
  if (status !== 0) return `no file system in memory can be mounted: ${error?.message ?? stderr}`
  spawnSync('umount', [folder])
  return undefined
}

/** Page n links to the next two of a binary tree, and no two pages are alike. */
async function createLargePages(): Promise<HandlerSite> {
  return createHandlerSite((path, response) => {
    const page = path === '/' ? 0 : Number(/^\/(\d+)$/.exec(path)?.[1] ?? Number.NaN)
    if (!(page < pages)) return void response.writeHead(404).end()
    const links = [2 * page + 1, 2 * page + 2].filter((each) => each < pages)
    const text = `page ${page} `.repeat(pageBytes / 10)
    response.end(`<title>${page}</title>${links.map((each) => `<a href="/${each}">x</a>`).join('')}<p>${text}</p>`)
  })
}

describe('a full disk', { skip: whyNoDisk() ?? false }, () => {
  test('pauses the crawl with a reason every time, and it resumes when there is room', async (t) => {
    const disk = mountDisk(2 << 20)
    const site = await createLargePages()
    t.after(async () => {
      await site.close()
      disk.unmount()
    })
    const data = join(disk.folder, 'data')
    const { child, ended } = startCrawl([`${site.origin}/`], { data, options })
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
    assert.ok(end.exitCode === 0 && result !== undefined, `exit ${end.exitCode}: ${lastLines(end)}`)
    await statusWhileFull
    assert.ok(pauses.length >= 2 && pauses.every((line) => /full|no space/i.test(line)), pauses.join('\n'))
    assert.ok(log.some((line) => line.msg.startsWith('the store takes writes again')))
    assert.deepEqual(
      { stored: result.stored, failed: result.failed, finished: result.finished },
      { stored: pages, failed: 0, finished: true },
    )
    // Nothing was fetched twice: what could not be kept was held.
    assert.equal(site.asked.length, pages + 1)
    await assertVerified(data)
  })

  test('does not block an interrupt, and the crawl continues later', async (t) => {
    const disk = mountDisk(2 << 20)
    const site = await createLargePages()
    t.after(async () => {
      await site.close()
      disk.unmount()
    })
    const data = join(disk.folder, 'data')
    const { child, ended } = startCrawl([`${site.origin}/`], { data, options })
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
})

async function assertReadable(data: string): Promise<void> {
  const end = await startErace(['status', '--data', data, '--json']).ended
  assert.equal(end.exitCode, 0, end.stderr)
}
