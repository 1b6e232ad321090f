import type { ExchangeRequest } from './exchange.ts'

/**
 * Writes request line and header. Paths and fields were checked before: a path by the URL parser, fields by the header writer.
 * Most requests have the same fields, which are put together once.
 */
export function createRequestWriter(): (host: string, request: ExchangeRequest) => string {
  let lastHeaders: readonly string[] = []
  let lastFields = ''

  function fieldsOf(headers: readonly string[]): string {
    if (headers === lastHeaders) return lastFields
    let fields = ''
    for (let at = 0; at < headers.length; at += 2) fields += `${headers[at]}: ${headers[at + 1]}\r\n`
    lastHeaders = headers
    lastFields = fields
    return fields
  }

  return (host, { path, headers, body, isPreflight }) => {
    const method = isPreflight ? 'OPTIONS' : body === null ? 'GET' : 'POST'
    const length = body === null ? '' : `content-length: ${body.length}\r\n`
    return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n${fieldsOf(headers)}${length}\r\n`
  }
}
