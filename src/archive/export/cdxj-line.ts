import { parseHttpBlock } from '../warc/http-block.ts'
import { surt } from '../warc/surt.ts'
import type { WholeRecord } from './whole-record.ts'

export type RecordPlace = { filename: string; offset: number; length: number }

/** A record's line in a CDXJ index, without a line feed: key, time, and what replay tools need to find it. ASCII only. */
export function cdxjLine({ head, block }: WholeRecord, { filename, offset, length }: RecordPlace): string {
  const url = head.headers.get('WARC-Target-URI') ?? ''
  const time = (head.headers.get('WARC-Date') ?? '').replace(/\D/g, '').slice(0, 14)
  const http = parseHttpBlock(block)
  const mime = head.type === 'revisit' ? 'warc/revisit' : mediaType(http?.headers.get('Content-Type') ?? '')
  const digest = head.headers.get('WARC-Payload-Digest')
  const fields = {
    url,
    mime,
    status: String(http?.status ?? ''),
    // The tools compare digests with each other, not with content: the algorithm's name is left out as they do.
    ...(digest === null ? {} : { digest: digest.slice(digest.indexOf(':') + 1) }),
    length: String(length),
    offset: String(offset),
    filename,
  }
  return `${surt(url)} ${time} ${asciiJson(fields)}`
}

function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim() || 'unk'
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
