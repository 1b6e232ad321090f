import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { WARCRecord, WARCSerializer } from 'warcio'
import { readWarcFolder } from './warc-records.ts'

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

async function record(url: string, base32: boolean): Promise<Buffer> {
  const date = '2026-01-01T00:00:00Z'
  const httpHeaders = { 'Content-Type': 'text/html' }
  const made = WARCRecord.create(
    { url, date, type: 'response', httpHeaders, statusline: 'HTTP/1.1 200 OK' },
    once(url.repeat(99)),
  )
  const digest = base32 ? { algo: 'sha-1', prefix: 'sha1:', base32 } : {}
  return Buffer.from(await WARCSerializer.serialize(made, { digest }))
}

test('the WARC check counts whole and duplicate records, and reports truncated, altered and stray ones', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'erace-warc-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'a.warc')
  const first = await record('http://a.example/', true)
  const second = await record('http://a.example/b', false)
  writeFileSync(file, Buffer.concat([first, second, second]))
  const whole = await readWarcFolder(folder)
  assert.deepEqual(whole.faults, [])
  assert.deepEqual(
    [...whole.responses],
    [
      ['http://a.example/', 1],
      ['http://a.example/b', 2],
    ],
  )

  truncateSync(file, first.length + second.length + 500)
  assert.match((await readWarcFolder(folder)).faults.join(), /record 3/)

  const altered = Buffer.from(first)
  altered[first.length - 20]! ^= 1
  writeFileSync(file, altered)
  assert.match((await readWarcFolder(folder)).faults.join(), /digest/)

  writeFileSync(file, Buffer.concat([first, Buffer.from('stray bytes\r\n'), second]))
  assert.notDeepEqual((await readWarcFolder(folder)).faults, [])

  writeFileSync(file, first)
  appendFileSync(file, 'left over')
  assert.notDeepEqual((await readWarcFolder(folder)).faults, [])
})
