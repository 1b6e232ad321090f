import type { RecordHead } from '../../core/warc/record-head.ts'
import { type HttpBlock, parseHttpBlock, withoutChunks } from './http-block.ts'

/** Content of a record, an HTTP response or a plain body. */
export type RecordContent = {
  /** Status line and fields, each ending with CRLF, octets as latin1; '' if there is none. */
  header: string
  /** Null if there is no response. */
  status: number | null
  /** Null if not stated. */
  contentType: string | null
  /** As in a header field; undefined for none. */
  encodings: string | undefined
  /** As stored, with its encodings. Empty for a revisit. */
  body: Buffer
}

/** Null if the record should contain an HTTP message but doesn't. */
export function recordContent(head: Pick<RecordHead, 'type' | 'headers'>, block: Buffer): RecordContent | null {
  if (!holdsHttp(head)) {
    return {
      header: '',
      status: null,
      contentType: head.headers.get('Content-Type'),
      encodings: undefined,
      body: block,
    }
  }
  const http = parseHttpBlock(block)
  if (http === null) return null
  const { status, headers, body } = http
  const listed = (name: string): string | null => {
    const values = headers.getAll(name)
    return values.length === 0 ? null : values.join(', ')
  }
  return {
    header: headerText(http),
    status,
    contentType: listed('Content-Type'),
    encodings: listed('Content-Encoding') ?? undefined,
    body,
  }
}

/** Candidates for the payload digest: writers that keep chunks in the block disagree on whether they are part of the payload. */
export function payloadsOf(head: Pick<RecordHead, 'type' | 'headers'>, block: Buffer): Buffer[] {
  const http = holdsHttp(head) ? parseHttpBlock(block) : null
  if (http === null) return [block]
  const bare = withoutChunks(http)
  return bare === null || bare === http.body ? [http.body] : [bare, http.body]
}

/** A resource is taken as is, even if its content is itself an HTTP message. The standard lets writers leave out the type of a block. */
export function holdsHttp({ type, headers }: Pick<RecordHead, 'type' | 'headers'>): boolean {
  if (type === 'resource') return false
  const contentType = headers.get('Content-Type')
  if (contentType !== null) return /^(?:application|message)\/http\b/i.test(contentType)
  return (type === 'response' || type === 'request') && /^https?:/i.test(headers.get('WARC-Target-URI') ?? '')
}

function headerText({ statusLine, headers }: HttpBlock): string {
  return `${statusLine}\r\n${headers.entries.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`
}
