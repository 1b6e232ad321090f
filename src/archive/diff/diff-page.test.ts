import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Element } from 'domhandler'
import { findAll, textContent } from 'domutils'
import { parseDocument } from 'htmlparser2'
import { parse } from 'parse5'
import type { DiffReport, VersionReport } from '../../core/reports/history-report.ts'
import { blocksOfLines } from '../../core/text/line-blocks.ts'
import { reportChanges } from './change-report.ts'
import { blocksOf } from './changes.testkit.ts'
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
  completedFrom: null,
  address: '',
  location: '',
  body: 'kept',
  links: 0,
  notice: null,
}

function report(old: string, next: string, form: 'lines' | 'words'): DiffReport {
  const diff = diffTexts(old, next, { form, context: 3 })
  const url = 'http://a.example/?a=1&b="><script>alert(2)</script>'
  const changes = reportChanges(blocksOfLines(old), blocksOfLines(next))
  return { ...changes, ...diff, url, from: version, to: { ...version, n: 2 }, compared: 'text', form, equal: false }
}

function elements(html: string, name: string): Element[] {
  return findAll((element) => element.name === name, parseDocument(html))
}

const hostile = `<script>alert(3)</script> <img src=x onerror=alert(4)> </del></div><iframe src="//evil"> &amp; '"\u0000\u001b`

const views = [
  { name: 'by blocks', form: 'lines', view: 'changes' },
  { name: 'by lines', form: 'lines', view: 'text' },
  { name: 'by words', form: 'words', view: 'text' },
] as const

for (const { name, form, view } of views) {
  test(`a page ${name} marks added and removed text and is valid HTML`, () => {
    const html = diffPage(report('a\nold line\nz', 'a\nnew line\nz', form), view)
    const faults: string[] = []
    parse(html, { onParseError: ({ code }) => faults.push(code) })
    assert.deepEqual(faults, [])
    assert.match(elements(html, 'ins').map(textContent).join('|'), /^new/)
    assert.match(elements(html, 'del').map(textContent).join('|'), /^old/)
    assert.equal(elements(html, 'section').length, 1)
    assert.equal(elements(html, 'h1').length, 1)
  })

  test(`a page ${name} escapes all markup in the documents`, () => {
    const html = diffPage(report(`safe ${hostile}`, `${hostile} ${hostile}\n${hostile}`, form), view)
    for (const name of ['script', 'img', 'iframe']) assert.deepEqual(elements(html, name), [], name)
    assert.equal(elements(html, 'title').length, 1)
    assert.match(textContent(elements(html, 'main')), /<script>alert\(3\)<\/script>/)
    for (const control of ['\u0000', '\u001b']) assert.equal(html.includes(control), false)
  })
}

test('a page has a section per heading path, rows as cells, and labels for moved blocks', () => {
  const old = blocksOf('# Shop\n## Kettle\n| Price | € 39.90\nIt boils water.\n## Pot\n€ 20')
  const next = blocksOf('# Shop\n## Kettle\n| Price | € 34.50\n## Pot\n€ 25\nIt boils water.')
  const html = diffPage({ ...report('a', 'b', 'lines'), ...reportChanges(old, next) })
  assert.deepEqual(elements(html, 'h2').map(textContent), ['Shop › Kettle', 'Shop › Pot'])
  assert.match(
    html,
    /<span class="cell">Price<\/span><span class="cell"><del>€ 39\.90<\/del><ins>€ 34\.50<\/ins><\/span>/,
  )
  assert.match(html, /<span class="sign">Moved: <\/span>It boils water\./)
  assert.match(html, /<p>3 changes\.<\/p>/)
})

test('JSON values are shown with their path', () => {
  const [old, next] = [blocksOf('$.price = 39.9', 'json'), blocksOf('$.price = 34.5\n$.stock = 3', 'json')]
  const html = diffPage({ ...report('a', 'b', 'lines'), ...reportChanges(old, next) })
  assert.deepEqual(elements(html, 'section').map(textContent), ['\n$.price: 39.934.5\n$.stock: 3\n'])
  assert.equal(elements(html, 'span').filter(({ attribs }) => attribs.class === 'path').length, 2)
})

test('a page states if nothing differs, if it is inexact, and if nothing can be compared', () => {
  const equal = { ...report('a', 'a', 'lines'), equal: true }
  assert.match(diffPage(equal), /The visible text is the same\./)
  assert.match(diffPage({ ...report('a', 'b', 'lines'), coarse: true }), /too much for an exact comparison/)
  assert.match(diffPage({ ...equal, equal: false, compared: 'bytes' }), /no text that could be compared/)
})
