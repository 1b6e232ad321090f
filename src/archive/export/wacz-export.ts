import { createHash, hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ZipFile } from 'yazl'
import type { Version } from '../../store/contracts/versions.ts'
import { surt } from '../warc/surt.ts'
import { asciiJson, cdxjLine } from './cdxj-export.ts'
import type { ExportWork } from './export-work.ts'
import type { LineSorter } from './line-sorter.ts'
import type { SourceRecord } from './record-source.ts'
import { type WarcOptions, warcParts } from './warc-export.ts'

export const waczVersion = '1.1.1'
const warcName = 'data.warc.gz'
const indexName = 'index.cdx.gz'
/** Index lines per compressed block, which a reader loads at once. */
const blockLines = 1024
const chunkChars = 64 * 1024
const gzipAsync = promisify(gzip)

/** Entry of a file in `datapackage.json`. */
type Resource = { name: string; path: string; hash: string; bytes: number }

/**
 * One WACZ file (https://specs.webrecorder.net/wacz/1.1.1/): a ZIP file with the records, a compressed index of them, a list of pages, and
 * the digests of all of these. Its files are stored, not compressed again, so that readers can load ranges. It is streamed front to back:
 * length and checksum follow each file (ZIP64 if needed), and lists follow the files they depend on.
 */
export async function exportWacz(work: ExportWork, options: WarcOptions): Promise<void> {
  const resources: Resource[] = []
  const [index, pages] = [work.createSorter(), work.createSorter()]
  const blocks: string[] = [`!meta 0 ${JSON.stringify({ format: 'cdxj-gzip-1.0', filename: indexName })}\n`]
  const zip = new ZipFile()
  const failed = (error: Error) => (zip.outputStream as Readable).destroy(error)
  zip.on('error', failed)

  function add(path: string, content: () => AsyncIterable<Uint8Array | string>): void {
    const stored = { compress: false, mtime: new Date(options.now), mode: 0o100644 }
    zip.addReadStreamLazy(path, stored, (done) => {
      const bytes = Readable.from(measured(path, content(), resources), { objectMode: false })
      bytes.on('error', failed)
      done(null, bytes)
    })
  }

  add(`archive/${warcName}`, () => records(work, options, { index, pages }))
  add(`indexes/${indexName}`, () => indexBlocks(index, blocks))
  add('indexes/index.idx', async function* () {
    yield* blocks
  })
  add('pages/pages.jsonl', () => pageLines(pages))
  add('datapackage.json', async function* () {
    yield dataPackage(resources, options)
  })
  add('datapackage-digest.json', async function* () {
    const { path, hash: digest } = resources.at(-1)!
    yield `${JSON.stringify({ path, hash: digest }, null, 2)}\n`
  })
  zip.end()
  for await (const chunk of zip.outputStream) await work.target.write(chunk as Buffer)
}

async function* measured(
  path: string,
  content: AsyncIterable<Uint8Array | string>,
  resources: Resource[],
): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256')
  let bytes = 0
  for await (const chunk of content) {
    const part = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    digest.update(part)
    bytes += part.length
    yield part
  }
  resources.push({ name: path.slice(path.indexOf('/') + 1), path, hash: `sha256:${digest.digest('hex')}`, bytes })
}

async function* records(
  work: ExportWork,
  options: WarcOptions,
  { index, pages }: { index: LineSorter; pages: LineSorter },
): AsyncGenerator<Buffer> {
  for await (const { bytes, offset, kept } of warcParts(work, { ...options, filename: warcName, isCompressed: true })) {
    if (kept !== null) {
      index.add(cdxjLine(kept.record, { filename: warcName, offset, length: bytes.length }))
      if (isPage(kept.version)) pages.add(pageLine(kept.version, kept.record))
    }
    yield bytes
  }
}

function isPage({ url, status, type }: Version): boolean {
  return /^https?:/.test(url) && status === 200 && /^\s*(?:text\/html|application\/(?:xhtml\+xml|pdf))\b/i.test(type)
}

/** Sorted like the index; the part before the tab is the sort key. */
function pageLine({ title }: Version, { head }: SourceRecord): string {
  const url = head.headers.get('WARC-Target-URI') ?? ''
  const ts = head.headers.get('WARC-Date') ?? ''
  const id = hash('sha256', `${ts} ${url}`).slice(0, 20)
  return `${surt(url)} ${ts}\t${asciiJson({ id, url, ts, title: title.toWellFormed() })}`
}

async function* pageLines(pages: LineSorter): AsyncGenerator<string> {
  let text = `${JSON.stringify({ format: 'json-pages-1.0', id: 'pages', title: 'All pages' })}\n`
  for (const line of pages.sorted()) {
    text += line.slice(line.indexOf('\t') + 1)
    if (text.length < chunkChars) continue
    yield text
    text = ''
  }
  yield text
}

/** The index in separately compressed blocks; `blocks` lists them by their first lines. */
async function* indexBlocks(index: LineSorter, blocks: string[]): AsyncGenerator<Buffer> {
  let offset = 0
  let lines: string[] = []
  async function block(): Promise<Buffer> {
    const bytes = await gzipAsync(lines.join(''))
    const key = /^\S* \S*/.exec(lines[0]!)![0]
    const digest = `sha256:${hash('sha256', bytes)}`
    blocks.push(`${key} ${JSON.stringify({ offset, length: bytes.length, digest, filename: indexName })}\n`)
    offset += bytes.length
    lines = []
    return bytes
  }
  for (const line of index.sorted()) {
    lines.push(line)
    if (lines.length === blockLines) yield await block()
  }
  if (lines.length > 0) yield await block()
  else if (offset === 0) yield await gzipAsync('')
}

function dataPackage(resources: readonly Resource[], { software, now }: WarcOptions): string {
  const created = new Date(now).toISOString()
  const described = { profile: 'data-package', wacz_version: waczVersion, software, created, modified: created }
  return `${JSON.stringify({ ...described, title: 'eRACE archive', resources }, null, 2)}\n`
}
