import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type FindOptions, fastfind } from './fastfind.ts'
import { type Scanner, scannerFor } from './scanner/scanner.ts'

function find(page: string, options?: FindOptions) {
  return fastfind(Buffer.from(page), options)
}

function hrefs(page: string, options?: FindOptions): string[] {
  return find(page, options).links.map(({ href }) => href)
}

describe('fastfind', () => {
  test('returns the tag of each link, and nofollow from its rel attribute', () => {
    assert.deepEqual(
      find('<a rel="x nofollow" href=1><area href=2><link href=3><frame src=4><script src=5></script>').links,
      [
        { href: '1', tag: 'a', nofollow: true, known: null },
        { href: '2', tag: 'area', nofollow: false, known: null },
        { href: '3', tag: 'link', nofollow: false, known: null },
        { href: '4', tag: 'frame', nofollow: false, known: null },
        { href: '5', tag: 'script', nofollow: false, known: null },
      ],
    )
  })

  test('decodes the title, collapses its white space and limits its length', () => {
    assert.equal(
      find('<title>\n Caf&eacute; &amp; <b>more</b>\t today </title><title>second</title>').title,
      'Café & <b>more</b> today',
    )
    assert.equal(find(`<title>${'x'.repeat(5000)}</title>`).title.length, 1024)
    assert.equal(find('<svg><title>icon</title></svg><title>page</title>').title, 'page')
  })

  test('collects metas that have a name and content, with names in lower case', () => {
    const page =
      '<meta name=Robots content="noindex, nofollow"><meta content=x><meta name=y><meta name="GoogleBot" content=none>'
    assert.deepEqual(find(page).metas, [
      { name: 'robots', content: 'noindex, nofollow' },
      { name: 'googlebot', content: 'none' },
    ])
    assert.equal(find('<meta name=a content=b>'.repeat(1000)).metas.length, 100)
  })

  test('reports a refresh separately and among the links', () => {
    const found = find('<a href=1><meta http-equiv=refresh content="5; url=next.html"><a href=2>')
    assert.deepEqual(found.refresh, { seconds: 5, url: 'next.html' })
    assert.deepEqual(
      found.links.map(({ href, tag }) => `${tag} ${href}`),
      ['a 1', 'meta next.html', 'a 2'],
    )
  })

  test('uses the first base with an href', () => {
    assert.equal(find('<base target=x><base href=" /b/ "><base href=/c/>').base, '/b/')
    assert.equal('base' in find('<a href=1>'), false)
  })

  test('treats CDATA as text and self-closing tags as closed in XHTML served as XML', () => {
    const page = '<title/><a href="1"/><script src="2"/><![CDATA[<a href="3">]]><iframe src="4"/><a href="5"/>'
    assert.deepEqual(hrefs(page, { xml: true }), ['1', '2', '4', '5'])
  })

  test('passes only non-ASCII values to the given decoder', () => {
    const page = Buffer.from('<a href="/caf\xe9"><a href="/tea">', 'latin1')
    const seen: string[] = []
    const decode = (bytes: Uint8Array): string => {
      seen.push(Buffer.from(bytes).toString('latin1'))
      return 'decoded'
    }
    assert.deepEqual(
      fastfind(page, { decode }).links.map(({ href }) => href),
      ['decoded', '/tea'],
    )
    assert.deepEqual(seen, ['/caf\xe9'])
  })

  test('reads a view into a larger buffer at its offset', () => {
    const whole = Buffer.from('<a href=no><a href=yes>')
    const view = new Uint8Array(whole.buffer, whole.byteOffset + 11, 12)
    assert.deepEqual(
      fastfind(view).links.map(({ href }) => href),
      ['yes'],
    )
  })

  test('decodes ampersands in queries by the rules for attributes', () => {
    assert.deepEqual(hrefs('<a href="?a=1&amp;b=2&c=3&copy=4&lt;&amp"><a href="?x&amp;amp;y&">'), [
      '?a=1&b=2&c=3&copy=4<&',
      '?x&amp;y&',
    ])
  })
})

describe('fastfind on hostile pages', () => {
  test('counts a million links and returns ten thousand', () => {
    const found = find('<a href=x>'.repeat(1_000_000))
    assert.equal(found.links.length, 10_000)
    assert.equal(found.droppedLinks, 990_000)
  })

  test('drops and counts a link longer than the limit', () => {
    const found = find(`<a href="${'x'.repeat(100_001)}"><a href=y>`)
    assert.deepEqual([found.links.length, found.droppedLinks], [1, 1])
  })

  test('does not overflow the stack on deep nesting', () => {
    assert.deepEqual(hrefs(`${'<div>'.repeat(100_000)}<a href=1>${'<svg><desc>'.repeat(100_000)}<a href=2>`), [
      '1',
      '2',
    ])
  })

  const unclosed: [string, string][] = [
    ['comments', '<!-- --'],
    ['bogus comments', '<!x'],
    ['scripts with comments', '<script><!--</script>'],
    ['double escaped scripts', '<script><!--<script>'],
    ['less-than signs', '<'],
    ['end tags', '</'],
    ['raw text', '<style></styl'],
    ['attributes', '<a b="c" '],
    ['quotes', `<a href='"`],
    ['equals signs', '<a ======'],
    ['CDATA', '<svg><![CDATA['],
    ['ampersands', '<a href="&&&&">'],
    ['dashes', '<!---->-'],
  ]
  for (const [name, piece] of unclosed) {
    test(`terminates on a page of 200,000 unclosed or stray ${name}`, () => {
      assert.ok(find(piece.repeat(200_000)).links.length <= 10_000)
    })
  }

  test('reads a 30 MB page, and then a small one', () => {
    const found = find(`<a href=1>${'x'.repeat(30 << 20)}<a href=2><!--${'-'.repeat(1 << 20)}<a href=3>`)
    assert.deepEqual(
      found.links.map(({ href }) => href),
      ['1', '2'],
    )
    assert.deepEqual(hrefs('<a href=4>'), ['4'])
  })

  test('takes little more memory for a 30 MB page than its size, and keeps none of it', () => {
    const body = Buffer.alloc(30 << 20, 'x')
    const memoryOf = (scanner: Scanner): number => scanner.findings.buffer.byteLength
    const own = scannerFor(body.length)
    own.begin(body, { xml: false, withTexts: false })
    assert.ok(memoryOf(own) < body.length + (8 << 20), `${memoryOf(own)} bytes`)
    fastfind(body)
    const shared = scannerFor(100)
    assert.equal(scannerFor(1 << 20), shared)
    assert.ok(memoryOf(shared) < 8 << 20, `${memoryOf(shared)} bytes`)
  })

  test('never reads leftovers of a longer previous page', () => {
    const rest = `" href="x"><a href='y'></script></title>-->`
    for (const cut of [
      '<a',
      '<a ',
      '<a href',
      '<a href=',
      '<a href="z',
      '<script>',
      '<title>',
      '<!--',
      '<',
      '</',
      '</a',
      '<p b',
    ]) {
      hrefs(`${' '.repeat(cut.length)}${rest}`)
      assert.deepEqual(hrefs(cut), [], cut)
    }
  })

  test('accepts random bytes and an empty page', () => {
    let state = 1
    const bytes = Uint8Array.from({ length: 300_000 }, () => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
      return state >>> 24
    })
    assert.equal(fastfind(bytes).droppedLinks, 0)
    assert.deepEqual(hrefs(''), [])
  })
})
