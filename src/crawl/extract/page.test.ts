import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { baseUrl, extractLinks, metaRefresh } from './page.testkit.ts'
import { extractPage } from './page.ts'

const url = 'http://site.example/dir/page.html'

function urls(body: Uint8Array, encoding?: string): string[] {
  return extractLinks(body, url, encoding).map((link) => link.url)
}

describe('the links of a page', () => {
  test('are absolute http or https URLs without fragments, unique and in order', () => {
    const page =
      '<a href=b#x><a href=/a><a href="b#y"><a href=ftp://h/><a href="https://h:443/c?d"><a href="http://[bad/">'
    assert.deepEqual(urls(Buffer.from(page)), ['http://site.example/dir/b', 'http://site.example/a', 'https://h/c?d'])
  })

  test('are resolved against a valid base element, even one that follows them', () => {
    assert.deepEqual(urls(Buffer.from('<a href=x><base href="/other/">')), ['http://site.example/other/x'])
    assert.equal(baseUrl(Buffer.from('<base href="data:,x">'), url), url)
    assert.equal(baseUrl(Buffer.from('<base href="http://[">'), url), url)
    assert.equal(baseUrl(Buffer.from('<p>'), url), url)
  })

  test('can be resolved by a custom function', () => {
    const links = extractLinks(Buffer.from('<a href=x><a href=y>'), url, null, (href) =>
      href === 'x' ? 'http://h/x' : null,
    )
    assert.deepEqual(links, [{ url: 'http://h/x', nofollow: false, tag: 'a' }])
  })

  test('have their path in UTF-8 and their query in the page encoding', () => {
    assert.deepEqual(urls(Buffer.from('<a href="/\xe9?\xe9#\xe9">', 'latin1'), 'iso-8859-1'), [
      'http://site.example/%C3%A9?%E9',
    ])
    assert.deepEqual(urls(Buffer.from('<a href="/é?é">')), ['http://site.example/%C3%A9?%C3%A9'])
    assert.deepEqual(
      urls(Buffer.from([...Buffer.from('<a href="?q='), 0x93, 0xfa, 0x96, 0x7b, ...Buffer.from('">')]), 'shift_jis'),
      ['http://site.example/dir/page.html?q=%93%FA%96{'],
    )
    assert.deepEqual(urls(Buffer.from('<a href="/\x8cc?\x8cc">', 'latin1'), 'euc-kr'), [
      'http://site.example/%EB%98%A0?%8Cc',
    ])
  })

  test('encode query entities in the page encoding, or as numeric references if it lacks the character', () => {
    assert.deepEqual(urls(Buffer.from('<a href="/&euro;?&euro;&hearts;">'), 'iso-8859-15'), [
      'http://site.example/%E2%82%AC?%A4%26%239829%3B',
    ])
  })

  test('are found in UTF-16 and ISO-2022-JP pages, with queries in UTF-8', () => {
    const wide = Buffer.from('\uFEFF<a href="/é?é">', 'utf16le')
    assert.deepEqual(urls(wide), ['http://site.example/%C3%A9?%C3%A9'])
    const word = '\x1b$BF|K\\\x1b(B'
    const japanese = Buffer.from(`<meta charset=iso-2022-jp><a href="/${word}?${word}">`, 'latin1')
    assert.deepEqual(urls(japanese), ['http://site.example/%E6%97%A5%E6%9C%AC?%E6%97%A5%E6%9C%AC'])
  })
})

test('extractPage reports the encoding and where it was declared', () => {
  const page = extractPage(Buffer.from('<title>\xd0\xd2</title>', 'latin1'), {
    url,
    contentType: 'text/html; charset=koi8-r',
  })
  assert.deepEqual(page.charset, { charset: 'koi8-r', source: 'header' })
  assert.equal(page.title, 'пр')
})

test('XHTML is recognised by its media type', () => {
  const body = Buffer.from('<title/><a href="x"/>')
  assert.equal(extractPage(body, { url, contentType: 'application/xhtml+xml; charset=utf-8' }).links.length, 1)
  assert.equal(extractPage(body, { url, contentType: 'text/html' }).links.length, 0)
})

test('the number of links can be limited', () => {
  const page = extractPage(Buffer.from('<a href=x>'.repeat(10)), { url, maxLinks: 3 })
  assert.deepEqual([page.links.length, page.droppedLinks], [3, 7])
})

test('a meta refresh is resolved against the base', () => {
  const body = Buffer.from('<base href=/b/><meta http-equiv=refresh content="1;url=x">')
  assert.deepEqual(metaRefresh(body, url), { seconds: 1, url: 'http://site.example/b/x' })
  assert.equal(metaRefresh(Buffer.from('<p>'), url), null)
  assert.equal(metaRefresh(Buffer.from('<meta http-equiv=refresh content="1;url=http://[">'), url), null)
})
