import type { Socket } from 'node:net'
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'

type HostileRequest = { method: string; path: string; query: string; headers: string; origin: string }

export type HostileSettings = {
  /** The pause between two bytes of a slow answer. */
  tickMs: number
  /** The unpacked size of a bomb. */
  bombBytes: number
  manyLinks: number
  nestedTags: number
  longUrlChars: number
}

/** How one path misbehaves. It owns the socket until it ends or destroys it. */
export type Behaviour = (socket: Socket, request: HostileRequest, settings: HostileSettings) => void

/** Behaviours by path; a path that ends with a slash covers all paths below it. */
export type Behaviours = Record<string, Behaviour>

export function reply(socket: Socket, { status = '200 OK', headers = '', body = '' as string | Buffer }): void {
  const bytes = Buffer.from(body)
  const type = /^content-type:/im.test(headers) ? '' : 'Content-Type: text/html\r\n'
  socket.write(`HTTP/1.1 ${status}\r\n${type}${headers}Content-Length: ${bytes.length}\r\n\r\n`, 'latin1')
  socket.write(bytes)
}

export function linkPage(hrefs: string[]): string {
  return `<!DOCTYPE html><title>Links</title>${hrefs.map((href) => `<a href="${href}">x</a>`).join('\n')}`
}

/** Repeats the same piece as fast as the other side reads it, so that the server's own memory stays flat. */
function pourForever(socket: Socket, piece: string | Buffer): void {
  function pour(): void {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', pour)
  pour()
}

/** Sends the text one byte at a time, forever. */
function drip(socket: Socket, text: string, tickMs: number): void {
  let at = 0
  const timer = setInterval(() => socket.write(text[at++ % text.length]!), tickMs)
  socket.on('close', () => clearInterval(timer))
}

const html = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n'
const filler = `<p>${'more and more '.repeat(4000)}</p>\n`

/** Bodies and headers that never end, stall, or have a wrong length. */
const hostileBodies: Behaviours = {
  '/endless-body': (socket) => {
    socket.write(`${html}Connection: close\r\n\r\n`)
    pourForever(socket, filler)
  },
  '/endless-chunks': (socket) => {
    socket.write(`${html}Transfer-Encoding: chunked\r\n\r\n`)
    pourForever(socket, `${filler.length.toString(16)}\r\n${filler}\r\n`)
  },
  '/endless-header': (socket) => {
    socket.write(html)
    pourForever(socket, `X-Filler: ${'x'.repeat(1000)}\r\n`)
  },
  '/endless-interim': (socket) => pourForever(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
  '/short-body': (socket) => socket.end(`${html}Content-Length: 100000\r\n\r\n<p>that was all`),
  '/long-body': (socket) => socket.end(`${html}Content-Length: 10\r\n\r\n<p>${'much more '.repeat(100)}`),
  '/stalled-body': (socket) => void socket.write(`${html}Content-Length: 9007199254740991\r\n\r\n<p>wait for it`),
  '/slow-header': (socket, _, { tickMs }) => drip(socket, `${html}X-Slow: ${'slow '.repeat(100)}\r\n`, tickMs),
  '/slow-body': (socket, _, { tickMs }) => {
    socket.write(`${html}Content-Length: 1000000\r\n\r\n`)
    drip(socket, '<p>one by one</p>', tickMs)
  },
  '/silent': () => {},
  '/unknown-charset': (socket) =>
    reply(socket, { headers: 'Content-Type: text/html; charset=x-no-such-thing\r\n', body: '<a href="/ok/1">x</a>' }),
  '/empty-charset': (socket) =>
    reply(socket, { headers: 'Content-Type: text/html; charset=\r\n', body: '<meta charset=""><a href="/ok/1">x</a>' }),
  '/lying-charset': (socket) =>
    reply(socket, {
      headers: 'Content-Type: text/html; charset=utf-16le\r\n',
      body: '<a href="/ok/1">plain bytes</a>',
    }),
}

type Pack = (plain: Buffer) => Buffer

const gzip: Pack = (plain) => gzipSync(plain, { level: 6 })

/** Bombs are packed on the first request and cached: packing takes longer than sending. */
const packed = new Map<string, Buffer>()

function bomb(encoding: string, pack: Pack): Behaviour {
  return (socket, { path }, { bombBytes }) => {
    const key = `${path} ${bombBytes}`
    const body = packed.get(key) ?? pack(Buffer.alloc(bombBytes, '<p>zip zip</p>\n'))
    packed.set(key, body)
    reply(socket, { headers: `Content-Encoding: ${encoding}\r\n`, body })
  }
}

/** Small answers that unpack to very large ones, and wrong encodings. */
const hostileBombs: Behaviours = {
  '/bomb-gzip': bomb('gzip', gzip),
  '/bomb-deflate': bomb('deflate', (plain) => deflateSync(plain)),
  '/bomb-br': bomb('br', (plain) => brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })),
  '/bomb-zstd': bomb('zstd', (plain) => zstdCompressSync(plain)),
  '/bomb-nested': bomb('gzip, gzip', (plain) => gzip(gzip(plain))),
  '/bomb-layers': bomb(Array(40).fill('gzip').join(', '), (plain) => {
    let layers = plain.subarray(0, 1000)
    for (let layer = 0; layer < 40; layer++) layers = gzip(layers)
    return layers
  }),
  '/damaged-gzip': (socket) => reply(socket, { headers: 'Content-Encoding: gzip\r\n', body: 'this was never packed' }),
  '/cut-gzip': (socket) =>
    reply(socket, {
      headers: 'Content-Encoding: gzip\r\n',
      body: gzip(Buffer.alloc(100_000, 'cut off ')).subarray(0, 100),
    }),
  '/unknown-encoding': (socket) => reply(socket, { headers: 'Content-Encoding: x-knot\r\n', body: 'tied up' }),
}

/** Sends exactly these bytes, then closes the connection. */
function raw(bytes: string): Behaviour {
  return (socket) => void socket.end(Buffer.from(bytes, 'latin1'))
}

/** Replies that are not HTTP, or that are known to trip parsers. */
const malformedReplies: Behaviours = {
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

function redirect(socket: Socket, location: string): void {
  reply(socket, { status: '302 Found', headers: `Location: ${location}\r\n` })
}

function to(location: string): Behaviour {
  return (socket) => redirect(socket, location)
}

/** Redirects that never end, or lead where a crawler must not go. */
const hostileRedirects: Behaviours = {
  '/redirect-self': to('/redirect-self'),
  '/redirect-ping': to('/redirect-pong'),
  '/redirect-pong': to('/redirect-ping'),
  '/redirect-growing/': (socket, { path }) => redirect(socket, `${path}${path.length}/`),
  '/hops/': (socket, { path }) => {
    const left = Number(path.slice('/hops/'.length))
    if (left > 0) redirect(socket, `/hops/${left - 1}`)
    else reply(socket, { body: 'arrived' })
  },
  '/redirect-file': to('file:///etc/passwd'),
  '/redirect-javascript': to('javascript:alert(1)'),
  '/redirect-data': to('data:text/html,<a href=/ok/1>x</a>'),
  '/redirect-ftp': to('ftp://127.0.0.1/'),
  '/redirect-metadata': to('http://169.254.169.254/latest/meta-data/'),
  '/redirect-metadata-decimal': to('http://2852039166/latest/meta-data/'),
  '/redirect-private': to('http://10.0.0.1/'),
  '/redirect-loopback-v6': to('http://[::1]/'),
  '/redirect-mapped-v6': to('http://[::ffff:10.0.0.1]/'),
  '/redirect-credentials': to('http://user:secret@10.0.0.1/'),
  '/redirect-empty': to(''),
  '/redirect-nowhere': (socket) => reply(socket, { status: '302 Found' }),
  '/redirect-unreadable': to('http://[not-an-address/'),
  '/redirect-long': to(`/${'x'.repeat(100_000)}`),
}

/** Endless sites, and pages that cost more than they seem to. */
const hostileTraps: Behaviours = {
  '/calendar/': (socket, { path }) => {
    const [year = 2026, month = 1] = path.slice('/calendar/'.length).split('/').map(Number)
    const at = (offset: number): string => {
      const months = (Number.isInteger(year) ? year : 2026) * 12 + (Number.isInteger(month) ? month : 1) - 1 + offset
      return `/calendar/${Math.floor(months / 12)}/${(months % 12) + 1}`
    }
    reply(socket, { body: linkPage([at(1), at(-1), at(12)]) + path })
  },
  '/session': (socket, { query }) => {
    const ids = [1, 2, 3].map((step) => `/session?sid=${(hash(query) * step + step) >>> 0}`)
    reply(socket, { body: `${linkPage([...ids, `/session?page=2&${query}`])}<!-- ${query} -->` })
  },
  // Relative links below a URL without a trailing slash: the classic mistake behind /a/a/a/a.
  '/echo/': (socket, { path }) => reply(socket, { body: linkPage(['a/', 'b/a/']) + path.length }),
  '/soft/': (socket, { path }) =>
    reply(socket, {
      body: `<h1>Sorry, nothing here</h1>${linkPage([`/soft/${hash(path)}`, `/soft/${hash(path) >>> 3}`])}`,
    }),
  '/faceted': (socket, { query }) =>
    reply(socket, {
      body: linkPage(['a', 'b', 'c', 'd'].map((key) => `/faceted?${query}&amp;${key}=${query.length}`)) + query,
    }),
  '/long-url': (socket, _, { longUrlChars }) =>
    reply(socket, { body: linkPage([`/${'u'.repeat(longUrlChars)}`, '/ok/1']) }),
  '/many-links': (socket, _, { manyLinks }) =>
    reply(socket, { body: Array.from({ length: manyLinks }, (_, link) => `<a href=/many/${link}>x</a>`).join('\n') }),
  '/nested-tags': (socket, _, { nestedTags }) =>
    reply(socket, { body: `${'<div>'.repeat(nestedTags)}<a href="/ok/1">x</a>` }),
  '/open-angles': (socket) => reply(socket, { body: '<'.repeat(1_000_000) }),
  '/open-comments': (socket) => reply(socket, { body: '<!--'.repeat(250_000) }),
  '/open-quote': (socket) => reply(socket, { body: `<a href="${'q'.repeat(1_000_000)}` }),
  '/open-scripts': (socket) => reply(socket, { body: '<script>'.repeat(125_000) }),
  '/many-attributes': (socket) =>
    reply(socket, {
      body: `<a ${Array.from({ length: 100_000 }, (_, name) => `a${name}=1`).join(' ')} href="/ok/1">x</a>`,
    }),
  '/entities': (socket) => reply(socket, { body: `<a href="/ok/1?${'&amp'.repeat(100_000)}">x</a>` }),
  '/base-elsewhere': (socket) =>
    reply(socket, { body: '<base href="file:///etc/"><a href="passwd">x</a><a href="/ok/1">x</a>' }),
}

function hash(text: string): number {
  let value = 2166136261
  for (let at = 0; at < text.length && at < 1000; at++) value = Math.imul(value ^ text.charCodeAt(at), 16777619)
  return value >>> 0
}

export const behaviours: Behaviours = {
  ...hostileBodies,
  ...hostileBombs,
  ...hostileRedirects,
  ...hostileTraps,
  ...malformedReplies,
}
