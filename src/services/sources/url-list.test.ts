import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { looksLikeOpml, readOpml, writeOpml } from './opml.ts'
import { readUrlList } from './url-list.ts'

describe('a URL list', () => {
  test('may contain comments, blank lines and any kind of line ending', async () => {
    const { urls, skipped } = await readUrlList(
      '# mine\r\nhttps://a.example/x#part # a note\n\n  http://b.example/  \rexample.org/news\n',
    )
    assert.deepEqual(
      urls.map(({ line, url }) => [line, url]),
      [
        [2, 'https://a.example/x#part'],
        [4, 'http://b.example/'],
        [5, 'https://example.org/news'],
      ],
    )
    assert.deepEqual(skipped, [])
  })

  test('may be prose that contains URLs', async () => {
    const { urls } = await readUrlList('See (https://a.example/b), "http://c.example/d?e=f" and https://g.example/(h).')
    assert.deepEqual(
      urls.map(({ url }) => url),
      ['https://a.example/b', 'http://c.example/d?e=f', 'https://g.example/(h)'],
    )
  })

  test('reports the line number and the reason for every unreadable line', async () => {
    const { urls, skipped } = await readUrlList('hello there\nmailto:ann@example.org\n')
    assert.deepEqual(urls, [])
    assert.deepEqual(
      skipped.map(({ line, why }) => [line, why]),
      [
        [1, "That isn't a web address (http or https)"],
        [2, "That isn't a web address (http or https)"],
      ],
    )
  })

  test('with two million characters of pathological input is read without trouble', async () => {
    for (const hostile of [
      'a.'.repeat(1_000_000),
      'http:'.repeat(400_000),
      'x://'.repeat(500_000),
      '#'.repeat(2_000_000),
      `http://a${','.repeat(2_000_000)}x`,
    ])
      assert.ok((await readUrlList(hostile)).urls.length <= 1)
    assert.equal((await readUrlList(' \t'.repeat(1_000_000))).urls.length, 0)
    assert.equal((await readUrlList('\n'.repeat(2_000_000))).skipped.length, 0)
  })
})

describe('an OPML outline', () => {
  const opml = `<?xml version="1.0"?>
<!DOCTYPE opml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>
<opml version="2.0"><body>
  <outline text="News">
    <outline type="rss" text="One &amp; all" xmlUrl="https://a.example/feed?x=1&amp;y=2" htmlUrl="https://a.example/"/>
    <outline text="Two &b;" HTMLURL="https://b.example/">
  </outline></outline>
  <outline type="link" title="Three" url=" https://c.example/ "/>
  <outline type="rss" text="Four"/>
</body></opml>`

  test('yields the URL of each entry and a name that includes its folders', async () => {
    const { urls, skipped } = await readOpml(opml)
    assert.deepEqual(urls, [
      { line: 5, url: 'https://a.example/feed?x=1&y=2', name: 'News / One & all' },
      { line: 6, url: 'https://b.example/', name: 'News / Two &b;' },
      { line: 8, url: 'https://c.example/', name: 'Three' },
    ])
    assert.deepEqual(skipped, [{ line: 9, text: 'Four', why: 'No address' }])
  })

  test('is distinguished from a URL list', () => {
    assert.equal(looksLikeOpml(opml), true)
    assert.equal(looksLikeOpml('\ufeff  <opml version="1.0">'), true)
    assert.equal(looksLikeOpml('https://a.example/<outline>'), false)
    assert.equal(looksLikeOpml('<?xml version="1.0"?><profiles/>'), false)
  })

  test('that is not OPML or is nested too deeply is rejected', async () => {
    for (const wrong of ['<rss><channel/></rss>', 'words', '<outline>'.repeat(100_000)])
      await assert.rejects(readOpml(wrong), (error) => isAppError(error, 'file-invalid'))
  })

  test('that was exported can be read back', async () => {
    let text = ''
    const items = [
      { url: 'https://a.example/?a=1&b="2"', name: 'A <b> & \u0000c\ud800', isFeed: false },
      { url: 'http://b.example/', name: '', isFeed: true },
    ]
    for await (const piece of writeOpml(items)) text += piece
    const { urls } = await readOpml(text)
    assert.deepEqual(
      urls.map(({ url, name }) => [url, name]),
      [
        [items[0]!.url, 'A <b> & c\ufffd'],
        [items[1]!.url, null],
      ],
    )
  })
})
