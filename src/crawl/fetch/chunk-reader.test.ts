import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ChunkReader, MORE, STOPPED } from './chunk-reader.ts'

/** Reads bytes in pieces of these lengths, again and again. */
function readIn(bytes: Buffer, lengths: readonly number[]) {
  const reader = new ChunkReader(1000)
  const pieces: Buffer[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const part = bytes.subarray(at, at + lengths[turn % lengths.length]!)
    const read = reader.read(part, (piece) => pieces.push(Buffer.from(piece)) > 0)
    if (read !== MORE) return { read, at, body: Buffer.concat(pieces) }
    at += part.length
  }
  return { read: MORE, at: bytes.length, body: Buffer.concat(pieces) }
}

const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 12 })
const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 })

test('a body is the same in whichever pieces it came, and ends where it ends', () => {
  fc.assert(
    fc.property(chunks, lengths, fc.boolean(), (bodies, cuts, hasTrailer) => {
      const framed = bodies.map((body) =>
        Buffer.concat([Buffer.from(`${body.length.toString(16)};n="v"\r\n`), body, Buffer.from('\r\n')]),
      )
      const end = Buffer.from(hasTrailer ? '0\r\nX-Sum: 1\r\n\r\n' : '000\r\n\r\n')
      const whole = Buffer.concat([...framed, end])
      const { read, at, body } = readIn(Buffer.concat([whole, Buffer.from('HTTP/1.1 200')]), cuts)
      assert.deepEqual(body, Buffer.concat(bodies))
      assert.equal(at + (read as number), whole.length)
    }),
  )
})

test('bytes that are no chunks are refused at any cut, and nothing is read behind them', () => {
  const wrong = [
    '\r\n',
    ' 5\r\nhello\r\n',
    '5 \r\nhello\r\n',
    '-5\r\n',
    '5\r\nhello5\r\n',
    '0\r\nno field\r\n\r\n',
    'g\r\n',
  ]
  for (const text of wrong)
    for (const cut of [1, 2, 100]) assert.equal(typeof readIn(Buffer.from(text), [cut]).read, 'string', text)
})

test('who wants no more is given no more', () => {
  const taken: string[] = []
  const read = new ChunkReader(1000).read(Buffer.from('1\r\na\r\n1\r\nb\r\n0\r\n\r\n'), (piece) => {
    taken.push(piece.toString())
    return false
  })
  assert.equal(read, STOPPED)
  assert.deepEqual(taken, ['a'])
})
