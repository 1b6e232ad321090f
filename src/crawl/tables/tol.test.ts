import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { extractPage } from '../extract/page.ts'
import { documentDigest, tableUrl } from './table-text.ts'
import { readLinkTable, writeLinkTable } from './tol.ts'

const html = Buffer.from(
  '<base href="sub/"><a href="a.html">a</a><a href="a.html">a</a><a href="https://other.example/\n?q=ä">b</a><a href="//c.example/">c</a>',
)
const found = extractPage(html, { url: 'http://localhost/', contentType: 'text/html; charset=utf-8' })
const options = { document: documentDigest(html), url: null, isNofollow: false }

describe('table of links', () => {
  test('lists each link once as in the document, and its base', () => {
    const table = readLinkTable(Buffer.from(writeLinkTable(found, options)), 100)!
    assert.deepEqual(table, {
      document: documentDigest(html),
      base: 'sub/',
      links: ['a.html', 'https://other.example/?q=ä', '//c.example/'],
    })
    assert.equal(readLinkTable(Buffer.from(writeLinkTable(found, options)), 2)!.links.length, 2)
  })

  test('lists absolute links if the URL of the document is known', () => {
    const text = writeLinkTable(found, { ...options, url: 'https://site.example/x/y.html' })
    const links = text.split('\n').slice(2, -2)
    assert.deepEqual(links, [
      'in https://site.example/x/sub/a.html',
      'out https://other.example/?q=%C3%A4',
      'out https://c.example/',
    ])
  })

  test('is empty for a nofollow document', () => {
    const table = readLinkTable(Buffer.from(writeLinkTable(found, { ...options, isNofollow: true })), 100)
    assert.deepEqual(table?.links, [])
  })

  test('is rejected if it is damaged, truncated or something else', () => {
    const text = writeLinkTable(found, options)
    const others = [
      text.replace('a.html', 'b.html'),
      text.slice(0, -30),
      text.replace('eRACE-TOL 1', 'eRACE-TOL 2'),
      `${text}\n`.replace('end 4', 'end 5'),
      '<!doctype html><title>Not found</title>',
      '',
      '\n\n\n',
    ]
    for (const other of others) assert.equal(readLinkTable(Buffer.from(other), 100), null, JSON.stringify(other))
    assert.equal(readLinkTable(Buffer.alloc(1_000_000, 'x'), 100), null)
  })

  test('has a URL next to that of its document', () => {
    assert.equal(tableUrl('TOL', 'https://a.example/b/c.html'), 'https://a.example/b/c.html.TOL')
    assert.equal(tableUrl('TVI', 'https://a.example/b/'), 'https://a.example/b/index.html.TVI')
    assert.equal(tableUrl('TOL', 'https://a.example/list?page=2'), null)
  })
})
