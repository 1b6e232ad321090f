import type { Version } from '../../store/contracts/versions.ts'
import { readAhead } from '../read-ahead.ts'
import { recordContent } from '../warc/record-content.ts'
import { surt } from '../warc/surt.ts'
import type { ExportWork } from './export-work.ts'
import type { LineSorter } from './line-sorter.ts'
import type { WholeRecord } from './record-source.ts'
import { selectVersions } from './selection.ts'

/** The index of the archive in the data folder, sorted bytewise, with names of files in the archive folder. */
export async function exportCdxj(work: ExportWork): Promise<void> {
  const { request, versions, source, target, stats } = work
  const sorter = work.createSorter()
  async function* selected(): AsyncGenerator<Version> {
    for await (const version of selectVersions(versions, request.selection)) if (version.record !== null) yield version
  }
  for await (const [version, found] of readAhead(selected(), source.record, {
    weigh: ({ record }) => record!.length,
  })) {
    if (found.kind === 'record') {
      const { file, offset, stored } = found
      const line = cdxjLine(found, { filename: file.name, offset, length: stored.length })
      sorter.add(line)
      stats.count(line.length + 1)
    } else if (found.kind === 'damaged')
      stats.leaveOut({ url: version.url, version: version.n, message: found.message })
  }
  for (const text of sortedLines(sorter)) await target.write(text)
}

/** Joins lines into chunks worth writing. */
export function* sortedLines(sorter: LineSorter): Generator<string, void, undefined> {
  let text = ''
  for (const line of sorter.sorted()) {
    text += line
    if (text.length < 64 * 1024) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

export type RecordPlace = { filename: string; offset: number; length: number }

/** The CDXJ line of a record, without a line feed: key, time, and what replay tools need to find it. ASCII only. */
export function cdxjLine({ head, block }: WholeRecord, { filename, offset, length }: RecordPlace): string {
  const url = head.headers.get('WARC-Target-URI') ?? ''
  const time = (head.headers.get('WARC-Date') ?? '').replace(/\D/g, '').slice(0, 14)
  const content = recordContent(head, block)
  const mime = head.type === 'revisit' ? 'warc/revisit' : mediaType(content?.contentType ?? '')
  const digest = head.headers.get('WARC-Payload-Digest')
  const fields = {
    url,
    mime,
    // Only HTTP responses have a status.
    ...(typeof content?.status === 'number' && { status: String(content.status) }),
    // With the name of the algorithm: readers take a digest without it for whatever they use themselves.
    ...(digest !== null && { digest }),
    length: String(length),
    offset: String(offset),
    filename,
  }
  return `${surt(url)} ${time} ${asciiJson(fields)}`
}

function mediaType(contentType: string): string {
  // Some servers put a space or a comma before the parameters.
  return contentType.trim().split(/[;,\s]/, 1)[0] || 'unk'
}

export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
