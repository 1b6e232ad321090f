import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { closeSync, createReadStream, openSync, readFileSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { CDXIndexer, WARCParser } from 'warcio'
import { filesOf } from '../../store/conformance/engine.testkit.ts'
import type { Capture } from '../../store/contracts/documents.ts'
import { metaInfoDtdPath, readMetaInfo } from '../../xml/meta-info/meta-info-reader.testkit.ts'
import { xmllintSkip } from '../../xml/xmllint.testkit.ts'
import { createExportFolder, type ExportFolder, goneWith, pageWith } from './export.testkit.ts'

const pageCount = 1_600
const changedCount = 300
const goneCount = 100
const recordCount = pageCount + changedCount + goneCount
/** Every tenth page has the same body: all but the first of them refer to it. */
const revisitCount = pageCount / 10 - 1
const at = Date.UTC(2026, 0, 1)

/** Two thousand records: pages of a few hosts, every tenth with a known body, some changed later, some gone. */
function* captures(): Generator<Capture> {
  const place = (n: number): [string, string] => [`host${n % 7}.example`, `/page/${n}?q=${n % 3}&a=%C3%A4`]
  for (let n = 0; n < pageCount; n++) {
    const text =
      n % 10 === 9 ? '<p>the same everywhere</p>' : `<title>${n}</title><p>${'words '.repeat(n % 50)}${n}</p>`
    const links = Array.from({ length: n % 5 }, (_, i) => `http://host${n % 7}.example/page/${n + i}`)
    yield pageWith(...place(n), text, {
      at: at + n * 1000,
      gzip: n % 4 === 0,
      title: n % 100 === 0 ? `bell \u0007 and half \ud83d` : `page <${n}>`,
      links,
      headers: ['X-Octets', 'caf\xe9 \x01'],
    })
  }
  for (let n = 0; n < changedCount; n++) yield pageWith(...place(n), `<p>changed ${n}</p>`, { at: at + 9e6 + n * 1000 })
  for (let n = 0; n < goneCount; n++) yield goneWith(...place(n), at + 12e6 + n * 1000)
}

/** Reads the record at an offset with an independent reader. */
async function readAt(fd: number, offset: number, length: number) {
  const bytes = Buffer.alloc(length)
  assert.equal(readSync(fd, bytes, 0, length, offset), length)
  const parser = new WARCParser([bytes])
  const record = await parser.parse()
  assert.ok(record !== null)
  await record.readFully(false)
  assert.equal(await parser.parse(), null)
  return record
}

type Entry = {
  key: string
  time: string
  url: string
  mime: string
  status: string
  digest: string
  length: string
  offset: string
  filename: string
}

function entriesOf(file: string): { lines: string[]; entries: Entry[] } {
  const lines = readFileSync(file, 'latin1').split('\n')
  assert.equal(lines.pop(), '')
  const entries = lines.map((line) => {
    const [, key, time, json] = /^(\S+) (\d{14}) (\{.*\})$/.exec(line)!
    return { key: key!, time: time!, ...JSON.parse(json!) } as Entry
  })
  return { lines, entries }
}

async function findEach(entries: readonly Entry[], folder: string): Promise<void> {
  const fds = new Map<string, number>()
  try {
    for (const { filename, offset, length, url, mime, digest, status, time } of entries) {
      if (!fds.has(filename)) fds.set(filename, openSync(join(folder, filename), 'r'))
      const record = await readAt(fds.get(filename)!, Number(offset), Number(length))
      assert.equal(record.warcTargetURI, url)
      assert.equal(record.warcType === 'revisit', mime === 'warc/revisit')
      assert.equal(record.warcPayloadDigest, digest)
      assert.equal(String(record.httpHeaders?.statusCode), status)
      assert.equal(record.warcDate?.replace(/\D/g, '').slice(0, 14), time)
    }
  } finally {
    for (const fd of fds.values()) closeSync(fd)
  }
}

describe('exports of two thousand records', () => {
  let folder: ExportFolder
  before(async () => {
    folder = await createExportFolder(captures(), { maxFileBytes: 200_000 })
    folder.compress(3)
    const states = new Set((await filesOf(folder.objects)).map(({ state }) => state))
    assert.deepEqual(states, new Set(['compressed', 'closed']))
  })
  after(() => folder.remove())

  for (const name of ['all.warc', 'all.warc.gz']) {
    test(`${name} and its index are valid for an independent reader`, async (t) => {
      const complaints = ['warn', 'error', 'log'].map((method) => t.mock.method(console, method as 'warn', () => {}))
      const file = join(folder.out, name)
      const indexFile = join(folder.out, `${name}.cdxj`)
      const report = await folder.export({ kind: 'warc', file, indexFile })
      assert.deepEqual(
        { ...report, seconds: 0, bytes: 0 },
        { kind: 'warc', file, records: recordCount, bytes: 0, seconds: 0, skipped: 0, faults: [], interrupted: false },
      )

      const types = new Map<string, number>()
      const responses = new Set<string>()
      for await (const record of new WARCParser(createReadStream(file))) {
        const type = record.warcType!
        types.set(type, (types.get(type) ?? 0) + 1)
        await record.readFully(false)
        const header = (field: string) => record.warcHeaders.headers.get(field)
        if (type === 'warcinfo') assert.equal(header('WARC-Filename'), name)
        if (type === 'response') responses.add(`${record.warcTargetURI} ${record.warcDate}`)
        // The target of a revisit comes before it.
        if (type === 'revisit')
          assert.ok(responses.has(`${header('WARC-Refers-To-Target-URI')} ${header('WARC-Refers-To-Date')}`))
      }
      assert.deepEqual(Object.fromEntries(types), {
        warcinfo: 1,
        response: recordCount - revisitCount,
        revisit: revisitCount,
      })

      const { lines, entries } = entriesOf(indexFile)
      assert.equal(entries.length, recordCount)
      await findEach(entries.slice(0, 500), folder.out)
      assert.deepEqual(lines, lines.toSorted())
      assert.deepEqual((await theirIndex(file)).toSorted(), entries.map(fieldsOf).toSorted())
      assert.deepEqual(
        complaints.map((method) => method.mock.callCount()),
        [0, 0, 0],
      )
    })
  }

  test('the index of the data folder has the position of every record', async () => {
    const file = join(folder.out, 'archive.cdxj')
    const report = await folder.export({ kind: 'cdxj', file })
    assert.equal(report.records, recordCount)
    const { lines, entries } = entriesOf(file)
    assert.equal(new Set(lines).size, recordCount)
    assert.deepEqual(lines, lines.toSorted())
    assert.equal(entries.filter(({ mime }) => mime === 'warc/revisit').length, revisitCount)
    assert.ok(entries[0]!.key.startsWith('example,host0)/page/0?a=%c3%a4&q='))
    await findEach(entries, folder.archive)
  })

  test('the meta-information is valid according to its DTD and can be read back', async () => {
    const file = join(folder.out, 'meta.xml')
    const report = await folder.export({ kind: 'meta', file })
    assert.deepEqual([report.records, report.skipped], [pageCount, 0])
    let versions = 0
    for (const document of readMetaInfo(readFileSync(file))) {
      versions += document.versions.length
      assert.equal(document.current, document.versions.length)
      assert.match(document.header, /^HTTP\/1\.1 (?:200 OK|404 Not Found)\nContent-Type: /)
    }
    assert.equal(versions, recordCount)
  })

  test('the meta-information is valid for xmllint', { skip: xmllintSkip }, async () => {
    const file = join(folder.out, 'checked.xml')
    await folder.export({ kind: 'meta', file, selection: { urlPrefix: 'http://host0.example/' } })
    const { stderr } = await promisify(execFile)('xmllint', ['--noout', '--dtdvalid', metaInfoDtdPath, file])
    assert.equal(stderr, '')
  })
})

/**
 * Index of a file by an independent indexer. For plain files its lengths don't include the two line ends after a record; its digests
 * come without the name of their algorithm.
 */
async function theirIndex(file: string): Promise<string[]> {
  const found: string[] = []
  const closing = file.endsWith('.gz') ? 0 : 4
  const indexer = new CDXIndexer({ format: 'cdxj' } as ConstructorParameters<typeof CDXIndexer>[0])
  for await (const entry of indexer.iterIndex([{ filename: basename(file), reader: createReadStream(file) }])) {
    const line = indexer.serialize(entry)
    const fields = JSON.parse(line.slice(line.indexOf('{'))) as Entry
    const [key, time] = line.split(' ') as [string, string]
    const digest = `sha256:${fields.digest}`
    found.push(fieldsOf({ ...fields, key, time, digest, length: String(Number(fields.length) + closing) }))
  }
  return found
}

function fieldsOf({ key, time, url, mime, status, digest, length, offset, filename }: Entry): string {
  return [key, time, url, mime, status, digest, length, offset, filename].join(' ')
}
