import { AppError } from '../../core/errors.ts'
import { parseHttpBlock } from '../warc/http-block.ts'
import { parseRecordHead } from '../warc/record-head.ts'

/**
 * The response header of a record that is alone in its buffer, uncompressed: status line and fields, each ended by CRLF, as
 * octets in latin1. Throws `record-damaged` where there is none.
 */
export function responseHeader(record: Buffer): string {
  const end = record.indexOf('\r\n\r\n')
  const parsed = end < 0 ? null : parseRecordHead(record.subarray(0, end))
  if (parsed === null || parsed.kind === 'malformed') {
    throw new AppError('record-damaged', `the record has no header${parsed === null ? '' : `: ${parsed.reason}`}`)
  }
  const start = end + 4
  const http = parseHttpBlock(record.subarray(start, start + parsed.head.blockLength))
  if (http === null || http.status === null) throw new AppError('record-damaged', 'the record holds no HTTP response')
  return `${http.statusLine}\r\n${http.headers.entries.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`
}
