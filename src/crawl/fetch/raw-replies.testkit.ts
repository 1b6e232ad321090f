import type { Socket } from 'node:net'
import type { ErrorCode } from '../../core/errors.ts'

/**
 * Replies as bytes, like the test cases of HTTP parsers. `ends` says how a reply ends:
 * - `itself`: by its own length; how the connection ends does not matter;
 * - `connection`: with a connection that is closed cleanly, and only then;
 * - `head`, `body`: it breaks off there;
 * - `fault`: where it stops being HTTP.
 */
export type RawReply = { name: string; raw: string; ends: 'itself' | 'connection' | 'head' | 'body' | 'fault' } & Whole

type Whole = {
  status: number
  body: string
  /** Its first line as received. */
  line: string
  /** A header field and its value. */
  field?: [name: string, value: string]
}

/** How a reply is served. */
export const manners = ['in one write', 'byte by byte', 'with a reset at its end', 'on a line left open'] as const
export type Manner = (typeof manners)[number]

export type RawOutcome = { kind: 'response'; whole: Whole } | { kind: 'failed'; code: ErrorCode }

/** The expected outcome of a fetch. */
export function outcomeOf(reply: RawReply, manner: Manner): RawOutcome {
  const isOpen = manner === 'on a line left open'
  const isReset = manner === 'with a reset at its end'
  const failed = (code: ErrorCode): RawOutcome => ({ kind: 'failed', code })
  if (reply.ends === 'fault') return failed('http-malformed')
  if (reply.ends === 'head') return failed(isOpen ? 'header-timeout' : 'connect-failed')
  if (reply.ends === 'body') return failed(isOpen ? 'body-timeout' : 'body-short')
  if (reply.ends === 'connection' && isOpen) return failed('body-timeout')
  if (reply.ends === 'connection' && isReset) return failed('body-short')
  return { kind: 'response', whole: reply }
}

/** Connections that were answered and are about to be reset. */
const ending = new WeakSet<Socket>()

/** A reset may overtake data sent before it, unless the reader had `readMs` to read that. */
export function serve(socket: Socket, { raw }: RawReply, manner: Manner, readMs = 0): void {
  // The next request came too early. It is sent again on another connection.
  if (ending.has(socket)) return void socket.resetAndDestroy()
  const bytes = Buffer.from(raw, 'latin1')
  socket.setNoDelay(true)
  if (manner === 'in one write') socket.end(bytes)
  else if (manner === 'on a line left open') socket.write(bytes)
  else if (manner === 'byte by byte') writeBytewise(socket, bytes, 0)
  else {
    ending.add(socket)
    socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), readMs))
  }
}

function writeBytewise(socket: Socket, bytes: Buffer, at: number): void {
  if (socket.destroyed) return
  if (at + 1 >= bytes.length) socket.end(bytes.subarray(at))
  else socket.write(bytes.subarray(at, at + 1), () => setImmediate(writeBytewise, socket, bytes, at + 1))
}

const ok = 'HTTP/1.1 200 OK'
const nothing: Whole = { status: 0, body: '', line: '' }

function reply(name: string, raw: string, ends: RawReply['ends'], whole: Partial<Whole> = {}): RawReply {
  return { name, raw, ends, ...nothing, ...whole }
}

/** A response with a Content-Length, after `fields`. */
function sized(name: string, line: string, body: string, fields = '', field?: Whole['field']): RawReply {
  const raw = `${line}\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`
  return reply(name, raw, 'itself', {
    status: statusOf(line),
    body,
    line: line.replace(/ $/, ''),
    ...(field && { field }),
  })
}

/** A 200 response with these header lines, followed by `rest`. */
function whole(name: string, lines: string, rest: string, body: string, field?: Whole['field']): RawReply {
  const raw = `${ok}\r\n${lines}\r\n${rest}`
  return reply(name, raw, 'itself', { status: 200, body, line: ok, ...(field && { field }) })
}

function fault(name: string, raw: string): RawReply {
  return reply(name, raw, 'fault')
}

function empty(name: string, raw: string): RawReply {
  const line = raw.slice(0, raw.indexOf('\r'))
  return reply(name, raw, 'itself', { status: statusOf(line), line })
}

function statusOf(line: string): number {
  return Number(line.slice(9, 12))
}

const chunked = 'Transfer-Encoding: chunked\r\n'
const five = 'Content-Length: 5\r\n'
const page = `${ok}\r\n${five}\r\n`

const statuses = [
  sized('200', ok, 'two hundred'),
  sized('201', 'HTTP/1.1 201 Created', 'created'),
  sized('202 with a body', 'HTTP/1.1 202 Accepted', 'accepted'),
  empty('202 without a body', 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'),
  sized('203', 'HTTP/1.1 203 Non-Authoritative Information', 'by a proxy'),
  empty('204', 'HTTP/1.1 204 No Content\r\n\r\n'),
  empty('204 that tells a length', 'HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n'),
  empty('205 without a length', 'HTTP/1.1 205 Reset Content\r\n\r\n'),
  empty('205 with a body', 'HTTP/1.1 205 Reset Content\r\nContent-Length: 4\r\n\r\nbody'),
  sized('206 that nobody asked for', 'HTTP/1.1 206 Partial Content', 'part', 'Content-Range: bytes 0-3/99\r\n'),
  sized('226', 'HTTP/1.1 226 IM Used', 'a delta'),
  sized('299', 'HTTP/1.1 299 Whatever', 'unknown success'),
  sized('300 without a Location', 'HTTP/1.1 300 Multiple Choices', 'choose'),
  empty('304 that nobody asked for', 'HTTP/1.1 304 Not Modified\r\n\r\n'),
  sized('404', 'HTTP/1.1 404 Not Found', 'gone'),
  sized('418', "HTTP/1.1 418 I'm a teapot", 'short and stout'),
  sized('500', 'HTTP/1.1 500 Internal Server Error', 'sorry'),
  sized('999', 'HTTP/1.1 999 Request denied', 'no'),
]

const lines = [
  sized('no reason', 'HTTP/1.1 200', 'no reason'),
  sized('an empty reason', 'HTTP/1.1 200 ', 'empty reason'),
  sized('a reason in UTF-8', 'HTTP/1.1 200 Voil\xc3\xa0', 'reason in UTF-8'),
  sized('a reason in Latin-1', 'HTTP/1.1 200 Voil\xe0', 'reason in Latin-1'),
  sized('HTTP/1.0 with a length', 'HTTP/1.0 200 OK', 'of 1996'),
  reply('HTTP/1.0 until the end', 'HTTP/1.0 200 OK\r\n\r\nuntil the end', 'connection', {
    ...{ status: 200, body: 'until the end', line: 'HTTP/1.0 200 OK' },
  }),
  reply('a later minor version', `HTTP/1.2 200 OK\r\n${five}\r\nhello`, 'itself', {
    ...{ status: 200, body: 'hello', line: 'HTTP/1.2 200 OK' },
  }),
  fault('a later major version', `HTTP/3.0 200 OK\r\n${five}\r\nhello`),
  sized('an empty line before', ok, 'after an empty line'),
  fault('a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'),
  fault('a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'),
  fault('a status of zeros', 'HTTP/1.1 000 OK\r\n\r\n'),
  fault('a status below 100', `HTTP/1.1 099\r\n${five}\r\nhello`),
  fault('no status', 'HTTP/1.1 OK\r\n\r\n'),
  fault('no version', 'HTTP 200 OK\r\n\r\n'),
  fault('another protocol', 'RTSP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello'),
  fault('ICY', 'ICY 200 OK\r\n\r\nhello'),
  fault('a page without any header', '<html>HTTP/0.9</html>'),
  fault('101 that nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
].map((each) => (each.name === 'an empty line before' ? { ...each, raw: `\r\n${each.raw}` } : each))

const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'
const goOn = 'HTTP/1.1 100 Continue\r\n\r\n'
const interims = [
  ['100', goOn],
  ['103', hints],
  ['100, then 103', goOn + hints],
  ['103, then 100', hints + goOn],
  ['102 and one without a name', `HTTP/1.1 102 Processing\r\n\r\n${goOn}HTTP/1.1 199\r\n\r\n`],
  ['100 of HTTP/1.0', 'HTTP/1.0 100 Continue\r\n\r\n'],
  ['fifty of them', (hints + goOn).repeat(25)],
  ['103 with a folded line', 'HTTP/1.1 103 Early Hints\r\nLink: </a>;\r\n rel=preload\r\n\r\n'],
].map(([name, before]) => {
  const after = sized(`interim: ${name}`, ok, `after ${name}`)
  return { ...after, raw: before + after.raw }
})

const fields = [
  sized('a folded line', ok, 'folded', 'X-A: one\r\n two\r\n', ['x-a', 'one two']),
  sized('a line folded by tabs', ok, 'folded by tabs', 'X-A: one \t\r\n\t\t two\r\n', ['x-a', 'one two']),
  sized('a line folded twice', ok, 'folded twice', 'X-A:\r\n one\r\n \r\n two\r\n', ['x-a', 'one two']),
  whole('a folded length', 'Content-Length:\r\n 5\r\n', 'hello', 'hello'),
  whole('a tab before the length', 'Content-Length:\t5\r\n', 'hello', 'hello', ['content-length', '5']),
  whole('a tab after the length', 'Content-Length: 5\t\r\n', 'hello', 'hello', ['content-length', '5']),
  whole('spaces around the length', 'Content-Length:  \t 5 \t \r\n', 'hello', 'hello', ['content-length', '5']),
  whole('no space before the length', 'Content-Length:5\r\n', 'hello', 'hello'),
  sized('an empty value', ok, 'empty value', 'X-A:\r\n', ['x-a', '']),
  sized('a value of white space', ok, 'white value', 'X-A: \t \r\n', ['x-a', '']),
  sized('octets beyond ASCII', ok, 'octets', 'X-A: caf\xe9 \xc3\xa9\r\n', ['x-a', 'caf\xe9 \xc3\xa9']),
  sized('a no-break space at the end', ok, 'no-break', 'X-A: a\xa0\r\n', ['x-a', 'a\xa0']),
  fault('a CR within a value', `${ok}\r\nX-A: one\rtwo\r\n${five}\r\nhello`),
  fault('a CR within the first line', `HTTP/1.1 200 O\rK\r\n${five}\r\nhello`),
  fault('a CR before the first line', `\r${page}hello`),
  fault('a CR at the end of a line', `${ok}\r\nX-A: one\r\r\n${five}\r\nhello`),
  fault('a CR within an interim response', `HTTP/1.1 103 Early\rHints\r\n\r\n${page}hello`),
  fault('lines that end in LF', `${ok}\nContent-Length: 5\n\nhello`),
  fault('one line that ends in LF', `${ok}\r\nX-A: one\n${five}\r\nhello`),
  fault('white space before the first field', `${ok}\r\n X-A: one\r\n${five}\r\nhello`),
  fault('a space before the colon', `${ok}\r\nContent-Length : 5\r\n\r\nhello`),
  fault('no colon', `${ok}\r\nno colon\r\n\r\n`),
  fault('no name', `${ok}\r\n: value\r\n\r\n`),
  fault('a NUL', `${ok}\r\nX-A: a\0b\r\n\r\n`),
  whole('a length twice in a row', five + five, 'hello', 'hello', ['content-length', '5']),
  whole('a length twice', `${five}X-A: b\r\ncontent-length:5\r\n`, 'hello', 'hello', ['content-length', '5']),
  whole('a list of equal lengths', 'Content-Length: 5, 5 ,5\r\n', 'hello', 'hello', ['content-length', '5, 5 ,5']),
  fault('a list of different lengths', `${ok}\r\nContent-Length: 5, 6\r\n\r\nhello`),
  fault('a length twice that is none', `${ok}\r\nContent-Length: x, x\r\n\r\nhello`),
  fault('two lengths', `${ok}\r\n${five}Content-Length: 6\r\n\r\nhello`),
  fault('a negative length', `${ok}\r\nContent-Length: -5\r\n\r\nhello`),
  fault('a length with a sign', `${ok}\r\nContent-Length: +5\r\n\r\nhello`),
  fault('a hexadecimal length', `${ok}\r\nContent-Length: 0x5\r\n\r\nhello`),
  fault('a length that folds into two', `${ok}\r\nContent-Length: 4\r\n 2\r\n\r\nhello`),
  fault('a length beyond 64 bits', `${ok}\r\nContent-Length: 99999999999999999999\r\n\r\nhello`),
  fault('an empty length', `${ok}\r\nContent-Length:\r\n\r\nhello`),
]

const bodies = [
  reply('until the end', `${ok}\r\n\r\nall of it`, 'connection', { status: 200, body: 'all of it', line: ok }),
  reply('closing, with nothing in it', `${ok}\r\nConnection: close\r\n\r\n`, 'connection', { status: 200, line: ok }),
  reply('identity, until the end', `${ok}\r\nTransfer-Encoding: identity\r\n\r\nas it is`, 'connection', {
    ...{ status: 200, body: 'as it is', line: ok },
  }),
  sized('a length, and closing', ok, 'length and close', 'Connection: close\r\n'),
  empty('a length of nothing', `${ok}\r\nContent-Length: 0\r\n\r\n`),
  whole('chunks', chunked, '5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n', 'hello world'),
  whole('chunks with extensions', chunked, '5;a=b;c="d"\r\nhello\r\n0\r\n\r\n', 'hello'),
  whole('chunks with a trailer', chunked, '5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n', 'hello'),
  whole('chunks in capitals', 'Transfer-Encoding:\tCHUNKED \r\n', 'A\r\n0123456789\r\n0\r\n\r\n', '0123456789'),
  whole('chunks with zeros before', chunked, '0005\r\nhello\r\n000\r\n\r\n', 'hello'),
  fault('a chunk that is longer than it says', `${ok}\r\n${chunked}\r\n5\r\nhello!\r\n0\r\n\r\n`),
  fault('a chunk without a number', `${ok}\r\n${chunked}\r\nxyz\r\nhello\r\n0\r\n\r\n`),
  fault('a chunk beyond 64 bits', `${ok}\r\n${chunked}\r\nfffffffffffffffff\r\nhello`),
  fault('a chunk line that ends in LF', `${ok}\r\n${chunked}\r\n5\nhello\r\n0\r\n\r\n`),
  fault('a chunk line with a CR within', `${ok}\r\n${chunked}\r\n5;a\rb\r\nhello\r\n0\r\n\r\n`),
  fault('a length and chunks', `${ok}\r\n${five}${chunked}\r\n5\r\nhello\r\n0\r\n\r\n`),
  fault('a transfer coding beside chunks', `${ok}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`),
  fault('chunks that are not last', `${ok}\r\nTransfer-Encoding: chunked, gzip\r\n\r\n5\r\nhello\r\n0\r\n\r\n`),
  fault('an unknown transfer coding', `${ok}\r\nTransfer-Encoding: rot13\r\n\r\nuryyb`),
]

const parts = [
  reply('nothing', '', 'head'),
  reply('a part of the first line', 'HTT', 'head'),
  reply('a part of a field', `${ok}\r\nContent-Ty`, 'head'),
  reply('all but the last line feed', `${ok}\r\n${five}\r`, 'head'),
  reply('an interim response alone', goOn, 'head'),
  reply('a length without its body', page, 'body'),
  reply('a part of a body', `${page}hell`, 'body'),
  reply('a part of a chunk', `${ok}\r\n${chunked}\r\n5\r\nhel`, 'body'),
  reply('chunks without the last', `${ok}\r\n${chunked}\r\n5\r\nhello\r\n`, 'body'),
  reply('all but the end of the trailer', `${ok}\r\n${chunked}\r\n5\r\nhello\r\n0\r\n`, 'body'),
]

export const rawReplies: readonly RawReply[] = [...statuses, ...lines, ...interims, ...fields, ...bodies, ...parts]
