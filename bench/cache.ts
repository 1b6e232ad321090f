import { createHash } from 'node:crypto'
import { createBodyReader } from '../src/archive/body-reader.ts'
import { responseRecord, revisitRecord, warcinfoRecord } from '../src/archive/warc/record-writer.ts'
import { noCheck } from '../src/core/request.ts'
import { digestText } from '../src/core/url/fingerprint.ts'
import type { Capture } from '../src/store/contracts/documents.ts'
import { createSqliteObjects } from '../src/store/sqlite/archive/objects.ts'
import { createSqliteVersions } from '../src/store/sqlite/documents/versions.ts'
import { openCatalogForReading, openFolder, paths } from '../src/store/sqlite/folder/folder.ts'
import { openShardStore } from '../src/store/sqlite/folder/shard-store.ts'
import { folderBytes, withFolder } from './measure.ts'
import { createProse } from './origin/page.ts'
import { createRandom } from './origin/random.ts'
import { type BenchOptions, type BenchTable, numbersOf } from './table.ts'

export const optionNames = ['versions', 'documents', 'reads', 'body-bytes']

const BATCH = 128
const HOSTS = 1000

/**
 * Writes a million versions through the contract, as a crawl does: pages that change repeatedly, one in ten with the
 * body of another page. Then reads versions back at random and checks each body against its digest.
 */
export async function run({ values }: BenchOptions): Promise<BenchTable> {
  const number = numbersOf(values)
  const versions = number('versions', 1_000_000)
  const documents = Math.min(versions, number('documents', 200_000))
  return withFolder(async (folder) => {
    const written = await write(folder, versions, documents, number('body-bytes', 2_000))
    const read = await readBack(folder, written.versions, number('reads', 20_000))
    return tableOf(written, read, folder)
  })
}

type Written = { versions: number; bodyBytes: number; seconds: number; early: number; late: number; heapMb: number[] }

async function write(folder: string, versions: number, documents: number, meanBytes: number): Promise<Written> {
  const opened = openFolder({ folder, holder: 'bench', shards: 1 })
  const { id } = await opened.runs.begin(Date.now())
  const store = openShardStore({
    folder,
    shard: 0,
    shards: 1,
    run: id,
    partitions: opened.partitions,
    ports: [null],
    maxUrlsPerHost: 1_000_000_000,
    maxFileBytes: 100_000_000,
    now: Date.now,
    fileHeader: (filename) => warcinfoRecord({ filename, software: 'bench', date: Date.now() }),
    onWarning: (message) => process.stderr.write(`${message}\n`),
  })
  const captureOf = createCaptures(documents, meanBytes, id)
  const marks: number[] = []
  const heapMb: number[] = []
  let bodyBytes = 0
  const startedAt = performance.now()
  for (let n = 0; n < versions; n += BATCH) {
    const captures = Array.from({ length: Math.min(BATCH, versions - n) }, (_, index) => captureOf(n + index))
    for (const capture of captures) bodyBytes += capture.kind === 'body' ? capture.size : 0
    await store.documents.record(captures)
    if (Math.floor((n + BATCH) / (versions / 10)) <= marks.length) continue
    marks.push(performance.now())
    heapMb.push(process.memoryUsage().rss / 1e6)
    process.stderr.write(`${marks.length}0 % written, ${heapMb.at(-1)!.toFixed(0)} MB\n`)
  }
  const seconds = (performance.now() - startedAt) / 1000
  await store.close()
  await opened.close()
  const tenth = versions / 10
  const early = tenth / ((marks[1]! - marks[0]!) / 1000)
  const late = tenth / ((marks.at(-1)! - marks.at(-2)!) / 1000)
  return { versions, bodyBytes, seconds, early, late, heapMb }
}

/** Version n of a generated web. Texts are slices of one long text, so that generating them costs little. */
function createCaptures(documents: number, meanBytes: number, run: number): (n: number) => Capture {
  const random = createRandom(1)
  const prose = createProse(random)
  let text = ''
  while (text.length < 1_000_000) text += `<p>${prose.phrase(40)}</p>\n`
  const source = Buffer.from(text)
  const links = Array.from({ length: 20 }, (_, n) => `/section-${n % 7}/page-${n}.html`)
  return (n) => {
    const document = n % documents
    const host = `host${document % HOSTS}.example`
    const url = `http://${host}/page-${document}.html`
    // One page in ten repeats another's body.
    const content = n % 10 === 9 && n > 10 ? n - 5 : n
    const start = (content * 7919) % (source.length - 2 * meanBytes)
    const body = Buffer.concat([
      Buffer.from(`<title>${content}</title>`),
      source.subarray(start, start + meanBytes / 2 + ((content * 31) % meanBytes)),
    ])
    const digest = createHash('sha256').update(body).digest()
    const at = 1_700_000_000_000 + n * 1000
    const rawHeaders = ['Content-Type', 'text/html; charset=utf-8', 'ETag', `"${content}"`]
    const common = {
      uri: url,
      date: at,
      address: '192.0.2.1',
      statusLine: 'HTTP/1.1 200 OK',
      rawHeaders,
      payloadDigest: digestText(digest),
    }
    return {
      kind: 'body',
      host,
      fp: BigInt.asIntN(64, BigInt(document) * 0x9e3779b97f4a7c15n),
      url,
      parent: '',
      check: noCheck,
      hops: 0,
      at,
      run,
      status: 200,
      address: '192.0.2.1',
      type: 'text/html',
      digest,
      size: body.length,
      etag: `"${content}"`,
      lastModified: '',
      truncated: '',
      title: `${content}`,
      text: digest.subarray(0, 16),
      textRules: 0,
      sameTextAs: 0,
      freshUntil: 0,
      links: links.map((path) => `http://${host}${path}`),
      linkKeys: new Uint8Array(links.length * 8),
      linkNaming: 1,
      render: (original) =>
        original === null
          ? responseRecord({ ...common, body, truncated: null }).parts
          : revisitRecord({
              ...common,
              profile: 'identical-payload-digest',
              refersToUri: original.url,
              refersToDate: original.at,
            }).parts,
    }
  }
}

type Read = { perSecond: number; wrong: number }

async function readBack(folder: string, versions: number, reads: number): Promise<Read> {
  const db = openCatalogForReading(folder)
  try {
    const store = createSqliteVersions(db)
    const bodies = createBodyReader({ versions: store, objects: createSqliteObjects(db, paths.archive(folder)) })
    const random = createRandom(2)
    let wrong = 0
    const startedAt = performance.now()
    for (let n = 0; n < reads; n++) {
      const version = await store.version(1 + Math.floor(random.next() * versions))
      const found = version === null ? null : await bodies.read(version)
      const isRight = found?.kind === 'body' && createHash('sha256').update(found.body).digest().equals(version!.digest)
      if (!isRight) wrong++
    }
    return { perSecond: reads / ((performance.now() - startedAt) / 1000), wrong }
  } finally {
    db.close()
  }
}

function tableOf(written: Written, read: Read, folder: string): BenchTable {
  const { versions, bodyBytes, seconds, early, late, heapMb } = written
  const archive = folderBytes(paths.archive(folder))
  const catalogue = folderBytes(folder) - archive
  const growthMb = heapMb.at(-1)! - heapMb[6]!
  return {
    name: 'cache',
    columns: [
      'versions',
      'written/s',
      'second tenth/s',
      'last tenth/s',
      'random reads/s',
      'catalogue B/version',
      'archive B/version',
      'body B/version',
      'RSS MB at 70 %',
      'at 100 %',
    ],
    rows: [
      [
        versions,
        versions / seconds,
        early,
        late,
        read.perSecond,
        catalogue / versions,
        archive / versions,
        bodyBytes / versions,
        heapMb[6]!,
        heapMb.at(-1)!,
      ],
    ],
    stats: {
      versionsPerSecond: versions / seconds,
      ratioLastTenthToSecond: late / early,
      readsPerSecond: read.perSecond,
      wrongReads: read.wrong,
      catalogueBytesPerVersion: catalogue / versions,
      archiveBytesPerVersion: archive / versions,
      rssGrowthMb: growthMb,
    },
    notes: [
      'WARC files not compressed yet, as a crawl leaves them; one thread; each body is checked against its digest',
    ],
  }
}
