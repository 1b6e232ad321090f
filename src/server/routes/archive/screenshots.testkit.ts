import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { PNG } from 'pngjs'
import { Value } from 'typebox/value'
import { resourceRecord } from '../../../archive/warc/record-writer.ts'
import { bodyDigest, digestText } from '../../../core/url/fingerprint.ts'
import { draftOf, nothing } from '../../../store/conformance/annotations-suite.testkit.ts'
import { pageOf } from '../../../store/conformance/samples.testkit.ts'
import type { Capture, DocumentKey } from '../../../store/contracts/documents.ts'
import type { CataloguedDocument } from '../../../store/contracts/versions.ts'
import { Screenshots } from '../../schemas/documents.ts'
import type { TestServer } from '../../server.testkit.ts'
import { ada, eve } from './archive.testkit.ts'

export type KeyOf = (url: string) => DocumentKey | null

/** A server on a store with captures, and Ada and Eve as its users. */
export type ScreenshotArchive = {
  erace: Pick<TestServer, 'as' | 'stores'>
  keyOf: KeyOf
  /** Marks a body as deleted to save space. */
  dropBody(versionId: number): Promise<void>
  close(): Promise<void>
}

/** White, with a black bar at the top. */
function picture(barHeight: number): Buffer {
  const png = new PNG({ width: 64, height: 48 })
  png.data.fill(255)
  for (let at = 0; at < 64 * barHeight * 4; at += 4) png.data.writeUInt32BE(0x000000ff, at)
  return PNG.sync.write(png)
}

const page = 'http://~b@shop.example/prices'
const steps = 'http://~b@shop.example/list#!click=.more'
const plain = 'http://shop.example/plain'

function captureOf(keyOf: KeyOf, url: string, at: number, content: string | Buffer): Capture {
  const body = Buffer.from(content)
  const type = typeof content === 'string' ? 'text/html' : 'image/png'
  const digest = bodyDigest(body)
  const facts = { uri: url, date: at, address: null, contentType: type, body, truncated: null, refers: null }
  const record = resourceRecord({ ...facts, payloadDigest: digestText(digest) })
  return pageOf('', '', body, { ...keyOf(url)!, url, at, type, digest, render: () => record.parts })
}

function capturesOf(keyOf: KeyOf): Capture[] {
  const visits: [string, number, string, Buffer | null][] = [
    [page, 1_000, '<p>Price: 10</p>', picture(16)],
    [page, 2_000, '<p>Price: 20</p>', picture(32)],
    // Nothing visible changed: the picture is the same.
    [page, 3_000, '<p hidden>Price: 30</p>', picture(32)],
    [steps, 1_000, '<p>One</p>', picture(8)],
    [plain, 1_000, '<p>One</p>', null],
    [plain, 2_000, '<p>Two</p>', null],
  ]
  return visits.flatMap(([url, at, body, shot]) => [
    captureOf(keyOf, url, at, body),
    ...(shot === null ? [] : [captureOf(keyOf, `${url}#screenshot`, at, shot)]),
  ])
}

/** On every engine. */
export function testScreenshots(
  engine: string,
  create: (captures: (keyOf: KeyOf) => Capture[]) => Promise<ScreenshotArchive>,
): void {
  describe(`screenshots of two versions, on the ${engine} engine`, () => {
    let archive: ScreenshotArchive
    const documentOf = async (url: string): Promise<CataloguedDocument> =>
      (await archive.erace.stores.versions.document(archive.keyOf(url)!))!
    const pathOf = async (url: string) => `/documents/${(await documentOf(url)).id}/screenshots`
    const get = async (path: string, email = ada) => archive.erace.as(email).get(path)

    before(async () => {
      archive = await create(capturesOf)
      for (const url of [page, steps, plain]) {
        const { id, versionId } = await documentOf(url)
        const draft = draftOf(id, versionId, { owner: ada })
        await archive.erace.stores.annotations.commit({ ...nothing, annotations: [draft] })
      }
    })
    after(() => archive?.close())

    test('are returned with their size and the areas that differ', async () => {
      const path = await pathOf(page)
      const answer = await get(`${path}?from=1&to=2`)
      assert.equal(answer.statusCode, 200, answer.body)
      const compared = answer.json()
      assert.deepEqual([...Value.Errors(Screenshots, compared)], [])
      const sideOf = ({ n, width, height }: { n: number; width: number; height: number }) => [n, width, height]
      assert.deepEqual(
        [sideOf(compared.before), sideOf(compared.after)],
        [
          [1, 64, 48],
          [2, 64, 48],
        ],
      )
      assert.equal(compared.changedShare, 1 / 3)
      assert.deepEqual(compared.boxes, [{ x: 0, y: 16, width: 64, height: 16 }])

      const [old, later] = [await get(compared.before.url), await get(compared.after.url)]
      assert.ok(old.rawPayload.equals(picture(16)) && later.rawPayload.equals(picture(32)))
      const difference = await get(compared.difference)
      const marked = PNG.sync.read(difference.rawPayload)
      assert.equal(marked.data.readUInt32BE(20 * 64 * 4), 0xff0000ff, 'in red')
      assert.notEqual(marked.data.readUInt32BE(40 * 64 * 4), 0xff0000ff)
      for (const { headers } of [old, later, difference]) {
        assert.equal(headers['content-type'], 'image/png')
        assert.match(String(headers['content-security-policy']), /^sandbox; default-src 'none'; /)
        assert.equal(headers['cache-control'], 'no-store')
        assert.match(String(headers.etag), /^"\d+-\d+-(?:before|after|difference)"$/)
      }
    })

    test('are reused for a version that looks like the previous one; the last two are compared by default', async () => {
      const path = await pathOf(page)
      const compared = (await get(path)).json()
      assert.deepEqual([compared.from, compared.to, compared.changedShare, compared.boxes], [2, 3, 0, []])
      assert.ok((await get(compared.after.url)).rawPayload.equals(picture(32)))
      assert.ok((await get(`${path}/before?from=3&to=1`)).rawPayload.equals(picture(32)))
    })

    test('are separate for a page with steps', async () => {
      const compared = (await get(await pathOf(steps))).json()
      assert.equal(compared.after.n, 1)
      assert.ok((await get(compared.after.url)).rawPayload.equals(picture(8)))
    })

    test('are missing for a page that no browser has read, and not found for an unknown version', async () => {
      const path = await pathOf(plain)
      const { before: old, after: later, difference, changedShare, boxes } = (await get(path)).json()
      assert.deepEqual({ old, later, difference, changedShare, boxes }, { ...none, boxes: [] })
      for (const name of ['before', 'after', 'difference']) {
        const answer = await get(`${path}/${name}`)
        assert.deepEqual([answer.statusCode, answer.json().error.code], [404, 'not-found'])
        assert.match(answer.json().error.message, /has no screenshot/)
      }
      assert.equal((await get(`${await pathOf(page)}?from=7`)).statusCode, 404)
      assert.equal((await get(`${path}/other`)).statusCode, 400)
    })

    test('are visible only to users who may see the page', async () => {
      const path = await pathOf(page)
      const { id } = await documentOf(`${page}#screenshot`)
      assert.equal((await get(`/documents/${id}`)).statusCode, 404, 'she has no annotation of the picture itself')
      assert.equal((await get(`${path}/after`)).statusCode, 200)
      for (const each of [path, `${path}/before`, `${path}/after`, `${path}/difference`])
        assert.equal((await get(each, eve)).statusCode, 404, each)
    })

    test('are reported as gone (410) once they are no longer stored', async () => {
      const path = await pathOf(page)
      const { id } = await documentOf(`${page}#screenshot`)
      const [first] = await archive.erace.stores.versions.history(id, { after: 0, limit: 1 })
      await archive.dropBody(first!.id)
      const { before: old, after: later, difference } = (await get(`${path}?from=1&to=2`)).json()
      assert.deepEqual([old, later.n, difference], [null, 2, null])
      for (const name of ['before', 'difference']) {
        const answer = await get(`${path}/${name}?from=1&to=2`)
        assert.deepEqual([answer.statusCode, answer.json().error.code], [410, 'body-gone'], name)
      }
      assert.equal((await get(`${path}/after?from=1&to=2`)).statusCode, 200)
    })
  })
}

const none = { old: null, later: null, difference: null, changedShare: null }
