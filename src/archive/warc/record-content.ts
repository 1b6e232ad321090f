import type { RecordHead } from '../../core/warc/record-head.ts'
import { type HttpBlock, parseHttpBlock, withoutChunks } from './http-block.ts'

/** What a record holds, whether it came as a response of the web or as a body by itself. */
export type RecordContent = {
  /** Status line and fields, each ended by CRLF, as octets in latin1; '' where there is none. */
  header: string
  /** Null where there is no response. */
  status: number | null
  /** Null where it is not said. */
  contentType: string | null
  /** As a header would list them; undefined for none. */
  encodings: string | undefined
  /** As stored, with its encodings. Of a revisit it is empty. */
  body: Buffer
}

/** Null where the record should hold an HTTP message and doesn't. */
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
  const encodings = headers.getAll('Content-Encoding')
  return {
    header: headerText(http),
    status,
    contentType: headers.get('Content-Type'),
    encodings: encodings.length === 0 ? undefined : encodings.join(', '),
    body,
  }
}

/** What the payload digest may speak of: writers that leave chunks in the block do not agree whether the payload has them. */
export function payloadsOf(head: Pick<RecordHead, 'type' | 'headers'>, block: Buffer): Buffer[] {
  const http = holdsHttp(head) ? parseHttpBlock(block) : null
  if (http === null) return [block]
  const bare = withoutChunks(http)
  return bare === null || bare === http.body ? [http.body] : [bare, http.body]
}

/** A resource is what it says it is, even if that is somebody else's HTTP message. */
export function holdsHttp({ type, headers }: Pick<RecordHead, 'type' | 'headers'>): boolean {
  return type !== 'resource' && /^(?:application|message)\/http\b/i.test(headers.get('Content-Type') ?? '')
}

function headerText({ statusLine, headers }: HttpBlock): string {
  return `${statusLine}\r\n${headers.entries.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`
}
