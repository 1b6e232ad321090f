import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { annotate, withServer } from '../inbox/inbox.testkit.ts'
import { ada, addFeed, changed, feedUrl } from './links.testkit.ts'

const isThere = spawnSync('newsboat', ['--version']).status === 0
if (!isThere && process.env.CI) throw new Error('newsboat must be there in CI (Debian package newsboat)')
const skip = isThere ? false : 'there is no newsboat (Debian package newsboat)'

type Row = { feedurl: string; title: string; url: string; content: string; pubDate: number; guid: string }

/** A newsboat with its own files. Each call reloads and returns all its entries, by title. */
async function createReader(folder: string, urls: readonly string[]): Promise<() => Promise<Row[]>> {
  await mkdir(folder)
  const file = (name: string): string => join(folder, name)
  await writeFile(file('urls'), urls.join('\n'))
  await writeFile(file('config'), '')
  const given = ['-u', file('urls'), '-c', file('cache.db'), '-C', file('config'), '-x', 'reload']
  return async () => {
    await promisify(execFile)('newsboat', given, { env: { ...process.env, HOME: folder }, timeout: 60_000 })
    const db = new DatabaseSync(file('cache.db'), { readOnly: true })
    const sql = 'SELECT feedurl, title, url, content, pubDate, guid FROM rss_item ORDER BY title'
    const rows = db.prepare(sql).all() as Row[]
    db.close()
    return rows
  }
}

describe('newsboat', () => {
  test(
    'reads Atom and RSS feeds of a profile and of the inbox, and gets 304 if they are unchanged',
    { skip },
    withServer(async (server) => {
      const folder = await mkdtemp(join(tmpdir(), 'erace-newsboat-'))
      try {
        await annotate(server, ada, { profile: 'p1', url: 'http://shop.example/kettle?a=1&b=2', ...changed })
        await annotate(server, ada, { profile: 'p2', url: 'http://news.example/', title: '<b>Bold & "new"</b>' })
        const statuses: number[] = []
        server.server.server.on('request', (_request, response) =>
          response.on('finish', () => statuses.push(response.statusCode)),
        )
        await server.server.listen({ host: '127.0.0.1', port: 0 })
        const { port } = server.server.server.address() as AddressInfo
        const feeds = [await addFeed(server, 'c_all'), await addFeed(server, 'c_one', { profile: 'p1' })]
        for (const format of ['atom', 'rss'] as const) {
          const paths = await Promise.all(feeds.map((feed) => feedUrl(server, feed, format)))
          const urls = paths.map((path) => `http://127.0.0.1:${port}${path}`)
          const reload = await createReader(join(folder, format), urls)
          statuses.length = 0
          const rows = await reload()
          const kettle = ['Kettle: € 39.90 → € 34.50', 'http://shop.example/kettle?a=1&b=2']
          const bold = ['<b>Bold & "new"</b>', 'http://news.example/']
          const told = urls.map((url) =>
            rows.filter(({ feedurl }) => feedurl === url).map((row) => [row.title, row.url]),
          )
          assert.deepEqual(told, [[bold, kettle], [kettle]])
          for (const { content, pubDate, guid } of rows) {
            assert.equal(pubDate, Date.UTC(2026, 0, 1, 12) / 1000)
            assert.match(guid, /^urn:uuid:/)
            assert.match(content, /Saved copy<\/a>/)
          }
          assert.deepEqual(statuses, [200, 200])
          // It stores ETags only for feeds that it already has.
          await reload()
          await reload()
          assert.deepEqual(statuses.slice(4), [304, 304])
          const id = await annotate(server, ada, { profile: 'p1', title: 'Teapot', at: Date.now() })
          assert.equal((await reload()).filter(({ title }) => title === 'Teapot').length, 2)
          await server.as(ada).patch(`/annotations/${id}`, { archived: true })
        }
      } finally {
        await rm(folder, { recursive: true })
      }
    }),
  )
})
