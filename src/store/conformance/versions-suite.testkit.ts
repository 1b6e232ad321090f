import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Capture } from '../contracts/documents.ts'
import type { CataloguedDocument, Version } from '../contracts/versions.ts'
import { type OpenShard, openOne, type StoreEngine, withSystem } from './engine.testkit.ts'
import { goneOf, noteOf, pageOf } from './samples.testkit.ts'

const text = (words: string): Buffer => Buffer.from(words.padEnd(16).slice(0, 16))

/** What every engine promises about the versions of a document. */
export function versionsSuite(engine: StoreEngine): void {
  const withPage = (work: (page: PageUnderTest) => Promise<void>) =>
    withSystem(engine, {}, async (system) => {
      const shard = await openOne(system)
      await work(createPage(shard, system.hostOf(0, 0)))
    })

  describe(`versions (${engine.name})`, () => {
    test(
      'each version records when it was first and last seen, even once it is superseded',
      withPage(async ({ host, record, history }) => {
        await record(pageOf(host, '/', 'one', { at: 1_000 }))
        await record(noteOf(host, '/', 'unchanged', { at: 2_000 }))
        await record(noteOf(host, '/', 'failed', { at: 2_500, status: 500 }))
        await record(pageOf(host, '/', 'two', { at: 3_000 }))
        await record(pageOf(host, '/', 'two', { at: 4_000 }))
        assert.deepEqual(
          (await history()).map(({ n, reason, firstSeenAt, lastSeenAt }) => [n, reason, firstSeenAt, lastSeenAt]),
          [
            [1, 'new', 1_000, 2_000],
            [2, 'changed', 3_000, 4_000],
          ],
        )
      }),
    )

    test(
      'a version contains all captured fields',
      withPage(async ({ host, record, history }) => {
        const page = pageOf(host, '/', 'one', {
          etag: '"e"',
          lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT',
          title: 'One',
          text: text('one'),
          links: ['http://a.example/', `http://${host}/b`],
          truncated: 'length',
          freshUntil: 9_000,
        })
        await record(page)
        const [version] = await history()
        const { etag, lastModified, title, truncated, url, type, size, address, digest } = page
        const told = { etag, lastModified, title, truncated, url, type, size, address, digest }
        assert.deepEqual({ ...version, ...told, textDigest: page.text }, version)
        assert.equal(version?.body, 'kept')
        assert.equal(version.originalId, version.id)
      }),
    )

    test(
      'a page that disappears gets one gone version, and continues its history when it comes back',
      withPage(async ({ host, record, history, document, known }) => {
        await record(pageOf(host, '/', 'one', { etag: '"1"' }))
        assert.equal((await record(goneOf(host, '/', { at: 2_000 }))).kind, 'gone')
        assert.equal((await known())?.versionId, 0)
        assert.equal((await known())?.etag, '')
        assert.equal((await record(goneOf(host, '/', { at: 3_000 }))).kind, 'noted')
        assert.equal((await document())?.seenAt, 3_000)
        const back = await record(pageOf(host, '/', 'one', { at: 4_000 }))
        assert.equal(back.kind, 'duplicate')
        assert.deepEqual(
          (await history()).map(({ n, reason, status, firstSeenAt, lastSeenAt, body }) => [
            n,
            reason,
            status,
            firstSeenAt,
            lastSeenAt,
            body,
          ]),
          [
            [1, 'new', 200, 1_000, 1_000, 'kept'],
            [2, 'gone', 404, 2_000, 3_000, 'none'],
            [3, 'back', 200, 4_000, 4_000, 'kept'],
          ],
        )
      }),
    )

    test(
      'a version completed from a table is marked, and counts as one more answer without a full page',
      withPage(async ({ host, record, history, known }) => {
        await record(pageOf(host, '/', 'one'))
        await record(pageOf(host, '/', 'two', { at: 2_000, completed: 'price time' }))
        await record(noteOf(host, '/', 'unchanged', { at: 3_000 }))
        await record(pageOf(host, '/', 'three', { at: 4_000, completed: 'price' }))
        assert.equal((await known())?.notModified, 3)
        await record(pageOf(host, '/', 'three', { at: 5_000, completed: 'price' }))
        assert.equal((await known())?.notModified, 4)
        await record(pageOf(host, '/', 'three', { at: 6_000 }))
        assert.equal((await known())?.notModified, 0)
        assert.deepEqual(
          (await history()).map(({ completed }) => completed),
          ['', 'price time', 'price'],
        )
      }),
    )

    test(
      'a failing page records the reason and number of consecutive failures until it answers',
      withPage(async ({ host, record, document, bad }) => {
        const failed = (at: number, reason: string, status = 0) =>
          noteOf(host, '/', 'failed', { at, status, reason } as Partial<Capture>)
        await record(failed(1_000, 'dns-failed'))
        await record(failed(2_000, 'http-server-error', 503))
        await record(failed(2_000, 'http-server-error', 503))
        const state = async () => {
          const { outcome, reason, status, failures, checkedAt } = (await document())!
          return [outcome, reason, status, failures, checkedAt]
        }
        assert.deepEqual(await state(), ['failed', 'http-server-error', 503, 2, 2_000])
        await record(noteOf(host, '/', 'skipped', { at: 3_000, status: 200, reason: 'robots' } as Partial<Capture>))
        assert.deepEqual((await state()).slice(0, 4), ['skipped', 'robots', 200, 3])
        assert.deepEqual(await bad(), [`http://${host}/`])
        await record(pageOf(host, '/', 'one', { at: 4_000 }))
        assert.deepEqual((await state()).slice(0, 4), ['stored', '', 200, 0])
        assert.deepEqual(await bad(), [])
        await record(goneOf(host, '/', { at: 5_000, reason: 'http-client-error' } as Partial<Capture>))
        assert.deepEqual(await state(), ['failed', 'http-client-error', 404, 1, 5_000])
        await record(
          noteOf(host, '/', 'failed', { at: 6_000, status: 0, reason: 'connect-refused' } as Partial<Capture>),
        )
        assert.deepEqual((await state()).slice(1, 4), ['connect-refused', 0, 2])
        await record(pageOf(host, '/', 'one', { at: 7_000 }))
        await record(noteOf(host, '/', 'unchanged', { at: 8_000, status: 304 }))
        assert.deepEqual((await state()).slice(0, 4), ['unchanged', '', 304, 0])
      }),
    )

    test(
      'a page that moved away is gone, with its new location; an unknown page is only noted',
      withPage(async ({ host, record, history, document }) => {
        const moved = (path: string) =>
          goneOf(host, path, { outcome: 'redirect', status: 301, location: 'http://new.example/' } as Partial<Capture>)
        await record(pageOf(host, '/', 'one'))
        await record(moved('/'))
        const last = (await history()).at(-1)
        assert.deepEqual([last?.reason, last?.location], ['gone', 'http://new.example/'])
        assert.equal((await record(moved('/never'))).kind, 'noted')
        assert.equal((await document())?.outcome, 'redirect')
      }),
    )

    test(
      'different bytes with the same visible text and links are no change, but update the validators',
      withPage(async ({ host, record, history, known, links }) => {
        const parts = { links: ['http://a.example/'], linkNaming: 1 }
        const stored = await record(pageOf(host, '/', 'one nonce=1', { etag: '"1"', ...parts }))
        assert.equal(stored.kind, 'stored')
        const { versionId: sameTextAs } = stored
        const again = pageOf(host, '/', 'one nonce=2', { sameTextAs, etag: '"2"', ...parts, at: 2_000 })
        assert.deepEqual(await record(again), { kind: 'unchanged', duplicate: false })
        const versions = await history()
        assert.equal(versions.length, 1)
        assert.equal(versions[0]?.lastSeenAt, 2_000)
        assert.equal((await known())?.etag, '"2"')
        // The link fingerprints were made by other rules; the page itself has not changed.
        const renamed = { links: ['http://b.example/'], linkNaming: 2 }
        const named = pageOf(host, '/', 'one nonce=3', { sameTextAs, ...renamed, at: 3_000 })
        assert.deepEqual(await record(named), { kind: 'unchanged', duplicate: false })
        assert.deepEqual(await links(versions[0]!.id), ['http://b.example/'])
        assert.equal((await history()).length, 1)
      }),
    )

    test(
      'the same visible text with other links is a new version, with its own body and links',
      withPage(async ({ host, record, history, links, known }) => {
        const first = await record(pageOf(host, '/', 'one <a>', { links: ['http://a.example/'] }))
        assert.equal(first.kind, 'stored')
        const other = { links: ['http://b.example/'], at: 2_000 }
        const second = await record(pageOf(host, '/', 'one <b>', { sameTextAs: first.versionId, ...other }))
        assert.equal(second.kind, 'relinked')
        const third = await record(pageOf(host, '/', 'one', { sameTextAs: second.versionId, at: 3_000 }))
        assert.equal(third.kind, 'relinked')
        const versions = await history()
        assert.deepEqual(
          versions.map(({ n, reason, digest }) => [n, reason, digest.toString('hex')]),
          [
            [1, 'new', pageOf(host, '/', 'one <a>').digest.toString('hex')],
            [2, 'links', pageOf(host, '/', 'one <b>').digest.toString('hex')],
            [3, 'links', pageOf(host, '/', 'one').digest.toString('hex')],
          ],
        )
        assert.deepEqual(await Promise.all(versions.map(({ id }) => links(id))), [
          ['http://a.example/'],
          ['http://b.example/'],
          [],
        ])
        assert.equal((await known())?.versionId, third.versionId)
      }),
    )

    test(
      'a difference in another watched aspect is a change, even with the same bytes',
      withPage(async ({ host, record, history }) => {
        const first = await record(pageOf(host, '/', 'one'))
        assert.ok(first.kind === 'stored')
        const other = { status: 203, differsFrom: first.versionId, at: 2_000 }
        const second = await record(pageOf(host, '/', 'one', other))
        assert.ok('versionId' in second)
        assert.deepEqual(await record(pageOf(host, '/', 'one', { ...other, at: 3_000 })), {
          kind: 'unchanged',
          duplicate: false,
        })
        assert.deepEqual(
          (await history()).map(({ n, reason, status }) => [n, reason, status]),
          [
            [1, 'new', 200],
            [2, 'changed', 203],
          ],
        )
      }),
    )

    test(
      'the same text as that of an earlier, superseded version is a change',
      withPage(async ({ host, record }) => {
        const first = await record(pageOf(host, '/', 'a'))
        assert.equal(first.kind, 'stored')
        await record(pageOf(host, '/', 'b', { at: 2_000 }))
        const back = pageOf(host, '/', 'a, almost', { sameTextAs: first.versionId, text: text('a'), at: 3_000 })
        assert.equal((await record(back)).kind, 'stored')
      }),
    )

    test(
      'a known document has the fingerprints of its current version',
      withPage(async ({ host, record, known }) => {
        const page = pageOf(host, '/', 'a', { text: text('a'), textRules: 7 })
        await record(page)
        const found = await known()
        assert.deepEqual(Buffer.from(found!.digest), page.digest)
        assert.deepEqual(Buffer.from(found!.text!), page.text)
        assert.equal(found?.textRules, 7)
      }),
    )

    test(
      'a new ETag on equal content is no change, and is used from then on',
      withPage(async ({ host, record, history, known }) => {
        await record(pageOf(host, '/', 'same', { etag: '"1"' }))
        await record(pageOf(host, '/', 'same', { etag: '"2"', at: 2_000 }))
        assert.equal((await history()).length, 1)
        assert.equal((await known())?.etag, '"2"')
      }),
    )

    test(
      'validators that stayed the same while the content changed are never trusted again',
      withPage(async ({ host, record, known }) => {
        await record(pageOf(host, '/', 'one', { etag: '"same"' }))
        await record(noteOf(host, '/', 'unchanged', { at: 2_000 }))
        assert.equal((await known())?.notModified, 1)
        await record(pageOf(host, '/', 'two', { etag: '"same"', at: 3_000 }))
        assert.equal((await known())?.etag, '')
        await record(pageOf(host, '/', 'three', { etag: '"other"', at: 4_000 }))
        assert.equal((await known())?.etag, '')
      }),
    )

    test(
      'a truncated body does not replace a complete one',
      withPage(async ({ host, record, history }) => {
        await record(pageOf(host, '/', 'the whole page'))
        assert.equal((await record(pageOf(host, '/', 'the wh', { truncated: 'time', at: 2_000 }))).kind, 'incomplete')
        assert.equal((await history()).length, 1)
        assert.equal((await record(pageOf(host, '/new', 'the wh', { truncated: 'time' }))).kind, 'stored')
        assert.equal((await record(pageOf(host, '/new', 'the whole', { at: 2_000 }))).kind, 'stored')
      }),
    )

    test(
      'the version at a given time is the last one seen by then',
      withPage(async ({ host, record, document, shard }) => {
        await record(pageOf(host, '/', 'one', { at: 1_000 }))
        await record(pageOf(host, '/', 'two', { at: 3_000 }))
        const { id } = (await document())!
        const numberAt = async (at: number) => (await shard.versions.versionAt(id, at))?.n ?? null
        assert.deepEqual(await Promise.all([999, 1_000, 2_999, 3_000, 9_000].map(numberAt)), [null, 1, 1, 2, 2])
      }),
    )

    test(
      'versions are listed newest first, in pages',
      withPage(async ({ host, record, document, shard }) => {
        for (const [index, words] of ['one', 'two', 'three', 'four'].entries())
          await record(pageOf(host, '/', words, { at: 1_000 * (index + 1) }))
        await record(pageOf(host, '/other', 'other', { at: 9_000 }))
        const { id } = (await document())!
        const numbers = async (before: number, limit: number) =>
          (await shard.versions.newest(id, { before, limit })).map(({ n }) => n)
        assert.deepEqual(await numbers(Number.MAX_SAFE_INTEGER, 3), [4, 3, 2])
        assert.deepEqual(await numbers(2, 3), [1])
        assert.deepEqual(await numbers(1, 3), [])
      }),
    )

    test(
      'an unchanged list of links is returned for every version',
      withPage(async ({ host, record, history, links }) => {
        const list = ['http://a.example/', `http://${host}/b`]
        await record(pageOf(host, '/', 'one', { links: list }))
        await record(pageOf(host, '/', 'two', { links: list, at: 2_000 }))
        await record(pageOf(host, '/', 'three', { links: [], at: 3_000 }))
        const lists = await Promise.all((await history()).map(({ id }) => links(id)))
        assert.deepEqual(lists, [list, list, []])
      }),
    )

    test(
      'documents and versions are listed in pages, each once',
      withPage(async ({ host, record, shard }) => {
        for (let n = 0; n < 7; n++) await record(pageOf(host, `/${n}`, String(n)))
        const paged = async (read: OpenShard['versions']['documents'] | OpenShard['versions']['versions']) => {
          const ids: number[] = []
          for (let more = true; more; ) {
            const rows = await read({ after: ids.at(-1) ?? 0, limit: 3 })
            ids.push(...rows.map(({ id }) => id))
            more = rows.length > 0
          }
          return ids.length
        }
        assert.equal(await paged(shard.versions.documents), 7)
        assert.equal(await paged(shard.versions.versions), 7)
      }),
    )

    test(
      'current versions are listed newest first, in pages, including gone ones',
      withPage(async ({ host, record, shard }) => {
        await record(pageOf(host, '/a', 'one'))
        await record(pageOf(host, '/b', 'one of b'))
        await record(pageOf(host, '/c', 'one of c'))
        await record(noteOf(host, '/d', 'failed', { status: 500 }))
        await record(pageOf(host, '/a', 'two', { at: 2_000 }))
        await record(goneOf(host, '/b', { at: 3_000 }))
        const listed: Version[] = []
        for (let before = Number.MAX_SAFE_INTEGER; ; ) {
          const page = await shard.versions.current({ before, limit: 2 })
          if (page.length === 0) break
          listed.push(...page)
          before = page.at(-1)!.id
        }
        assert.deepEqual(
          listed.map(({ url, n, reason }) => [new URL(url).pathname, n, reason]),
          [
            ['/b', 2, 'gone'],
            ['/a', 2, 'changed'],
            ['/c', 1, 'new'],
          ],
        )
      }),
    )

    test(
      'a document is found by key, URL and id',
      withPage(async ({ host, record, shard, document }) => {
        const page = pageOf(host, '/', 'one')
        await record(page)
        const found = await document()
        assert.equal(found?.fp, page.fp)
        assert.deepEqual(await shard.versions.documentOfUrl(host, page.url), found)
        assert.deepEqual(await shard.versions.documentOfId(found!.id), found)
        assert.equal(await shard.versions.documentOfUrl(host, `${page.url}x`), null)
      }),
    )
  })
}

type PageUnderTest = ReturnType<typeof createPage>

/** The document `/` of a host. */
function createPage(shard: OpenShard, host: string) {
  const key = pageOf(host, '/', '')
  const document = (): Promise<CataloguedDocument | null> => shard.versions.document(key)
  return {
    shard,
    host,
    document,
    async record(capture: Capture) {
      const [outcome] = await shard.documents.record([capture])
      return outcome!
    },
    async history(): Promise<Version[]> {
      return shard.versions.history((await document())!.id, { after: 0, limit: 100 })
    },
    known: async () => (await shard.documents.find([key]))[0],
    links: (versionId: number) => shard.versions.links(versionId),
    bad: async () => (await shard.versions.badDocuments({ after: 0, limit: 100 })).map(({ url }) => url),
  }
}
