import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedLimits } from '../../core/feed/feed.ts'
import { extractFeed } from './feed-page.ts'

const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>Pod</title><link>https://a.example/</link>
  <item><title>One</title><link>/one</link><guid>1</guid><enclosure url="https://cdn.example/one.mp3" type="audio/mpeg" length="1"/>
    <description>&lt;a href="/elsewhere">x&lt;/a></description></item>
  <item><title>Two</title><link>/two?a=1&amp;b=2</link></item>
  <item><title>Two again</title><link>https://a.example/two?a=1&amp;b=2</link></item>
  <item><title>Without a link</title></item></channel></rss>`

const read = (body: string, contentType: string | undefined, maxLinks = 100) =>
  extractFeed(Buffer.from(body), { contentType, url: 'https://a.example/feed', maxLinks })

test('extracts links to the entries of a feed and their attached files', () => {
  const feed = read(rss, 'application/rss+xml')
  assert.deepEqual(
    feed?.links.map(({ href }) => href),
    ['https://a.example/one', 'https://cdn.example/one.mp3', 'https://a.example/two?a=1&b=2'],
  )
  assert.equal(feed?.title, 'Pod')
  const json = JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    items: [{ id: '1', url: 'x', attachments: [{ url: '/y.mp3', mime_type: 'audio/mpeg' }] }],
  })
  assert.deepEqual(
    read(json, 'application/feed+json')?.links.map(({ href }) => href),
    ['https://a.example/x', 'https://a.example/y.mp3'],
  )
})

test('counts links beyond the limit and links that are too long', () => {
  const feed = read(rss.replace('/one<', `/${'x'.repeat(9000)}<`), 'text/xml', 1)
  assert.deepEqual([feed?.links.length, feed?.droppedLinks, feed?.longLinks], [1, 2, 1])
})

test('recognises a feed that is served as a file', () => {
  for (const type of ['application/octet-stream', 'binary/octet-stream'])
    for (const body of [rss, `\ufeff\n${rss}`, rss.replace(/^<\?xml[^>]*>/, '')])
      assert.equal(read(body, type)?.links.length, 3, type)
  assert.equal(read(`PK\u0003\u0004${rss}`, 'application/octet-stream'), null)
})

test('returns null for other documents and content types', () => {
  assert.equal(read('<svg><a href="x"/></svg>', 'image/svg+xml'), null)
  assert.equal(read('{"items":[{"url":"x"}]}', 'application/json'), null)
  assert.equal(read(rss, 'text/plain'), null)
  assert.equal(read(rss, undefined), null)
})

test('reads a limited number of a hundred thousand entries', () => {
  const items = Array.from({ length: 100_000 }, (_, n) => `<item><link>http://a.example/${n}</link></item>`)
  const feed = read(`<rss><channel>${items.join('')}</channel></rss>`, 'text/xml')
  assert.deepEqual([feed?.links.length, feed?.droppedLinks], [100, feedLimits.entries - 100])
})
