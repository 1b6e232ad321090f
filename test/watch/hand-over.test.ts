import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { readResult, startErace } from '../kit/erace.ts'
import { newFolder } from '../site/crawl-run.ts'
import { createSite, type Site } from '../site/site.ts'
import { createUpFolder, type UpFolder, until } from './up-run.ts'

const PAGES = 12

describe('erace crawl in the folder of a running erace up', () => {
  const folder = newFolder()
  let site: Site
  let shared: UpFolder
  let up: ReturnType<UpFolder['start']>

  before(async () => {
    site = await createSite({ pages: PAGES, etags: true })
    shared = await createUpFolder(folder)
    up = shared.start()
    await up.ready()
  })
  after(async () => {
    await up.stop()
    shared.close()
    await site.close()
  })

  const crawl = (...args: string[]) => startErace(['crawl', `${site.origin()}/`, '--data', folder, '--json', ...args])

  test('hands the crawl to the service, waits for its end, and reports the result', async () => {
    const end = await crawl('--threads', '1').ended
    assert.equal(end.exitCode, 0, end.stderr)
    assert.match(end.stderr, /handed to the running service/)
    assert.match(end.stderr, /"ignored":\["--threads"\]/)
    const { fetched, stored, failed, queued, finished, interrupted, skipped } = readResult(end)!
    const expected = { fetched: PAGES, stored: PAGES, failed: 0, queued: 0, finished: true, interrupted: false }
    assert.deepEqual({ fetched, stored, failed, queued, finished, interrupted }, expected)
    assert.deepEqual(Object.keys(skipped as object).sort(), [
      ...['address', 'blocked', 'length', 'limit', 'robots', 'scope', 'trap', 'type'],
    ])
    const again = readResult(await crawl().ended)!
    assert.deepEqual([again.stored, again.unchanged, again.finished], [0, PAGES, true])
    const limited = readResult(await crawl('--max-pages', '3').ended)!
    assert.deepEqual([limited.fetched, limited.finished, limited.interrupted], [3, false, false])
  })

  test('rejects options that the service cannot apply to a single crawl', async () => {
    const before = site.log.length
    const end = await crawl('--no-robots', '--max-body', '1MB').ended
    assert.equal(end.exitCode, 2)
    assert.match(end.stdout + end.stderr, /--max-body.*--no-robots|--no-robots.*--max-body/)
    assert.equal(site.log.length, before)
  })

  test('reports why the service refuses a crawl', async () => {
    const end = await startErace(['crawl', 'http://10.1.2.3/', '--data', folder]).ended
    assert.equal(end.exitCode, 2)
    assert.match(end.stderr, /the service refused the crawl: .*10\.1\.2\.3/)
  })

  test('continues in the service when the command is interrupted', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    site.set('/', { body: '<p>held</p><a href="/page/5.html">next</a>', until: promise })
    const asked = site.log.length
    const command = crawl()
    await command.logs('handed to the running service')
    await until('the held page is asked for', () => site.log.slice(asked).some(({ path }) => path === '/'))
    const end = await command.stop('SIGINT')
    assert.equal(end.exitCode, 130)
    assert.match(end.stderr, /the running service goes on with crawl \d+/)
    assert.equal(readResult(end)!.interrupted, true)
    resolve()
    await until('the rest is fetched', () => site.log.slice(asked).some(({ path }) => path === '/page/5.html'))
  })
})
