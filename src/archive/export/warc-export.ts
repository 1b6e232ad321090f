import { basename } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Version } from '../../store/contracts/versions.ts'
import { readAhead } from '../read-ahead.ts'
import { createVersionSet } from '../version-set.ts'
import { warcinfoRecord } from '../warc/record-writer.ts'
import { cdxjLine, sortedLines } from './cdxj-export.ts'
import type { ExportTarget, ExportWork } from './export-work.ts'
import type { NoRecord, SourceRecord } from './record-source.ts'
import { isCompressed } from './record-source.ts'
import { selectVersions } from './selection.ts'

export type WarcExportOptions = WarcOptions & {
  /** Target of an index of the file; null for none. */
  index: ExportTarget | null
}

export type WarcOptions = {
  software: string
  /** When the export was made; milliseconds since 1970. */
  now: number
}

const gzipAsync = promisify(gzip)
const batchRecords = 32
const batchBytes = 8 * 1024 * 1024

/** One WARC file with the records of the selected versions, and an index of it if requested. */
export async function exportWarc(work: ExportWork, options: WarcExportOptions): Promise<void> {
  const { request, target } = work
  const isCompressed = request.file?.endsWith('.gz') === true
  const filename = request.file === null ? defaultName(options.now) : basename(request.file)
  const sorter = options.index === null ? null : work.createSorter()
  for await (const { bytes, kept, offset } of warcParts(work, { ...options, filename, isCompressed })) {
    await target.write(bytes)
    if (kept !== null) sorter?.add(cdxjLine(kept.record, { filename, offset, length: bytes.length }))
  }
  if (sorter !== null && options.index !== null) for (const text of sortedLines(sorter)) await options.index.write(text)
}

/** A record as written to a WARC file. The first one describes the file and belongs to no version. */
export type WarcPart = { bytes: Buffer; offset: number; kept: KeptRecord | null }

type KeptRecord = { version: Version; record: SourceRecord }

/**
 * The records of the selected versions, unchanged. A revisit is preceded by its original, selected or not: without it the revisit would
 * have no body.
 */
export async function* warcParts(
  work: ExportWork,
  { software, now, filename, isCompressed }: WarcOptions & { filename: string; isCompressed: boolean },
): AsyncGenerator<WarcPart> {
  const warcinfo = warcinfoRecord({ filename, software, date: now })
  const first = isCompressed ? await gzipAsync(warcinfo) : warcinfo
  yield { bytes: first, offset: 0, kept: null }
  let offset = first.length
  for await (const batch of inBatches(recordsOf(work))) {
    const encoded = isCompressed ? await Promise.all(batch.map(asMember)) : batch.map(({ record }) => record.plain)
    for (const [i, kept] of batch.entries()) {
      const bytes = encoded[i]!
      yield { bytes, offset, kept }
      offset += bytes.length
      work.stats.count(bytes.length)
    }
  }
}

/** Several run at a time, as zlib uses threads. Records that are already compressed are copied. */
async function asMember({ record: { file, stored, plain } }: KeptRecord): Promise<Buffer> {
  return isCompressed(file) ? stored : await gzipAsync(plain)
}

async function* recordsOf({ request, versions, source, stats }: ExportWork): AsyncGenerator<KeptRecord> {
  const written = createVersionSet()
  const unreadable = createVersionSet()

  function recordOf(version: Version, found: SourceRecord | NoRecord): SourceRecord | null {
    if (found.kind === 'record') return found
    if (found.kind === 'damaged' && !unreadable.has(version.id))
      stats.leaveOut({ url: version.url, version: version.n, message: found.message })
    unreadable.add(version.id)
    return null
  }

  async function* selected(): AsyncGenerator<Version> {
    for await (const version of selectVersions(versions, request.selection))
      if (version.record !== null && !written.has(version.id) && !unreadable.has(version.id)) yield version
  }

  async function originalOf(version: Version): Promise<KeptRecord | 'written' | null> {
    // The row may have got another original since its page was read.
    const id = (await versions.version(version.id))?.originalId ?? version.originalId
    if (written.has(id)) return 'written'
    const original = id === version.id ? null : await versions.version(id)
    if (original === null || unreadable.has(id)) return null
    const record = recordOf(original, await source.record(original))
    return record === null || record.head.type === 'revisit' ? null : { version: original, record }
  }

  const found = readAhead(selected(), source.record, { weigh: ({ record }) => record!.length })
  for await (const [version, read] of found) {
    // It may have been written since it was read, as the original of a revisit.
    if (written.has(version.id)) continue
    const record = recordOf(version, read)
    if (record === null) continue
    if (record.head.type === 'revisit') {
      const original = await originalOf(version)
      if (original === null) {
        const message = 'the record that holds the body can not be read'
        stats.leaveOut({ url: version.url, version: version.n, message })
        continue
      }
      if (original !== 'written') {
        written.add(original.version.id)
        yield original
      }
    }
    written.add(version.id)
    yield { version, record }
  }
}

async function* inBatches(records: AsyncIterable<KeptRecord>): AsyncGenerator<KeptRecord[]> {
  let batch: KeptRecord[] = []
  let bytes = 0
  for await (const kept of records) {
    batch.push(kept)
    bytes += kept.record.plain.length
    if (batch.length < batchRecords && bytes < batchBytes) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

function defaultName(now: number): string {
  return `erace-export-${new Date(now).toISOString().replace(/\D/g, '').slice(0, 14)}.warc`
}
