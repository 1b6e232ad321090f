import type { Behaviour, Behaviours } from './behaviour.ts'

/** Exactly these bytes, then the end of the connection. */
function raw(bytes: string): Behaviour {
  return (socket) => void socket.end(Buffer.from(bytes, 'latin1'))
}

/** Replies that are not HTTP, or are in a way that parsers have stumbled over. */
export const malformedReplies: Behaviours = {
  '/malformed-empty': (socket) => void socket.end(),
  '/malformed-version': raw('HTP/9 banana\r\n\r\n'),
  '/malformed-status': raw('HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\nhi'),
  '/malformed-status-long': raw(`HTTP/1.1 200 ${'x'.repeat(1_000_000)}`),
  '/malformed-status-range': raw('HTTP/1.1 999 Strange\r\nContent-Length: 2\r\n\r\nhi'),
  '/malformed-header': raw('HTTP/1.1 200 OK\r\nno colon in this line\r\nContent-Length: 2\r\n\r\nhi'),
  '/malformed-nul': raw('HTTP/1.1 200 OK\r\nX-Nul: a\0b\r\nContent-Length: 2\r\n\r\nhi'),
  '/malformed-length': raw('HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhi'),
  '/malformed-two-lengths': raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 200\r\n\r\nhi'),
  '/malformed-length-and-chunks': raw(
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  ),
  '/malformed-chunk': raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n'),
  '/malformed-chunk-size': raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nhello'),
  '/malformed-http-0.9': raw('<html><a href="/ok/1">no header at all</a></html>'),
  '/malformed-binary': raw(Array.from({ length: 4096 }, (_, at) => String.fromCharCode((at * 167) & 255)).join('')),
  '/malformed-switch': raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhi'),
  '/malformed-204': raw('HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello'),
  '/malformed-extra-reply': raw(
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil',
  ),
  '/reset': (socket) => void socket.resetAndDestroy(),
  '/reset-in-body': (socket) =>
    void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\npartly', () => socket.resetAndDestroy()),
}
