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

export type WarcExportOptions = {
  software: string
  /** When the export was made; milliseconds since 1970. */
  now: number
  /** Where an index of the file goes. */
  index: ExportTarget | null
}

const gzipAsync = promisify(gzip)
const batchRecords = 32
const batchBytes = 8 * 1024 * 1024

/**
 * One WARC file of the chosen versions' records, as they are. The original of a revisit stands before it, whether it was asked for
 * or not: without it the revisit would have no body.
 */
export async function exportWarc(work: ExportWork, options: WarcExportOptions): Promise<void> {
  const { request, target, stats } = work
  const isCompressed = request.file?.endsWith('.gz') === true
  const filename = request.file === null ? defaultName(options.now) : basename(request.file)
  const sorter = options.index === null ? null : work.createSorter()
  let offset = 0
  const write = async (bytes: Buffer): Promise<number> => {
    await target.write(bytes)
    offset += bytes.length
    return offset - bytes.length
  }
  const warcinfo = warcinfoRecord({ filename, software: options.software, date: options.now })
  await write(isCompressed ? await gzipAsync(warcinfo) : warcinfo)
  for await (const batch of inBatches(recordsOf(work))) {
    const encoded = isCompressed ? await Promise.all(batch.map(asMember)) : batch.map(({ plain }) => plain)
    for (const [i, record] of batch.entries()) {
      const bytes = encoded[i]!
      const at = await write(bytes)
      sorter?.add(cdxjLine(record, { filename, offset: at, length: bytes.length }))
      stats.count(bytes.length)
    }
  }
  if (sorter !== null && options.index !== null) for (const text of sortedLines(sorter)) await options.index.write(text)
}

/** Several at a time: zlib works in threads. What is compressed already is copied as it is. */
async function asMember({ file, stored, plain }: SourceRecord): Promise<Buffer> {
  return isCompressed(file) ? stored : await gzipAsync(plain)
}

async function* recordsOf({ request, versions, source, stats }: ExportWork): AsyncGenerator<SourceRecord> {
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

  async function originalOf(version: Version): Promise<{ id: number; record: SourceRecord } | 'written' | null> {
    // The row may have moved to another original since its page was read.
    const id = (await versions.version(version.id))?.originalId ?? version.originalId
    if (written.has(id)) return 'written'
    const original = id === version.id ? null : await versions.version(id)
    const record = original === null || unreadable.has(id) ? null : recordOf(original, await source.record(original))
    return record === null || record.head.type === 'revisit' ? null : { id, record }
  }

  const found = readAhead(selected(), source.record, { weigh: ({ record }) => record!.length })
  for await (const [version, read] of found) {
    // It may have been written since it was read, as somebody's original.
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
        written.add(original.id)
        yield original.record
      }
    }
    written.add(version.id)
    yield record
  }
}

async function* inBatches(records: AsyncIterable<SourceRecord>): AsyncGenerator<SourceRecord[]> {
  let batch: SourceRecord[] = []
  let bytes = 0
  for await (const record of records) {
    batch.push(record)
    bytes += record.plain.length
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
