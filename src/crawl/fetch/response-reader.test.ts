import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { rawReplies } from './raw-replies.testkit.ts'
import type { ReadOutcome } from './read-outcome.ts'
import type { ParsedHead } from './response-head.ts'
import { ResponseReader } from './response-reader.ts'

type Reading = {
  outcome: ReadOutcome | 'ended by the connection'
  /** Where the response ends in all bytes; null if it doesn't. */
  end: number | null
  keepAliveMs: number
  interims: string[]
  head: ParsedHead | null
  body: string
}

const maxHeaderBytes = 64 << 10

/** Reads the pieces until the response ends. They pass through one buffer, as on a connection. */
function readIn(pieces: Iterable<Buffer>): Reading {
  const shared = Buffer.alloc(256 << 10)
  const reader = new ResponseReader(maxHeaderBytes)
  const body: Buffer[] = []
  const reading: Reading = { outcome: 'more', end: null, keepAliveMs: 0, interims: [], head: null, body: '' }
  const sink = {
    onInterim: (head: string) => void reading.interims.push(head),
    onHead(head: ParsedHead) {
      reading.head = head
      return true
    },
    onData: (piece: Buffer) => body.push(Buffer.from(piece)) > 0,
  }
  let before = 0
  for (const piece of pieces) {
    piece.copy(shared)
    reading.outcome = reader.read(shared.subarray(0, piece.length), sink)
    if (reading.outcome === 'complete') reading.end = before + reader.end
    before += piece.length
    if (reading.outcome !== 'more') break
  }
  if (reading.outcome === 'more' && reader.endsWithConnection) reading.outcome = 'ended by the connection'
  reading.keepAliveMs = reader.keepAliveMs
  reading.body = Buffer.concat(body).toString('latin1')
  return reading
}

/** Two splits of the same bytes may find different words for the same fault. */
function comparable(reading: Reading): Reading {
  const { outcome } = reading
  return typeof outcome === 'string' ? reading : { ...reading, outcome: { ...outcome, message: '' } }
}

function* split(bytes: Buffer, lengths: readonly number[]): Iterable<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length]!
    yield bytes.subarray(at, at + length)
    at += length
  }
}

function assertSameInAnySplit(bytes: Buffer, lengths: readonly number[]): Reading {
  const whole = readIn([bytes])
  assert.deepEqual(comparable(readIn(split(bytes, [1]))), comparable(whole))
  assert.deepEqual(comparable(readIn(split(bytes, lengths))), comparable(whole))
  return whole
}

const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 6 })

describe('a reply is read alike however it is split', () => {
  for (const { name, raw } of rawReplies) {
    test(name, () => {
      const bytes = Buffer.from(raw, 'latin1')
      fc.assert(
        fc.property(lengths, (cuts) => void assertSameInAnySplit(bytes, cuts)),
        { numRuns: 10 },
      )
      for (let at = 1; at < bytes.length; at++) {
        const halves = [bytes.subarray(0, at), bytes.subarray(at)]
        assert.deepEqual(comparable(readIn(halves)), comparable(readIn([bytes])), `cut at ${at}`)
      }
    })
  }
})

const token = fc.stringMatching(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,20}$/)
const value = fc.stringMatching(/^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]{0,30}[\x21-\x7e\x80-\xff])?)?$/)
const framing = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive'])
const fields = fc
  .array(fc.tuple(token, value), { maxLength: 8 })
  .map((pairs) => pairs.filter(([name]) => !framing.has(name.toLowerCase())))
const parts = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { maxLength: 10 })
const next = Buffer.from('HTTP/1.1 200 OK\r\n\r\n')

function headOf(pairs: readonly (readonly [string, string])[], framing: string): string {
  return `HTTP/1.1 200 OK\r\n${pairs.map(([name, value]) => `${name}: ${value}\r\n`).join('')}${framing}\r\n\r\n`
}

describe('a sound response is read whole, and ends where it ends', () => {
  test('with a length', () => {
    fc.assert(
      fc.property(fields, fc.uint8Array({ maxLength: 500 }), lengths, (pairs, body, cuts) => {
        const head = Buffer.from(headOf(pairs, `Content-Length: ${body.length}`), 'latin1')
        const reading = assertSameInAnySplit(Buffer.concat([head, body, next]), cuts)
        assert.equal(reading.outcome, 'complete')
        assert.equal(reading.end, head.length + body.length)
        assert.equal(reading.body, Buffer.from(body).toString('latin1'))
        assert.deepEqual(reading.head?.rawHeaders, [...pairs.flat(), 'Content-Length', String(body.length)])
      }),
    )
  })

  test('in chunks, with extensions and a trailer', () => {
    fc.assert(
      fc.property(fields, parts, fields, lengths, (pairs, bodies, trailer, cuts) => {
        const head = headOf(pairs, 'Transfer-Encoding: chunked')
        const chunks = bodies.map((body) => `${body.length.toString(16)};n="v"\r\n${latin1(body)}\r\n`).join('')
        const end = `0\r\n${trailer.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
        const whole = Buffer.from(head + chunks + end, 'latin1')
        const reading = assertSameInAnySplit(Buffer.concat([whole, next]), cuts)
        assert.equal(reading.outcome, 'complete')
        assert.equal(reading.end, whole.length)
        assert.equal(reading.body, bodies.map(latin1).join(''))
      }),
    )
  })
})

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

test('any bytes have one outcome', () => {
  const piece = fc.constantFrom(
    ...['\r\n', '\n', '\r', ' ', ':', ';', '0', '5', 'a', 'hello', '\0', '\xff', 'X: y', 'HTTP/1.1 200 OK\r\n'],
    ...[
      'HTTP/1.1 103 x\r\n\r\n',
      'Content-Length: 5\r\n',
      'Transfer-Encoding: chunked\r\n',
      '0\r\n\r\n',
      '5\r\nhello\r\n',
    ],
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), lengths, (pieces, cuts) => {
      assertSameInAnySplit(Buffer.from(`HTTP/1.1 200 OK\r\n${pieces.join('')}`, 'latin1'), cuts)
    }),
    { numRuns: 2000 },
  )
})

describe('chunks are refused', () => {
  const wrong = {
    'without a size': '\r\n',
    'after a space': ' 5\r\nhello\r\n',
    'with a space after the size': '5 \r\nhello\r\n',
    'with a negative size': '-5\r\n',
    'with a size in other letters': 'g\r\n',
    'that are longer than they say': '5\r\nhello5\r\n',
    'with a line in an extension': '5;a="b\r\nhello\r\n',
    'with too many extensions': `5${';a=b'.repeat(5000)}\r\nhello\r\n`,
    'with a trailer that is not a field': '0\r\nno field\r\n\r\n',
    'with a folded trailer': '0\r\nX: a\r\n b\r\n\r\n',
    'with an empty extension': '5;\r\nhello\r\n',
    'with a length in the trailer': '1\r\na\r\n0\r\nContent-Length: 1\r\n\r\n',
  }
  for (const [name, text] of Object.entries(wrong)) {
    test(name, () => {
      const reading = assertSameInAnySplit(Buffer.from(headOf([], 'Transfer-Encoding: chunked') + text), [7])
      assert.equal((reading.outcome as { code?: string }).code, 'http-malformed')
    })
  }
})

test('a length next to a transfer coding is refused, even to an empty one', () => {
  for (const framing of ['Content-Length: 1\r\nTransfer-Encoding:', 'Transfer-Encoding:\r\nContent-Length: 1']) {
    const reading = assertSameInAnySplit(Buffer.from(`${headOf([], framing)}a`), [9])
    assert.equal((reading.outcome as { code?: string }).code, 'http-malformed')
  }
})

test('a header is too large by its fields, and a trailer by its lines', () => {
  const large = 'y'.repeat(maxHeaderBytes)
  for (const raw of [
    headOf([['X', large]], 'Content-Length: 0'),
    `${headOf([], 'Transfer-Encoding: chunked')}0\r\nX: ${large}\r\n\r\n`,
    `${headOf([], 'Transfer-Encoding: chunked')}0\r\nX: ${large}`,
  ]) {
    assert.equal((readIn([Buffer.from(raw)]).outcome as { code?: string }).code, 'header-too-large')
  }
})

test('nothing is read after the receiver has stopped', () => {
  const pieces: string[] = []
  const sink = {
    onInterim() {},
    onHead: () => true,
    onData: (piece: Buffer) => pieces.push(piece.toString()) === 0,
  }
  const raw = `${headOf([], 'Transfer-Encoding: chunked')}1\r\na\r\n1\r\nb\r\n0\r\n\r\n`
  assert.equal(new ResponseReader(maxHeaderBytes).read(Buffer.from(raw), sink), 'stopped')
  assert.deepEqual(pieces, ['a'])
})
