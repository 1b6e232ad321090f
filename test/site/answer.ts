import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

/** What a test wants to be answered at a path. Everything left out is as on an ordinary page. */
export type Answer = {
  status?: number
  headers?: Record<string, string | string[]>
  body?: string | Buffer
  /** Answers 302 with this Location, or `status` where one is given. */
  redirect?: string
  gzip?: boolean
  /** Conditional requests that fit are answered with 304. */
  etag?: string
  lastModified?: string
  /** Nothing is sent before this resolves: see `createGate`. */
  until?: Promise<void>
  delayMs?: number
}

/** `onSend` is called right before the answer goes out: nobody can have read it earlier. */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  onSend: () => void,
): Promise<void> {
  if (answer.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.delayMs))
  await answer.until
  if (response.destroyed) return
  onSend()
  const status = answer.status ?? (answer.redirect === undefined ? 200 : 302)
  const headers: Record<string, string | string[]> = { 'content-type': 'text/html; charset=utf-8', ...answer.headers }
  if (answer.redirect !== undefined) headers.location = answer.redirect
  if (answer.etag !== undefined) headers.etag = answer.etag
  if (answer.lastModified !== undefined) headers['last-modified'] = answer.lastModified
  if (status === 200 && isUnchanged(request, answer)) {
    response.writeHead(304, headers).end()
    return
  }
  const plain = Buffer.from(answer.body ?? '')
  const body = answer.gzip === true ? gzipSync(plain) : plain
  if (answer.gzip === true) headers['content-encoding'] = 'gzip'
  response.writeHead(status, { ...headers, 'content-length': body.length })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** If-None-Match is decisive where it is sent (RFC 9110, 13.1.3); dates are compared as text, as they were given out. */
function isUnchanged(request: IncomingMessage, answer: Answer): boolean {
  const tags = request.headers['if-none-match']
  if (tags !== undefined) return answer.etag !== undefined && tags.split(/\s*,\s*/).includes(answer.etag)
  return answer.lastModified !== undefined && request.headers['if-modified-since'] === answer.lastModified
}

export function etagOf(body: string): string {
  return `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`
}
