import type { Socket } from 'node:net'

type ClientError = Error & { code?: string }

const reasons: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the URL and headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request took too long to arrive'],
}

/** Malformed and oversized requests get an error in the same form as all others. */
export function answerClientError(error: ClientError, socket: Socket): void {
  // Closed by the client, or answered already.
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error)
    return
  }
  const [status, message] = reasons[error.code ?? ''] ?? ['400 Bad Request', 'malformed HTTP request']
  const body = JSON.stringify({ error: { code: 'request-invalid', message } })
  const header = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ]
  socket.end(`${header.join('\r\n')}\r\n\r\n${body}`)
}
