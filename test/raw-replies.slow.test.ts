import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { WARCParser } from 'warcio'
import type { ErrorCode } from '../src/core/errors.ts'
import { bodyDigest } from '../src/core/url/fingerprint.ts'
import { type Origin, startOrigin } from '../src/crawl/fetch/origin.testkit.ts'
import { manners, outcomeOf, type RawReply, rawReplies, serve } from '../src/crawl/fetch/raw-replies.testkit.ts'
import type { CataloguedDocument, Version, VersionStore } from '../src/store/contracts/versions.ts'
import { createPostgresVersions } from '../src/store/postgres/archive/versions.ts'
import { createDatabase, usePostgres } from '../src/store/postgres/testkit/postgres.testkit.ts'
import { createSqliteVersions } from '../src/store/sqlite/documents/versions.ts'
import { openCatalogForReading } from '../src/store/sqlite/folder/folder.ts'
import { startCrawl } from './cluster/worker-process.ts'
import { lastLines, startErace } from './kit/erace.ts'
import { newFolder, runCrawl } from './site/crawl-run.ts'

usePostgres()

/** Every combination of reply and manner has its own page, linked from the first. */
const pages = manners.flatMap((manner) => rawReplies.map((reply) => ({ manner, reply })))
const pathOf = (number: number): string => `/raw/${number}`

/** Time before a reset, so that the crawl, which is another process, can read the reply. */
const READ_MS = 500

const settings = {
  crawl: {
    ...{ headerTimeout: '5s', stallTimeout: '5s', maxAttempts: 1 },
    // By default, a host that fails this often would rest for long.
    ...{ hostFailures: 1, hostRest: '0', hostRestMax: '0', hostRests: 1000 },
  },
}
const options = ['--per-host', '32', '--fetchers', '32']
const environment = Object.fromEntries(
  Object.entries(settings.crawl).map(([name, value]) => [`ERACE_CRAWL_${name.toUpperCase()}`, String(value)]),
)

function startSite(): Promise<Origin> {
  const links = pages.map((_, number) => `<a href="${pathOf(number)}">${number}</a>`).join('')
  return startOrigin((socket, request) => {
    const number = /^GET \/raw\/(\d+) /.exec(request)?.[1]
    if (number !== undefined) {
      const { reply, manner } = pages[Number(number)]!
      serve(socket, reply, manner, READ_MS)
    } else if (request.startsWith('GET / '))
      socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${links.length}\r\n\r\n${links}`)
    else socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
  })
}

/** The stored result of a crawl. */
type Crawled = { documents: CataloguedDocument[]; versions: Version[]; warc: string }

type Engine = { name: string; crawl(seed: string): Promise<Crawled> }

async function readStore(store: VersionStore): Promise<Omit<Crawled, 'warc'>> {
  const all = { after: 0, limit: 10_000 }
  return { documents: await store.documents(all), versions: await store.versions({ ...all, mayMiss: true }) }
}

async function exportWarc(target: string[]): Promise<string> {
  const warc = join(newFolder(), 'all.warc')
  const end = await startErace(['export', 'warc', warc, ...target]).ended
  assert.equal(end.exitCode, 0, lastLines(end))
  return warc
}

const engines: Engine[] = [
  {
    name: 'a data folder',
    async crawl(seed) {
      const { data } = await runCrawl([seed], { settings, options })
      const db = openCatalogForReading(data)
      try {
        return { ...(await readStore(createSqliteVersions(db))), warc: await exportWarc(['--data', data]) }
      } finally {
        db.close()
      }
    },
  },
  {
    name: 'PostgreSQL',
    async crawl(seed) {
      const database = await createDatabase()
      try {
        const end = await startCrawl(database.address, [seed], options, environment).ended
        assert.equal(end.exitCode, 0, lastLines(end))
        const found = await readStore(createPostgresVersions(database.pool))
        return { ...found, warc: await exportWarc(['--store', database.address]) }
      } finally {
        await database.destroy()
      }
    },
  },
]

/** The error code under which a page is counted; null if it is stored. */
function reasonOf({ reply, manner }: (typeof pages)[number]): ErrorCode | null {
  const outcome = outcomeOf(reply, manner)
  if (outcome.kind === 'failed') return outcome.code
  const { status, body } = reply
  if (status === 206 || (status === 202 && body === '')) return 'http-incomplete'
  if (status < 300) return null
  if (status < 400) return 'redirect-refused'
  return status < 500 ? 'http-client-error' : 'http-server-error'
}

type KeptRecord = { statusLine: string; body: string | null }

/** Status line and body of each URL; the body is null if it is stored under another URL. */
async function readRecords(warc: string): Promise<Map<string, KeptRecord>> {
  const records = new Map<string, KeptRecord>()
  for await (const record of new WARCParser(createReadStream(warc), { parseHttp: false })) {
    const block = Buffer.from(await record.readFully(false)).toString('latin1')
    if (record.warcType !== 'response' && record.warcType !== 'revisit') continue
    const [head = ''] = block.split('\r\n\r\n', 1)
    const body = record.warcType === 'revisit' ? null : block.slice(head.length + 4)
    records.set(record.warcTargetURI ?? '', { statusLine: head.split('\r\n', 1)[0]!, body })
  }
  return records
}

for (const engine of engines) {
  describe(`raw replies, crawled into ${engine.name}`, () => {
    let site: Origin
    let documents: Map<string, CataloguedDocument>
    let versions: Map<string, Version[]>
    let records: Map<string, KeptRecord>

    before(async () => {
      site = await startSite()
      const crawled = await engine.crawl(`${site.url}/`)
      documents = new Map(crawled.documents.map((document) => [document.url, document]))
      versions = Map.groupBy(crawled.versions, ({ url }) => url)
      records = await readRecords(crawled.warc)
    })
    after(() => site.close())

    for (const [number, page] of pages.entries()) {
      const { reply, manner } = page
      test(`${reply.name}, ${manner}`, () => {
        const url = `${site.url}${pathOf(number)}`
        assertPage(url, reply, reasonOf(page))
      })
    }

    function assertPage(url: string, reply: RawReply, reason: ErrorCode | null): void {
      const document = documents.get(url)
      const kept = versions.get(url) ?? []
      if (reason !== null) {
        assert.deepEqual({ outcome: document?.outcome, reason: document?.reason }, { outcome: 'failed', reason })
        assert.deepEqual(kept, [])
        assert.equal(records.has(url), false)
        return
      }
      const body = Buffer.from(reply.body, 'latin1')
      assert.deepEqual({ reason: document?.reason, status: document?.status }, { reason: '', status: reply.status })
      assert.equal(kept.length, 1)
      const { size, truncated, digest } = kept[0]!
      assert.deepEqual(
        { size, truncated, digest: Buffer.from(digest) },
        { size: body.length, truncated: '', digest: bodyDigest(body) },
      )
      const record = records.get(url)
      assert.equal(record?.statusLine, reply.line)
      if (record?.body !== null) assert.equal(record?.body, reply.body)
    }
  })
}
