import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, afterEach, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { WARCParser } from 'warcio'
import { openPromise } from 'yauzl'
import { ZipFile } from 'yazl'
import { isAppError } from '../../core/errors.ts'
import { verifyWacz } from '../verify/verify-wacz.ts'
import { createExportFolder, type ExportFolder, goneWith, itemWith, pageWith } from './export.testkit.ts'

const start = Date.UTC(2026, 0, 1)
const hour = 3_600_000

describe('WACZ export', () => {
  let folder: ExportFolder | null = null
  afterEach(() => {
    folder?.remove()
    folder = null
  })

  async function make(): Promise<ExportFolder> {
    folder = await createExportFolder([
      pageWith('b.example', '/2', '<p>two</p>', { at: start, title: 'Two – „quoted“' }),
      pageWith('a.example', '/1', '<p>one</p>', { at: start + hour, gzip: true, title: 'One' }),
      pageWith('a.example', '/copy', '<p>two</p>', { at: start + 2 * hour, title: 'Copy' }),
      pageWith('a.example', '/1', '<p>changed</p>', { at: start + 3 * hour, title: 'One again' }),
      goneWith('b.example', '/2', start + 4 * hour),
      itemWith('f.example', '/file', 'text'),
    ])
    return folder
  }

  test('has records, index, pages and digests, with each record at its indexed position', async () => {
    const { export: run, out } = await make()
    const file = join(out, 'site.wacz')
    const report = await run({ kind: 'wacz', file })
    assert.deepEqual([report.records, report.skipped, report.bytes], [6, 0, readFileSync(file).length])
    const files = await unzip(file)
    assert.deepEqual(
      [...files.keys()],
      [
        'archive/data.warc.gz',
        'indexes/index.cdx.gz',
        'indexes/index.idx',
        'pages/pages.jsonl',
        'datapackage.json',
        'datapackage-digest.json',
      ],
    )
    const lines = gunzipSync(files.get('indexes/index.cdx.gz')!).toString().trimEnd().split('\n')
    assert.deepEqual(lines, lines.toSorted())
    for (const line of lines) {
      const { url, offset, length, filename } = JSON.parse(line.slice(line.indexOf('{')))
      const warc = files.get(`archive/${filename}`)!
      const record = await new WARCParser([warc.subarray(Number(offset), Number(offset) + Number(length))]).parse()
      assert.equal(record!.warcTargetURI, url)
    }
    const [meta, block] = files.get('indexes/index.idx')!.toString().trimEnd().split('\n')
    assert.equal(meta, '!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}')
    assert.ok(block!.startsWith(`${lines[0]!.split(' {')[0]} {"offset":0,"length":`))
    const pages = files
      .get('pages/pages.jsonl')!
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      pages.map(({ url, ts, title }) => [url, ts, title]),
      [
        [undefined, undefined, 'All pages'],
        ['http://a.example/1', '2026-01-01T01:00:00.000Z', 'One'],
        ['http://a.example/1', '2026-01-01T03:00:00.000Z', 'One again'],
        ['http://a.example/copy', '2026-01-01T02:00:00.000Z', 'Copy'],
        ['http://b.example/2', '2026-01-01T00:00:00.000Z', 'Two – „quoted“'],
      ],
    )
    const checked = await verifyWacz(file, () => {})
    assert.deepEqual([checked.files, checked.records, checked.faults], [6, 7, []])
  })

  test('accepts a selection of versions, includes the originals of revisits, and may be empty', async () => {
    const { export: run, out } = await make()
    const part = join(out, 'part.wacz')
    const selection = { urlPrefix: 'http://a.example/copy' }
    assert.equal((await run({ kind: 'wacz', file: part, selection })).records, 2)
    assert.deepEqual((await verifyWacz(part, () => {})).faults, [])
    const none = join(out, 'none.wacz')
    assert.equal((await run({ kind: 'wacz', file: none, selection: { urlPrefix: 'http://none.example/' } })).records, 0)
    assert.deepEqual((await verifyWacz(none, () => {})).faults, [])
  })

  test('leaves no file if it fails or is stopped', async () => {
    const made = await make()
    const file = join(made.out, 'x.wacz')
    const stop = new AbortController()
    const versions = { ...made.versions, version: async () => Promise.reject(new Error('no')) }
    await assert.rejects(made.export({ kind: 'wacz', file }, { versions }), /^Error: no$/)
    stop.abort()
    assert.equal((await made.export({ kind: 'wacz', file }, { signal: stop.signal })).interrupted, true)
    assert.deepEqual(readdirSync(made.out), [])
  })

  test('fails verification if a file does not match its digest', async () => {
    const made = await make()
    const file = join(made.out, 'x.wacz')
    await made.export({ kind: 'wacz', file })
    const bytes = readFileSync(file)
    const at = bytes.indexOf('One again')
    bytes.write('Two', at)
    writeFileSync(file, bytes)
    assert.deepEqual(
      (await verifyWacz(file, () => {})).faults.map((fault) => [fault.file, fault.message]),
      [['pages/pages.jsonl', 'it does not match its digest']],
    )
  })

  test('fails verification at the offset of a damaged record', async () => {
    const made = await make()
    const file = join(made.out, 'x.wacz')
    await made.export({ kind: 'wacz', file })
    const files = await unzip(file)
    const line = /^.*"url":"http:\/\/a\.example\/copy".*$/m.exec(
      gunzipSync(files.get('indexes/index.cdx.gz')!).toString(),
    )!
    const offset = Number(JSON.parse(line[0].slice(line[0].indexOf('{'))).offset)
    assert.ok(offset > 0)
    const bytes = readFileSync(file)
    const at = bytes.indexOf(files.get('archive/data.warc.gz')!) + offset + 50
    bytes[at]! ^= 0xff
    writeFileSync(file, bytes)
    assert.deepEqual(
      (await verifyWacz(file, () => {})).faults.map((fault) => [fault.file, fault.offset]),
      [['archive/data.warc.gz', offset]],
    )
  })
})

describe('verifying a foreign WACZ file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-wacz-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  const refused = async (name: string, bytes: Buffer) => {
    const file = join(folder, 'x.wacz')
    writeFileSync(file, bytes)
    await assert.rejects(
      verifyWacz(file, () => {}),
      (error) => isAppError(error, 'file-invalid'),
      name,
    )
  }
  const packaged = JSON.stringify({ resources: [] })

  test('rejects names that lead outside of it', async () => {
    // The writer also refuses such names, so they are patched in afterwards, with the same length.
    for (const evil of ['../../evil.txt', '/tmp/evil-.txt', 'ab\\..\\evil.txt', 'C:/evil/x.txt-', 'x/../../y.txt-']) {
      const good = 'archive/fi.txt'
      assert.equal(evil.length, good.length)
      const zip = await zipOf([[good, 'x'], ['datapackage.json', packaged]]) // biome-ignore format: two files
      await refused(evil, Buffer.from(zip.toString('latin1').replaceAll(good, evil), 'latin1'))
    }
    const outside = JSON.stringify({ resources: [{ path: '../x', hash: 'sha256:', bytes: 1 }] })
    await refused('datapackage.json', await zipOf([['datapackage.json', outside]]))
  })

  test('rejects non-archives, missing or invalid package lists, duplicate names and links', async () => {
    await refused('nothing', Buffer.alloc(0))
    await refused('text', Buffer.from('PK but no archive'))
    await refused('no list', await zipOf([['archive/x.warc', '']]))
    await refused('no JSON', await zipOf([['datapackage.json', '[']]))
    await refused('twice', await zipOf([['datapackage.json', packaged], ['datapackage.json', packaged]])) // biome-ignore format: two files
    await refused('link', await zipOf([['datapackage.json', packaged]], 0o120777))
  })
})

function zipOf(files: [string, string][], mode = 0o100644): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of files) zip.addBuffer(Buffer.from(content), name, { compress: false, mode })
  zip.end()
  return buffer(zip.outputStream as Readable)
}

async function unzip(file: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false })
  for await (const entry of zip.eachEntry()) {
    // Stored, as readers load ranges of them.
    assert.equal(entry.compressionMethod, 0)
    files.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)))
  }
  zip.close()
  return files
}
