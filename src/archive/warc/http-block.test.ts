import assert from 'node:assert/strict'
import test from 'node:test'
import { parseHttpBlock, withoutChunks } from './http-block.ts'

const parsed = (text: string) => parseHttpBlock(Buffer.from(text, 'latin1'))

test('the start line of a message without header fields has no line ending', () => {
  for (const [start, status] of [
    ['HTTP/1.1 204 Nothing', 204],
    ['HEAD /a HTTP/1.0', null],
  ] as const) {
    for (const end of ['\r\n', '\n']) {
      const http = parsed(`${start}${end}${end}rest`)!
      assert.deepEqual(
        [http.statusLine, http.status, http.headers.entries, `${http.body}`],
        [start, status, [], 'rest'],
      )
    }
  }
})

test('reads start lines without a version or with extra spaces, and rejects malformed ones', () => {
  assert.equal(parsed('HTTP 200 Here it is\nA: b\n\n')!.status, 200)
  assert.equal(parsed('GET /a\r\nA: b\r\n\r\nx')!.body.toString(), 'x')
  assert.equal(parsed('GET / http/1.1\r\nA: b\r\n\r\nx')!.body.toString(), 'x')
  assert.equal(parsed('PUT   /a b   HTTP/1.1  \r\nA: b\r\n\r\nx')!.body.toString(), 'x')
  for (const none of [
    '',
    'HTTP',
    'HTTPS 200 OK\n\n',
    'HTTP 20 OK\n\n',
    'some text\n\n',
    ' GET / HTTP/1.1\n\n',
    'ERROR 42\n\n',
  ])
    assert.equal(parsed(none), null, none)
})

test('skips an invalid header line and its continuation, and keeps all other fields', () => {
  const http = parsed('HTTP/1.0 403 Go\r\n  away\r\nA: 1\r\n 2\r\nhello\r\n\tyou: there\r\nB: 3\r\n: 4\r\n 5\r\n\r\nx')!
  assert.deepEqual(http.headers.entries, [
    ['A', '1 2'],
    ['B', '3'],
  ])
  assert.equal(http.body.toString(), 'x')
})

test('chunk sizes may have leading zeros and an extension', () => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
  const bare = (chunks: string) => withoutChunks(parsed(head + chunks)!)?.toString()
  assert.equal(bare('0000000000003;a=b\r\none\r\n00000000000A \r\n, two, six\r\n000\r\n\r\n'), 'one, two, six')
  for (const damaged of ['000000000fffffffff\r\nx', '4\r\nabc', 'x', ''])
    assert.equal(bare(damaged), undefined, damaged)
})
