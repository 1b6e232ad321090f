import { createHash } from 'node:crypto'
import { createReadStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { mock } from 'node:test'
import { WARCParser, type WARCRecord } from 'warcio'

type WarcSummary = {
  files: number
  records: number
  /** Number of response records by URL, except robots.txt. */
  responses: Map<string, number>
  /** Everything that the reader reports or would skip silently. */
  faults: string[]
}

/** Reads every WARC file below a folder with an independent reader, to the last byte of each record. */
export async function readWarcFolder(folder: string): Promise<WarcSummary> {
  const summary: WarcSummary = { files: 0, records: 0, responses: new Map(), faults: [] }
  // The reader reports bytes between records only on the console.
  const complaints = mock.method(console, 'warn', (text: unknown) => void summary.faults.push(`${text}`))
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.warc(\.gz)?$/.test(entry.name)) continue
    summary.files++
    try {
      await readWarcFile(join(entry.parentPath, entry.name), summary)
    } catch (error) {
      summary.faults.push(`${entry.name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  complaints.mock.restore()
  return summary
}

async function readWarcFile(file: string, summary: WarcSummary): Promise<void> {
  for await (const record of new WARCParser(createReadStream(file), { parseHttp: false })) {
    summary.records++
    const block = Buffer.from(await record.readFully())
    const url = record.warcTargetURI ?? ''
    const fault = findFault(record, block)
    if (fault !== undefined) summary.faults.push(`${file}, record ${summary.records} ${url}: ${fault}`)
    if (record.warcType !== 'response' || url.endsWith('/robots.txt')) continue
    summary.responses.set(url, (summary.responses.get(url) ?? 0) + 1)
  }
}

function findFault(record: WARCRecord, block: Buffer): string | undefined {
  if (!/^WARC\/1\.[01]$/.test(record.warcHeaders.statusline)) return 'is not a record'
  if (block.length !== record.warcContentLength) return `has ${block.length} of ${record.warcContentLength} bytes`
  if (record.warcType === 'response' && !block.subarray(0, 5).equals(Buffer.from('HTTP/'))) return 'holds no HTTP reply'
  const blockFault = digestFault(record.warcBlockDigest, block)
  if (blockFault !== undefined || record.warcType !== 'response') return blockFault
  return digestFault(record.warcPayloadDigest, block.subarray(block.indexOf('\r\n\r\n') + 4))
}

/** Digests are in base 32 or hexadecimal. */
function digestFault(digest: string | null | undefined, bytes: Buffer): string | undefined {
  const [algorithm = '', value = ''] = (digest ?? '').split(/:(.*)/s)
  if (!['sha1', 'sha256', 'sha512'].includes(algorithm)) return digest ? `has the unknown digest ${digest}` : undefined
  const hash = createHash(algorithm).update(bytes).digest()
  return value.toLowerCase() === hash.toString('hex') || value.replace(/=+$/, '').toUpperCase() === base32(hash)
    ? undefined
    : `does not match its digest ${digest}`
}

function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((group) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(group.padEnd(5, '0'), 2)])
    .join('')
}
