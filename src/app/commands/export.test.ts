import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readResult, startErace } from '../../../test/kit/erace.ts'
import { createExportFolder, type ExportFolder, pageWith } from '../../archive/export/export.testkit.ts'

describe('erace export', () => {
  let folder: ExportFolder
  before(async () => {
    const links = Array.from({ length: 500 }, (_, n) => `http://a.example/${n}/${'long'.repeat(20)}`)
    folder = await createExportFolder(links.map((_, n) => pageWith('a.example', `/${n}`, `page ${n}`, { links })))
  })
  after(() => folder.remove())

  const run = (...words: string[]) => startErace(['export', ...words, '--data', folder.folder])

  test('writes each kind of file and reports the result', async () => {
    for (const [kind, name, records] of [
      ['warc', 'x.warc.gz', 500],
      ['cdxj', 'x.cdxj', 500],
      ['links', 'x.csv', 250_000],
      ['meta', 'x.xml', 500],
    ] as const) {
      const file = join(folder.out, name)
      const end = await run(kind, file, '--json').ended
      const { seconds: _, ...result } = readResult(end) ?? {}
      const bytes = readFileSync(file).length
      assert.deepEqual(result, { kind, file, records, bytes, skipped: 0, faults: [], interrupted: false }, end.stderr)
      assert.equal(end.exitCode, 0)
    }
    assert.deepEqual(readdirSync(folder.out).toSorted(), ['x.cdxj', 'x.csv', 'x.warc.gz', 'x.xml'])
  })

  test('writes the whole export to standard output, even if it is read late', async () => {
    // The links of 11 pages are more than a pipe holds.
    const words = ['links', '-', '--quiet', '--url', 'http://a.example/10']
    const late = run(...words)
    late.child.stdout!.pause()
    const { stdout: expected } = await run(...words).ended
    late.child.stdout!.resume()
    const { stdout, stderr, exitCode } = await late.ended
    assert.equal(stdout.trim().split('\n').length, 11 * 500)
    assert.ok(stdout === expected)
    assert.deepEqual([stderr, exitCode], ['', 0])
  })

  test('lists the URLs that a crawl could not fetch, and why', async () => {
    const pages = new Map([
      ['/robots.txt', 'User-agent: *\nDisallow: /private'],
      ['/', '<a href=/missing>m</a><a href=/private>p</a><a href=/broken>b</a>'],
    ])
    const server = createServer(({ url }, response) => {
      const page = pages.get(url ?? '')
      response.writeHead(url === '/broken' ? 500 : page === undefined ? 404 : 200, { 'content-type': 'text/html' })
      response.end(page ?? 'nothing here')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const data = join(folder.out, 'crawled')
    const crawl = ['crawl', `${origin}/`, '--allow-net', '127.0.0.0/8', '--delay', '0', '--data', data, '--quiet']
    for (let n = 0; n < 2; n++) assert.equal((await startErace(crawl).ended).exitCode, 0)
    const { stdout, stderr, exitCode } = await startErace(['export', 'bad-urls', '-', '--json', '--data', data]).ended
    server.close()
    assert.deepEqual([stderr, exitCode], ['', 0])
    const lines = stdout.trim().split('\n')
    const found = lines.map((line) => JSON.parse(line) as Record<string, string | number>)
    assert.deepEqual(
      found.map(({ url, reason, status, times, parent }) => [url, reason, status, times, parent]).toSorted(),
      [
        [`${origin}/broken`, 'http-server-error', 500, 2, `${origin}/`],
        [`${origin}/missing`, 'http-client-error', 404, 2, `${origin}/`],
        [`${origin}/private`, 'robots', 0, 2, `${origin}/`],
      ],
    )
    for (const { last } of found) assert.match(String(last), /^20\d\d-.*Z$/)
  })

  test('stops if the reader closes the pipe', async () => {
    const { child, ended } = run('links', '-', '--quiet')
    await once(child.stdout!, 'data')
    child.stdout!.destroy()
    const { exitCode, stderr } = await ended
    assert.deepEqual([exitCode, stderr], [130, ''])
  })

  test('reports a missing data folder', async () => {
    const { exitCode, stderr } = await startErace(['export', 'warc', join(folder.out, 'y'), '--data', '/no/such']).ended
    assert.equal(exitCode, 1)
    assert.match(stderr, /There is no data folder at/)
  })
})
