import { type ParsedHead, WarcHeaders } from './record-head.ts'

/**
 * ARC 1, the format before WARC: one line `URL IP date type length`, then the block. It is given out as WARC would name its
 * parts. URLs with spaces are found in old files, so the line is read from its end.
 */
export function parseArcHead(line: Buffer): ParsedHead {
  const fields = /^(\S.*) ([\d.:a-f]+) (\d{14})\d* (\S+) (-?\w+)$/i.exec(line.toString('utf8'))
  if (fields === null) return { kind: 'malformed', reason: 'no ARC record line' }
  const [, uri, address, date, contentType, length] = fields as unknown as string[]
  if (!/^\d{1,15}$/.test(length!)) return { kind: 'malformed', reason: `no usable length but ${length}` }
  const type = uri!.startsWith('filedesc://') ? 'warcinfo' : uri!.startsWith('http') ? 'response' : 'resource'
  const headers = new WarcHeaders([
    ['WARC-Type', type],
    ['WARC-Target-URI', uri!],
    ['WARC-Date', date!.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6Z')],
    ['WARC-IP-Address', address!],
    ['Content-Type', type === 'response' ? 'application/http; msgtype=response' : contentType!],
    ['WARC-Identified-Payload-Type', contentType!],
    ['Content-Length', length!],
  ])
  return { kind: 'head', head: { version: 'ARC/1', type, headers, blockLength: Number(length) } }
}
