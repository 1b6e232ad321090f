import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createHostileSite } from './hostile-site.ts'

const small = { tickMs: 1, bombBytes: 1_000_000, manyLinks: 1000, nestedTags: 1000, longUrlChars: 1000 }

/** Reads at most `maxBytes` of the raw reply. */
async function readReply(origin: string, path: string, maxBytes: number): Promise<Buffer> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  let bytes = 0
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= maxBytes) socket.destroy()
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await once(socket, 'close')
  return Buffer.concat(chunks)
}

test('endless and slow responses continue until the client disconnects', async (t) => {
  const site = await createHostileSite(small)
  t.after(() => site.close())
  for (const path of ['/endless-body', '/endless-chunks', '/endless-header', '/endless-interim'])
    assert.ok((await readReply(site.origin, path, 3_000_000)).length >= 3_000_000, path)
  for (const path of ['/slow-header', '/slow-body']) assert.ok((await readReply(site.origin, path, 100)).length >= 100)
})

test('compression bombs are small on the wire and large when unpacked', async (t) => {
  const site = await createHostileSite(small)
  t.after(() => site.close())
  for (const path of ['/bomb-gzip', '/bomb-br', '/bomb-zstd', '/bomb-deflate']) {
    const response = await fetch(site.origin + path)
    assert.ok(Number(response.headers.get('content-length')) < 20_000, path)
    assert.equal((await response.arrayBuffer()).byteLength, 1_000_000, path)
  }
})

test('traps link endlessly, and plain pages stay reachable', async (t) => {
  const site = await createHostileSite({ ...small, robots: 'huge' })
  t.after(() => site.close())
  const page = async (path: string): Promise<string> => (await fetch(site.origin + path)).text()
  assert.match(await page('/calendar/2026/12'), /href="\/calendar\/2027\/1"/)
  assert.match(await page('/session?sid=1'), /href="\/session\?sid=\d+"/)
  assert.match(await page('/echo/a/a/a/'), /href="a\/"/)
  assert.match(await page('/ok/3'), /plain page/)
  assert.ok((await page('/robots.txt')).length > 10_000_000)
  assert.equal((await fetch(`${site.origin}/hops/3`)).url, `${site.origin}/hops/0`)
  await assert.rejects(fetch(`${site.origin}/redirect-self`))
  await assert.rejects(fetch(`${site.origin}/malformed-version`))
  await assert.rejects(fetch(`${site.origin}/reset`))
  const index = await page('/')
  for (const path of site.paths) assert.ok(index.includes(`"${path}"`), path)
})
