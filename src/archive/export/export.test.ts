import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { bodyDigest, digestText } from '../../core/url/fingerprint.ts'
import { filesOf } from '../../store/conformance/engine.testkit.ts'
import { noteOf } from '../../store/conformance/samples.testkit.ts'
import type { Capture } from '../../store/contracts/documents.ts'
import type { DroppedLinks, DroppedPosition } from '../../store/contracts/dropped-links.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import { rewriteFiles } from '../../store/sqlite/archive/rewrite.ts'
import { readMetaInfo } from '../../xml/meta-info/meta-info-reader.testkit.ts'
import { isWholeRecord } from '../warc/record-check.ts'
import { readRecords } from '../warc/record-reader.ts'
import { responseRecord } from '../warc/record-writer.ts'
import { cdxjLine } from './cdxj-export.ts'
import { createExportFolder, type ExportFolder, goneWith, itemWith, pageWith } from './export.testkit.ts'
import { parseWholeRecord } from './record-source.ts'

const [a, b] = ['a.example', 'b.example']
const hour = 3_600_000
const start = Date.UTC(2026, 0, 1)

/** Six records: /1 of a with two versions and its removal, /2 of a, and two pages of b, one with the same body as a's /2. */
const captures: Capture[] = [
  pageWith(a, '/1', 'one', {
    at: start,
    title: 'One',
    links: ['http://a.example/2', 'http://b.example/x,"y"'],
    etag: '"e"',
    lastModified: 'Fri, 26 Jan 2001 21:46:08 GMT',
  }),
  pageWith(a, '/2', 'shared', { at: start + hour, links: ['http://a.example/1'] }),
  pageWith(b, '/3', 'shared', { at: start + 2 * hour }),
  pageWith(b, '/4', 'four', { at: start + 3 * hour, gzip: true }),
  pageWith(a, '/1', 'one changed', { at: start + 4 * hour, links: ['http://a.example/2'] }),
  goneWith(a, '/1', start + 5 * hour),
]

let folder: ExportFolder | null = null
async function make(maxFileBytes?: number): Promise<ExportFolder> {
  folder = await createExportFolder(captures, maxFileBytes === undefined ? {} : { maxFileBytes })
  return folder
}

/** Type and page of each record in a file, in order. */
async function recordsIn(file: string): Promise<string[]> {
  const found: string[] = []
  for await (const { type, headers, length } of readRecords(file)) {
    assert.notEqual(length, null)
    found.push(`${type} ${headers.get('WARC-Target-URI')?.slice('http://'.length) ?? headers.get('WARC-Filename')}`)
  }
  return found
}

const everything = [
  'response a.example/1',
  'response a.example/2',
  'revisit b.example/3',
  'response b.example/4',
  'response a.example/1',
  'response a.example/1',
]

describe('export', () => {
  afterEach(() => {
    folder?.remove()
    folder = null
  })

  test('a WARC file starts with its file name and has all records', async () => {
    const { export: run, out } = await make()
    await run({ file: join(out, 'x.warc') })
    assert.deepEqual(await recordsIn(join(out, 'x.warc')), ['warcinfo x.warc', ...everything])
    assert.deepEqual(readdirSync(out), ['x.warc'])
  })

  test('a compressed file copies gzip members of the archive, and compresses plain records', async () => {
    const made = await make(1500)
    made.compress(1)
    const [first] = await filesOf(made.objects)
    assert.equal(first!.state, 'compressed')
    const file = join(made.out, 'x.warc.gz')
    await made.export({ file })
    assert.deepEqual(await recordsIn(file), ['warcinfo x.warc.gz', ...everything])
    const [version] = await made.versions.versions({ after: 0, limit: 1 })
    const { offset, length } = version!.record!
    const member = readFileSync(first!.path).subarray(offset, offset + length)
    assert.ok(readFileSync(file).includes(member))
  })

  test('a selected revisit is preceded by its original, which is written once', async () => {
    const { export: run, out } = await make()
    const file = join(out, 'x.warc')
    const { records } = await run({ file, selection: { urlPrefix: 'http://b.example/' } })
    assert.equal(records, 3)
    assert.deepEqual((await recordsIn(file)).slice(1), [
      'response a.example/2',
      'revisit b.example/3',
      'response b.example/4',
    ])
  })

  test('versions can be selected by time, or only current ones', async () => {
    const { export: run, out } = await make()
    const file = join(out, 'x.warc')
    await run({ file, selection: { afterMs: start + hour, beforeMs: start + 4 * hour } })
    assert.deepEqual((await recordsIn(file)).slice(1), everything.slice(1, 4))
    const { records } = await run({ file, selection: { currentOnly: true } })
    assert.equal(records, 4)
    assert.deepEqual((await recordsIn(file)).slice(1).toSorted(), everything.slice(1, 5).toSorted())
  })

  test('the link graph has current or all versions, in the format given by the file name', async () => {
    const { export: run, out } = await make()
    const current = { currentOnly: true }
    const write = async (name: string, selection = {}) => {
      await run({ kind: 'links', file: join(out, name), selection })
      const bytes = readFileSync(join(out, name))
      return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
    }
    assert.equal(await write('l.tsv', current), 'http://a.example/2\thttp://a.example/1\n')
    assert.equal(await write('l.csv.gz', current), 'Source,Target\nhttp://a.example/2,http://a.example/1\n')
    assert.equal(await write('l.jsonl', current), '{"from":"http://a.example/2","to":"http://a.example/1"}\n')
    const all = [
      'http://a.example/1,http://a.example/2,1',
      'http://a.example/1,"http://b.example/x,""y""",1',
      'http://a.example/2,http://a.example/1,1',
      'http://a.example/1,http://a.example/2,2',
    ]
    assert.equal(await write('l.csv'), `Source,Target,Version\n${all.join('\n')}\n`)
  })

  test('meta-information has every version, and the fields of the paper for the current one', async () => {
    const { export: run, out } = await make()
    const file = join(out, 'm.xml')
    assert.equal((await run({ kind: 'meta', file })).records, 4)
    const [first, second] = readMetaInfo(readFileSync(file))
    assert.ok(first && second)
    assert.deepEqual([first.url, first.current, first.status, first.kbytes], ['http://a.example/1', 3, 404, 0])
    assert.equal(first.header, 'HTTP/1.1 404 Not Found\nContent-Type: text/plain\n')
    assert.deepEqual(
      first.versions.map(({ number, reason, body }) => [number, reason, body]),
      [
        [1, 'new', 'kept'],
        [2, 'changed', 'kept'],
        [3, 'gone', 'none'],
      ],
    )
    const [oldest, , gone] = first.versions
    assert.deepEqual([oldest!.title, oldest!.etag, oldest!.type, oldest!.bytes], ['One', '"e"', 'text/html', 3])
    assert.match(oldest!.digest, /^sha256:[A-Z2-7]{52}====$/)
    assert.match(oldest!.header!, /^HTTP\/1\.1 200 OK\nContent-Type: text\/html; charset=utf-8\nContent-Length: 3\n$/)
    assert.equal(oldest!.links!.length, 2)
    assert.deepEqual([gone!.header, gone!.links], [null, null])
    assert.deepEqual([second.ip, second.links, second.ifModifiedSince], ['192.0.2.1', ['http://a.example/1'], null])
    const { records } = await run({ kind: 'meta', file, selection: { beforeMs: start + hour } })
    assert.equal(records, 1)
  })

  test('resources and their revisits are exported without an HTTP header', async () => {
    const made = await createExportFolder([itemWith(a, '/1', 'one'), itemWith(b, '/2', 'one')])
    folder = made
    for (const isCompressed of [false, true]) {
      if (isCompressed) made.compress()
      const file = join(made.out, 'x.warc')
      const report = await made.export({ file, indexFile: join(made.out, 'x.cdxj') })
      assert.deepEqual(report.faults, [])
      const types: string[] = []
      for await (const { type } of readRecords(file)) types.push(type)
      assert.deepEqual(types, ['warcinfo', 'resource', 'revisit'])
      const index = readFileSync(join(made.out, 'x.cdxj'), 'utf8').trimEnd().split('\n')
      const fields = index.map((line) => JSON.parse(line.slice(line.indexOf('{'))))
      assert.deepEqual(
        fields.map(({ url, mime, status }) => [url, mime, status]),
        [
          ['ftp://a.example/1', 'text/plain', undefined],
          ['ftp://b.example/2', 'warc/revisit', undefined],
        ],
      )
      const digest = digestText(bodyDigest(Buffer.from('one')))
      assert.deepEqual(
        fields.map((each) => each.digest),
        [digest, digest],
      )
      const meta = join(made.out, 'm.xml')
      assert.deepEqual((await made.export({ kind: 'meta', file: meta })).faults, [])
      assert.deepEqual(
        readMetaInfo(readFileSync(meta)).map(({ header, versions }) => [header, versions[0]!.bytes]),
        [
          ['', 3],
          ['', 3],
        ],
      )
    }
  })

  test('meta-information has Last-Modified in milliseconds, as in the paper', async () => {
    folder = await createExportFolder(captures.slice(0, 1))
    const file = join(folder.out, 'm.xml')
    await folder.export({ kind: 'meta', file })
    assert.match(readFileSync(file, 'utf8'), /<webrace:ifmodifiedsince>980545568000<\/webrace:ifmodifiedsince>/)
  })

  test('a damaged record and its revisits are skipped and reported, all others are exported', async () => {
    const made = await make()
    await damage(made, 2, 'shared', 'shaken')
    const target = join(made.out, 'x.warc')
    const report = await made.export({ file: target })
    assert.deepEqual(
      report.faults.map(({ url, version, message }) => [url, version, message]),
      [
        ['http://a.example/2', 1, 'the payload does not match WARC-Payload-Digest'],
        ['http://b.example/3', 1, 'the record that holds the body can not be read'],
      ],
    )
    assert.deepEqual([report.records, report.skipped], [4, 2])
    assert.deepEqual(
      (await recordsIn(target)).slice(1),
      everything.filter((_, n) => n !== 1 && n !== 2),
    )
    const index = await made.export({ kind: 'cdxj', file: join(made.out, 'x.cdxj') })
    assert.deepEqual([index.records, index.skipped], [5, 1])
  })

  test('a missing archive file does not prevent the export of other records', async () => {
    const made = await make(1500)
    const [first] = await filesOf(made.objects)
    rmSync(first!.path)
    for (const kind of ['warc', 'cdxj', 'meta', 'links'] as const) {
      const report = await made.export({ kind, file: join(made.out, `x.${kind}`) })
      assert.ok(report.records > 0, kind)
      assert.equal(report.skipped > 0, kind !== 'links', kind)
    }
  })

  /** The versions of a store in which something happens once the first rows are read. */
  function versionsWhile({ versions }: ExportFolder, happens: () => Promise<void> | void): VersionStore {
    let isFirst = true
    return {
      ...versions,
      async versions(page) {
        const rows = await versions.versions(page)
        if (isFirst) await happens()
        isFirst = false
        return rows
      },
    }
  }

  test('files compressed during the export are found again', async () => {
    const made = await make()
    const file = join(made.out, 'x.warc')
    const report = await made.export({ file }, { versions: versionsWhile(made, () => made.compress()) })
    assert.deepEqual([report.records, report.faults], [6, []])
    assert.deepEqual((await recordsIn(file)).slice(1), everything)
  })

  test('records moved by the collector during the export are found again', async () => {
    const made = await make()
    const { db, archive } = made
    const versions = versionsWhile(made, async () => {
      db.exec('DELETE FROM versions WHERE id NOT IN (2, 3)')
      const { rewritten } = await rewriteFiles({
        ...{ db, archive, isWhole: isWholeRecord, compress: false, signal: new AbortController().signal },
        whileIdle(work) {
          work()
          return true
        },
        onProgress() {},
      })
      assert.equal(rewritten, 1)
    })
    const file = join(made.out, 'x.warc')
    const report = await made.export({ file }, { versions })
    assert.deepEqual([report.records, report.faults], [2, []])
    assert.deepEqual((await recordsIn(file)).slice(1), everything.slice(1, 3))
  })

  test('a version removed during the export is not an error', async () => {
    const made = await make()
    const versions = {
      ...made.versions,
      version: async (id: number) => {
        const version = await made.versions.version(id)
        return version === null || id !== 4 ? version : { ...version, record: null, body: 'dropped' as const }
      },
    }
    await damage(made, 4, 'WARC', 'X')
    const report = await made.export({ file: join(made.out, 'x.warc') }, { versions })
    assert.deepEqual([report.records, report.skipped], [5, 0])
  })

  test('an interrupted or failed export keeps the old file and leaves no partial one', async () => {
    const made = await make()
    const file = join(made.out, 'x.warc')
    writeFileSync(file, 'older')
    const stop = new AbortController()
    const versions = {
      ...made.versions,
      links: async () => {
        stop.abort()
        return ['http://a.example/']
      },
    }
    const report = await made.export({ kind: 'links', file }, { versions, signal: stop.signal })
    assert.equal(report.interrupted, true)
    assert.equal(readFileSync(file, 'utf8'), 'older')
    assert.deepEqual(readdirSync(made.out), ['x.warc'])
    const broken = { ...made.versions, links: async () => Promise.reject(new Error('no')) }
    await assert.rejects(made.export({ kind: 'links', file }, { versions: broken }), /^Error: no$/)
    assert.deepEqual(readdirSync(made.out), ['x.warc'])
  })

  test('standard output gets the same bytes, and a closed pipe interrupts the export', async () => {
    const made = await make()
    const written: Uint8Array[] = []
    const output = {
      write(bytes: Uint8Array, done: () => void) {
        written.push(bytes)
        done()
      },
    }
    const report = await made.export({ kind: 'cdxj', file: null }, { output })
    await made.export({ kind: 'cdxj', file: join(made.out, 'x.cdxj') })
    assert.deepEqual(Buffer.concat(written), readFileSync(join(made.out, 'x.cdxj')))
    assert.deepEqual([report.file, report.records, report.bytes], ['-', 6, Buffer.concat(written).length])
    const gone = {
      write: (_: Uint8Array, done: (error: Error) => void) => done(Object.assign(new Error(), { code: 'EPIPE' })),
    }
    assert.equal((await made.export({ kind: 'cdxj', file: null }, { output: gone })).interrupted, true)
  })

  test('the list of bad URLs has reason, last status, count, time and parent of each, in three formats', async () => {
    const failed = { status: 503, reason: 'http-server-error', parent: 'http://a.example/,x' }
    folder = await createExportFolder([
      ...captures.slice(0, 2),
      noteOf(a, '/bad', 'failed', { at: start, ...failed } as Partial<Capture>),
      noteOf(a, '/bad', 'failed', { at: start + hour, ...failed } as Partial<Capture>),
      noteOf(b, '/no', 'skipped', { at: start + 2 * hour, status: 0, reason: 'robots' } as Partial<Capture>),
      noteOf(b, '/moved', 'redirect', { at: start }),
    ])
    const { export: run, out } = folder
    const textOf = async (name: string, selection = {}, jsonLines = false) => {
      await run({ kind: 'bad-urls', file: join(out, name), selection, jsonLines })
      return readFileSync(join(out, name), 'utf8')
    }
    const lines = [
      'http://a.example/bad\thttp-server-error\t503\t2\t2026-01-01T01:00:00.000Z\thttp://a.example/,x\n',
      'http://b.example/no\trobots\t0\t1\t2026-01-01T02:00:00.000Z\t\n',
    ]
    assert.equal(await textOf('x.txt'), lines.join(''))
    assert.equal(
      await textOf('x.csv', { urlPrefix: 'http://a.example/' }),
      'URL,Reason,Status,Times,Last,Parent\n' +
        'http://a.example/bad,http-server-error,503,2,2026-01-01T01:00:00.000Z,"http://a.example/,x"\n',
    )
    const json = {
      ...{ url: 'http://b.example/no', reason: 'robots', status: 0, times: 1 },
      ...{ last: '2026-01-01T02:00:00.000Z', parent: '' },
    }
    assert.equal(await textOf('x.jsonl', { afterMs: start + 2 * hour }), `${JSON.stringify(json)}\n`)
    assert.equal(await textOf('y', { afterMs: start + 2 * hour }, true), `${JSON.stringify(json)}\n`)
    assert.equal(await textOf('y.tsv', { beforeMs: start + 2 * hour }, true), lines[0])
  })

  test('the list of bad URLs ends with the links dropped by the trap limits', async () => {
    const { export: run, out } = await make()
    const examples = ['/x?1', '/x?2'].map((path) => ({ url: `http://${a}${path}`, parent: `http://${a}/`, at: start }))
    const drops: DroppedLinks[] = [
      { host: a, rule: 'variants', count: 30, examples },
      { host: b, rule: 'depth', count: 1, examples: [{ url: `http://${b}/deep`, parent: '', at: start }] },
    ]
    const dropped = async (after: DroppedPosition | null) => (after === null ? drops : [])
    const file = join(out, 'x')
    await run({ kind: 'bad-urls', file }, { frontier: { dropped } })
    assert.deepEqual(readFileSync(file, 'utf8').trimEnd().split('\n'), [
      `http://a.example/1\tfailed\t404\t1\t2026-01-01T05:00:00.000Z\t`,
      `http://a.example/x?1\ttrap-variants\t0\t1\t2026-01-01T00:00:00.000Z\thttp://a.example/`,
      `http://a.example/x?2\ttrap-variants\t0\t1\t2026-01-01T00:00:00.000Z\thttp://a.example/`,
      `a.example\ttrap-variants\t0\t28\t2026-01-01T00:00:00.000Z\t`,
      `http://b.example/deep\ttrap-depth\t0\t1\t2026-01-01T00:00:00.000Z`,
    ])
  })

  test('a path that cannot be written is reported', async () => {
    const made = await make()
    const file = join(made.out, 'not', 'there.warc')
    await assert.rejects(made.export({ file }), { code: 'store-failed' })
    mkdirSync(join(made.out, 'x.warc.part'))
    await assert.rejects(made.export({ file: join(made.out, 'x.warc') }), { code: 'store-failed' })
    assert.equal(existsSync(join(made.out, 'x.warc')), false)
  })

  test('an empty archive gives empty exports', async () => {
    folder = await createExportFolder([])
    const { out } = folder
    await folder.export({ file: join(out, 'x.warc.gz'), indexFile: join(out, 'x.cdxj') })
    assert.deepEqual(await recordsIn(join(out, 'x.warc.gz')), ['warcinfo x.warc.gz'])
    assert.equal(readFileSync(join(out, 'x.cdxj'), 'utf8'), '')
    await folder.export({ kind: 'links', file: join(out, 'x.tsv.gz') })
    assert.equal(gunzipSync(readFileSync(join(out, 'x.tsv.gz'))).length, 0)
    await folder.export({ kind: 'meta', file: join(out, 'x.xml') })
    assert.deepEqual(readMetaInfo(readFileSync(join(out, 'x.xml'))), [])
  })
})

/** Overwrites the first occurrence of a text in the record of a version. */
async function damage(made: ExportFolder, versionId: number, from: string, to: string): Promise<void> {
  const version = await made.versions.version(versionId)
  const { fileId, offset } = version!.record!
  const { path } = (await filesOf(made.objects)).find(({ id }) => id === fileId)!
  const bytes = readFileSync(path)
  bytes.write(to, bytes.indexOf(from, offset))
  writeFileSync(path, bytes)
}

test('an index line has the bare media type, and a status only if the record has one', () => {
  const fieldsOf = (statusLine: string, type: string) => {
    const body = Buffer.from('x')
    const exchange = { uri: 'http://h/', date: start, address: null, statusLine, rawHeaders: ['Content-Type', type] }
    const { parts } = responseRecord({
      ...exchange,
      body,
      payloadDigest: digestText(bodyDigest(body)),
      truncated: null,
    })
    const plain = Buffer.concat(parts).toString('latin1')
    const record = parseWholeRecord(Buffer.from(plain.replace(/WARC-Payload-Digest.*\r\n/, ''), 'latin1'))
    const line = cdxjLine(record, { filename: 'f', offset: 0, length: 1 })
    return JSON.parse(line.slice(line.indexOf('{')))
  }
  for (const type of ['text/html', ' text/html;a=b', 'text/html charset=utf-8', 'text/html, text/html'])
    assert.deepEqual(
      [fieldsOf('HTTP/1.1 203 OK', type).mime, fieldsOf('HTTP/1.1 203 OK', type).status],
      ['text/html', '203'],
    )
  const place = { length: '1', offset: '0', filename: 'f' }
  assert.deepEqual(fieldsOf('no response', 'text/html'), { url: 'http://h/', mime: 'unk', ...place })
})
