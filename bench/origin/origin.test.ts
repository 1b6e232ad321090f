import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { startOrigin } from './start.ts'

const origin = await startOrigin({ pages: 60, hosts: 3, meanBytes: 6000, links: 15 })
after(() => origin.close())

async function exchange(host: string, request: string): Promise<string> {
  const socket = connect(origin.port, host)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
  })
  socket.write(request)
  await once(socket, 'close')
  return text
}

test('every page of a generated web is reachable from the root pages, across hosts', async () => {
  await origin.reset()
  const seen = new Set(origin.seeds)
  for (const url of seen) {
    const page = await (await fetch(url)).text()
    for (const [, href] of page.matchAll(/<a (?:class="ref" )?href="([^"]+)"/g)) {
      const link = new URL(href!, url)
      link.hash = ''
      if (link.protocol === 'http:') seen.add(link.href)
    }
  }
  const stats = await origin.stats()
  assert.equal(seen.size, 60)
  assert.equal(origin.documents, 60)
  assert.equal(stats.distinct, 60)
  assert.equal(stats.duplicates, 0)
  assert.equal(stats.notFound, 0)
})

test('two origins with the same seed differ only in their port', async () => {
  const twin = await startOrigin({ pages: 60, hosts: 3, meanBytes: 6000, links: 15 })
  const pages = await Promise.all([origin, twin].map(async ({ seeds }) => (await fetch(seeds[2]!)).text()))
  await twin.close()
  assert.equal(pages[0]!.replaceAll(`:${origin.port}/`, ':0/'), pages[1]!.replaceAll(`:${twin.port}/`, ':0/'))
})

test('answers pipelined requests in order, HEAD without a body, and unknown paths with 404', async () => {
  await origin.reset()
  const text = await exchange(
    origin.hosts[0]!,
    'HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\nGET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  )
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+|Not found/g), [
    'HTTP/1.1 200',
    'HTTP/1.1 404',
    'Not found',
    'HTTP/1.1 404',
    'Not found',
  ])
  const stats = await origin.stats()
  assert.deepEqual([stats.requests, stats.robots, stats.notFound], [1, 1, 1])
})

test('answers a matching ETag with 304, and counts repeated requests per round', async () => {
  await origin.reset()
  const first = await fetch(origin.seeds[0]!)
  await first.arrayBuffer()
  await origin.mark()
  const again = await fetch(origin.seeds[0]!, { headers: { 'if-none-match': first.headers.get('etag')! } })
  await origin.mark()
  assert.equal(again.status, 304)
  const stats = await origin.stats()
  assert.equal(stats.notModified, 1)
  assert.deepEqual(stats.rounds, [
    { requests: 1, duplicates: 0, cutOff: 0 },
    { requests: 1, duplicates: 1, cutOff: 0 },
  ])
})

test('serves a document tree, with listings for folders without an index page', async () => {
  const tree = await startOrigin({ roots: [import.meta.dirname] })
  const listing = await (await fetch(tree.seeds[0]!)).text()
  const file = await fetch(`${tree.seeds[0]}web.ts`)
  await tree.close()
  assert.match(listing, /<a href="web\.ts">/)
  assert.equal(file.status, 200)
  assert.match(await file.text(), /generateWeb/)
})
