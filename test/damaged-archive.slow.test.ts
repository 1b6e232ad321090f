import assert from 'node:assert/strict'
import { closeSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { VerifyReport } from '../src/core/reports/verify-report.ts'
import { readResult, startErace } from './kit/erace.ts'
import { assertVerified, newFolder, runCrawl } from './site/crawl-run.ts'
import { createSite, type Site } from './site/site.ts'

const pages = 240
/** Small files, so that a crawl writes several. */
const settings = { archive: { maxFile: '64KB', compress: false } }

function blank(path: string, from: number, to: number): void {
  const fd = openSync(path, 'r+')
  writeSync(fd, Buffer.alloc(to - from), 0, to - from, from)
  closeSync(fd)
}

async function verify(data: string, ...options: string[]) {
  const end = await startErace(['verify', '--data', data, '--json', ...options]).ended
  return { code: end.exitCode, report: readResult(end) as VerifyReport | undefined, stdout: end.stdout }
}

describe('damage to the archive', () => {
  let site: Site
  before(async () => {
    site = await createSite({ pages, etags: true })
  })
  after(() => site.close())

  const crawl = (data: string) =>
    runCrawl([`${site.origin()}/`], { data, settings, options: ['--allow-net', '127.0.0.0/8', '--threads', '1'] })
  const filesOf = (data: string) => {
    const archive = join(data, 'archive')
    return readdirSync(archive)
      .sort()
      .map((name) => join(archive, name))
  }

  test('records torn by a power cut are truncated, and their pages fetched again', async () => {
    const data = join(newFolder(), 'data')
    await crawl(data)
    const last = filesOf(data).at(-1)!
    const { size } = statSync(last)
    blank(last, size - 2000, size)
    site.log.length = 0
    const { log, result } = await crawl(data)
    const warning = log.find(({ msg }) => msg.includes(last))
    assert.match(warning?.msg ?? '', /the last \d+ bytes .* versions are lost \(http/)
    const again = site.log.filter(({ status }) => status === 200).length
    assert.ok(again > 0 && again < 10, `${again} pages were sent again`)
    assert.deepEqual([result.stored, result.unchanged], [0, pages])
    await assertVerified(data)
  })

  test('the next crawl fetches exactly the versions that verify --repair discarded', async () => {
    const data = join(newFolder(), 'data')
    await crawl(data)
    const [first, second, third, fourth] = filesOf(data)
    blank(first!, statSync(first!).size / 2, statSync(first!).size / 2 + 10)
    rmSync(second!)
    blank(third!, 30_000, statSync(third!).size)
    assert.ok(fourth !== undefined)
    const found = await verify(data)
    assert.equal(found.code, 1)
    const lost = found.report!.faults.filter(({ url }) => url !== null).length
    assert.ok(lost > 2, found.stdout)
    const repaired = await verify(data, '--repair')
    assert.equal(repaired.code, 0, repaired.stdout)
    const { forgottenFiles, lostVersions, faultCount } = repaired.report!.repaired!
    assert.deepEqual([forgottenFiles, faultCount], [1, found.report!.faultCount])
    assert.ok(lostVersions > lost)
    assert.equal((await verify(data)).code, 0)
    site.log.length = 0
    const { result } = await crawl(data)
    assert.equal(site.log.filter(({ status }) => status === 200).length, lostVersions)
    assert.deepEqual([result.stored, result.unchanged], [0, pages])
    const { report, code } = await verify(data)
    assert.deepEqual([code, report!.records], [0, pages])
  })

  test('verify --repair refuses a folder that is in use', async () => {
    const data = join(newFolder(), 'data')
    await crawl(data)
    const { lockFolder } = await import('../src/store/sqlite/folder/lock.ts')
    const lock = lockFolder(data, 'a crawl', 0)
    const { code, stdout } = await verify(data, '--repair')
    lock.release()
    assert.equal(code, 1)
    assert.match(stdout, /store-locked.*a crawl/)
    const repaired = await verify(data, '--repair')
    assert.deepEqual([repaired.code, repaired.report!.repaired!.faultCount], [0, 0])
  })
})
