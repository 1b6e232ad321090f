import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as zlib from 'node:zlib'
import { headerList } from '../../crawl/fetch/fetch-result.ts'
import { asResponse, startFetcher, startOrigin } from '../../crawl/fetch/origin.testkit.ts'
import { decodeBody } from './decode-body.ts'

const limit = 10 << 20
const text = Buffer.from('<p>The quick brown fox jumps over the lazy dog. '.repeat(800))

async function decoded(body: Buffer, encoding: string | undefined, maxBytes = limit) {
  const result = await decodeBody(body, encoding, maxBytes)
  if (result.kind === 'failed') throw new Error(result.message)
  return result
}

test('decodes each encoding synchronously and completely', () => {
  const bodies: [encoding: string, body: Buffer][] = [
    ['gzip', zlib.gzipSync(text)],
    ['x-gzip', zlib.gzipSync(text)],
    ['GZip', zlib.gzipSync(text)],
    ['deflate', zlib.deflateSync(text)],
    ['deflate', zlib.deflateRawSync(text)],
    ['deflate', zlib.gzipSync(text)],
    ['br', zlib.brotliCompressSync(text)],
    ['zstd', zlib.zstdCompressSync(text)],
    ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(text))],
    ['deflate, identity, gzip,', zlib.gzipSync(zlib.deflateSync(text))],
    ['gzip', Buffer.concat([zlib.gzipSync(text.subarray(0, 100)), zlib.gzipSync(text.subarray(100))])],
  ]
  for (const [encoding, body] of bodies) {
    const result = decodeBody(body, encoding, limit)
    assert.deepEqual(result, { kind: 'decoded', body: text, truncated: false }, encoding)
  }
})

test('returns the same buffer if the body is not encoded', () => {
  for (const encoding of [
    undefined,
    '',
    'identity',
    'Identity, identity',
    'none',
    'utf-8',
    'Windows-1251, us-ascii',
    'gzip',
    'zstd',
    'gzip, gzip',
  ]) {
    const result = decodeBody(text, encoding, limit)
    assert.ok(!(result instanceof Promise) && result.kind === 'decoded' && result.body === text, encoding)
  }
  const empty = Buffer.alloc(0)
  assert.deepEqual(decodeBody(empty, 'br, gzip', limit), { kind: 'decoded', body: empty, truncated: false })
})

test('returns plain text labelled br or deflate unchanged', async () => {
  for (const encoding of ['br', 'deflate']) {
    assert.equal((await decoded(text, encoding)).body, text)
  }
})

test('fails on unknown encodings and more than three layers', async () => {
  for (const encoding of ['compress', 'gzip, sdch', 'gzip,gzip,gzip,gzip', 'x'.repeat(100_000)]) {
    const result = await decodeBody(text, encoding, limit)
    assert.equal(result.kind, 'failed', encoding.slice(0, 40))
  }
})

test('truncates at the exact byte limit, with or without an encoding', async () => {
  const bodies: [encoding: string | undefined, body: Buffer][] = [
    [undefined, text],
    ['gzip', zlib.gzipSync(text)],
    ['deflate', zlib.deflateSync(text)],
    ['deflate', zlib.deflateRawSync(text)],
    ['br', zlib.brotliCompressSync(text)],
    ['zstd', zlib.zstdCompressSync(text)],
    ['gzip, gzip', zlib.gzipSync(zlib.gzipSync(text))],
  ]
  for (const [encoding, body] of bodies) {
    const cut = await decoded(body, encoding, 1001)
    assert.deepEqual(cut, { kind: 'decoded', body: text.subarray(0, 1001), truncated: true }, encoding)
    const whole = await decoded(body, encoding, text.length)
    assert.deepEqual(whole, { kind: 'decoded', body: text, truncated: false }, encoding)
  }
})

test('completely decodes a body that is too large for synchronous decoding', async () => {
  const large = Buffer.alloc(5 << 20, text)
  for (const [encoding, body] of [
    ['gzip', zlib.gzipSync(large)],
    ['deflate', zlib.deflateRawSync(large)],
    ['zstd', zlib.zstdCompressSync(large)],
  ] as const) {
    const result = await decoded(body, encoding)
    assert.ok(result.body.equals(large) && !result.truncated, encoding)
  }
})

test('returns all that the server had flushed of a truncated body', async () => {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants
  for (const [encoding, body] of [
    ['gzip', zlib.gzipSync(text, { finishFlush: Z_SYNC_FLUSH })],
    ['deflate', zlib.deflateSync(text, { finishFlush: Z_SYNC_FLUSH })],
    ['deflate', zlib.deflateRawSync(text, { finishFlush: Z_SYNC_FLUSH })],
    ['br', zlib.brotliCompressSync(text, { finishFlush: BROTLI_OPERATION_FLUSH })],
    ['zstd', zlib.zstdCompressSync(text, { finishFlush: ZSTD_e_flush })],
  ] as const)
    assert.deepEqual(await decoded(body, encoding), { kind: 'decoded', body: text, truncated: true }, encoding)
})

test('returns the beginning of a body truncated within a block, except in zstd', async () => {
  for (const [encoding, body] of [
    ['gzip', zlib.gzipSync(text)],
    ['deflate', zlib.deflateSync(text)],
    ['deflate', zlib.deflateRawSync(text)],
    ['br', zlib.brotliCompressSync(text)],
  ] as const) {
    const result = await decoded(body.subarray(0, body.length - 12), encoding)
    const { length } = result.body
    assert.ok(length > 0 && length < text.length, `${encoding}: ${length}`)
    assert.deepEqual(result, { kind: 'decoded', body: text.subarray(0, length), truncated: true }, encoding)
  }
  // All of this text is in one block, and the zstd decoder outputs nothing of an incomplete block.
  const zstd = zlib.zstdCompressSync(text)
  const result = await decodeBody(zstd.subarray(0, zstd.length - 12), 'zstd', limit)
  assert.deepEqual(result, { kind: 'failed', code: 'decode-failed', message: 'unexpected end of file' })
})

test('keeps the whole text despite a wrong checksum', async () => {
  const body = zlib.gzipSync(text, { level: 9 })
  body[body.length - 5]! ^= 0xff
  assert.deepEqual(await decoded(body, 'gzip'), { kind: 'decoded', body: text, truncated: true })
})

test('decodes all bytes despite a wrong length in the gzip trailer', async () => {
  const bomb = zlib.gzipSync(Buffer.alloc(100))
  bomb.writeUInt32LE(0xffffffff, bomb.length - 4)
  const result = await decoded(bomb, 'gzip')
  assert.deepEqual([result.body.length, result.truncated], [100, true])
})

test('fails on garbage after a magic number', async () => {
  const noise = Buffer.from(Array.from({ length: 200 }, (_, i) => (i * 197 + 13) & 0xff))
  for (const [encoding, magic] of [
    ['gzip', [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xff]],
    ['zstd', [0x28, 0xb5, 0x2f, 0xfd, 0xff]],
    ['gzip', [0x1f, 0x8b]],
    ['gzip', [0x1f, 0x8b, 8, 31, 0, 0]],
  ] as const) {
    const body = Buffer.concat([Buffer.from(magic), magic.length > 6 ? noise : Buffer.alloc(0)])
    assert.equal((await decodeBody(body, encoding, limit)).kind, 'failed', String(magic))
  }
})

const folder = process.env.ERACE_CONFORMANCE
const samples = folder === undefined ? undefined : join(folder, 'http-compressed-scrapy')
const skip = samples === undefined && process.env.CI === undefined ? 'ERACE_CONFORMANCE is not set' : false

test('decodes responses compressed by other programs, and stops bombs at the limit', {
  skip,
}, async () => {
  assert.ok(samples !== undefined && existsSync(samples), 'ERACE_CONFORMANCE must name the conformance data')
  const html = zlib.gunzipSync(readFileSync(join(samples, 'html-gzip.bin'))).toString()
  const encodings: [file: string, encoding: string][] = [
    ['html-br.bin', 'br'],
    ['html-gzip.bin', 'gzip'],
    ['html-gzip-deflate.bin', 'gzip, deflate'],
    ['html-gzip-deflate-gzip.bin', 'gzip, deflate, gzip'],
    ['html-rawdeflate.bin', 'deflate'],
    ['html-zlibdeflate.bin', 'deflate'],
    ['html-zstd-static-content-size.bin', 'zstd'],
    ['html-zstd-static-no-content-size.bin', 'zstd'],
    ['html-zstd-streaming-no-content-size.bin', 'zstd'],
    ['bomb-br.bin', 'br'],
    ['bomb-deflate.bin', 'deflate'],
    ['bomb-gzip.bin', 'gzip'],
    ['bomb-zstd.bin', 'zstd'],
  ]
  const origin = await startOrigin((socket, request) => {
    const file = /^GET \/(\S+)/.exec(request)?.[1] ?? ''
    const body = readFileSync(join(samples, file))
    const encoding = encodings.find(([name]) => name === file)?.[1]
    socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`)
    socket.write(body)
  })
  const fetcher = startFetcher()
  for (const [file] of encodings) {
    const response = asResponse(await fetcher.fetch({ url: `${origin.url}/${file}` }))
    const result = await decoded(response.body, headerList(response.rawHeaders, 'content-encoding'))
    if (file.startsWith('bomb')) assert.deepEqual([result.body.length, result.truncated], [limit, true], file)
    // The page names its own encoding, so the two made with deflate differ in that word.
    else assert.ok(result.body.toString().replace('`deflate', '`gzip') === html, file)
  }
  await fetcher.close()
  await origin.close()
})

test('recovers all readable data from damaged gzip files', { skip }, async () => {
  assert.ok(samples !== undefined && existsSync(samples), 'ERACE_CONFORMANCE must name the conformance data')
  const broken = await decoded(readFileSync(join(samples, 'unexpected-eof.gz')), 'gzip')
  // The expected file is UTF-8 made from the bytes read as Latin-1.
  const expected = Buffer.from(readFileSync(join(samples, 'unexpected-eof-output.txt')).toString('utf8'), 'latin1')
  assert.ok(broken.truncated && broken.body.equals(expected))
  for (const [file, ending] of [
    ['truncated-crc-error.gz', '</html'],
    ['truncated-crc-error-short.gz', '</html>'],
  ] as const) {
    const result = await decoded(readFileSync(join(samples, file)), 'gzip')
    assert.ok(result.truncated && result.body.toString('latin1').trimEnd().endsWith(ending), file)
  }
  const feed = readFileSync(join(samples, 'feed-sample1.xml'))
  assert.ok((await decoded(readFileSync(join(samples, 'feed-sample1.xml.gz')), 'gzip')).body.equals(feed))
})
