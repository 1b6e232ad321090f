import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Element } from 'domhandler'
import { findAll, textContent } from 'domutils'
import { parseDocument } from 'htmlparser2'
import { parse } from 'parse5'
import type { DiffReport, VersionReport } from '../../core/reports/history-report.ts'
import { diffPage } from './diff-page.ts'
import { diffTexts } from './text-diff.ts'

const version: VersionReport = {
  n: 1,
  reason: 'new',
  firstSeenAt: '2026-01-01T00:00:00.000Z',
  lastSeenAt: '2026-01-01T00:00:00.000Z',
  status: 200,
  type: 'text/html',
  size: 10,
  title: '</title><script>alert(1)</script>',
  digest: '',
  textDigest: null,
  etag: '',
  lastModified: '',
  truncated: '',
  address: '',
  location: '',
  body: 'kept',
  links: 0,
}

function report(old: string, next: string, form: 'lines' | 'words'): DiffReport {
  const diff = diffTexts(old, next, { form, context: 3 })
  const url = 'http://a.example/?a=1&b="><script>alert(2)</script>'
  return { ...diff, url, from: version, to: { ...version, n: 2 }, compared: 'text', form, equal: false }
}

function elements(html: string, name: string): Element[] {
  return findAll((element) => element.name === name, parseDocument(html))
}

const hostile = `<script>alert(3)</script> <img src=x onerror=alert(4)> </del></div><iframe src="//evil"> &amp; '"\u0000\u001b`

for (const form of ['lines', 'words'] as const) {
  test(`a page by ${form} marks what came and went and is valid HTML`, () => {
    const html = diffPage(report('a\nold line\nz', 'a\nnew line\nz', form))
    const faults: string[] = []
    parse(html, { onParseError: ({ code }) => faults.push(code) })
    assert.deepEqual(faults, [])
    assert.match(elements(html, 'ins').map(textContent).join('|'), /^new/)
    assert.match(elements(html, 'del').map(textContent).join('|'), /^old/)
    assert.equal(elements(html, 'section').length, 1)
    assert.equal(elements(html, 'h1').length, 1)
  })

  test(`nothing in the documents becomes markup of a page by ${form}`, () => {
    const html = diffPage(report(`safe ${hostile}`, `${hostile} ${hostile}\n${hostile}`, form))
    for (const name of ['script', 'img', 'iframe']) assert.deepEqual(elements(html, name), [], name)
    assert.equal(elements(html, 'title').length, 1)
    assert.match(textContent(elements(html, 'main')), /<script>alert\(3\)<\/script>/)
    for (const control of ['\u0000', '\u001b']) assert.equal(html.includes(control), false)
  })
}

test('a page says when nothing differs and when it is only rough', () => {
  const equal = { ...report('a', 'a', 'lines'), equal: true }
  assert.match(diffPage(equal), /The visible text is the same\./)
  assert.match(diffPage({ ...report('a', 'b', 'lines'), coarse: true }), /too much for an exact comparison/)
  assert.match(diffPage({ ...equal, equal: false, compared: 'bytes' }), /no text that could be compared/)
})
