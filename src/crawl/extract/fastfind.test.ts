import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type FindOptions, fastfind } from './fastfind.ts'

function find(page: string, options?: FindOptions) {
  return fastfind(Buffer.from(page), options)
}

function hrefs(page: string, options?: FindOptions): string[] {
  return find(page, options).links.map(({ href }) => href)
}

describe('what fastfind tells of a page', () => {
  test('each link has its tag, and nofollow where rel says so', () => {
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

  test('the title is decoded, collapsed and bounded', () => {
    assert.equal(
      find('<title>\n Caf&eacute; &amp; <b>more</b>\t today </title><title>second</title>').title,
      'Café & <b>more</b> today',
    )
    assert.equal(find(`<title>${'x'.repeat(5000)}</title>`).title.length, 1024)
    assert.equal(find('<svg><title>icon</title></svg><title>page</title>').title, 'page')
  })

  test('metas with a name and a content are gathered, names in lower case', () => {
    const page =
      '<meta name=Robots content="noindex, nofollow"><meta content=x><meta name=y><meta name="GoogleBot" content=none>'
    assert.deepEqual(find(page).metas, [
      { name: 'robots', content: 'noindex, nofollow' },
      { name: 'googlebot', content: 'none' },
    ])
    assert.equal(find('<meta name=a content=b>'.repeat(1000)).metas.length, 100)
  })

  test('a refresh is reported by itself and among the links', () => {
    const found = find('<a href=1><meta http-equiv=refresh content="5; url=next.html"><a href=2>')
    assert.deepEqual(found.refresh, { seconds: 5, url: 'next.html' })
    assert.deepEqual(
      found.links.map(({ href, tag }) => `${tag} ${href}`),
      ['a 1', 'meta next.html', 'a 2'],
    )
  })

  test('the first base with an href counts', () => {
    assert.equal(find('<base target=x><base href=" /b/ "><base href=/c/>').base, '/b/')
    assert.equal('base' in find('<a href=1>'), false)
  })

  test('in XHTML served as XML CDATA is text and empty elements are closed', () => {
    const page = '<title/><a href="1"/><script src="2"/><![CDATA[<a href="3">]]><iframe src="4"/><a href="5"/>'
    assert.deepEqual(hrefs(page, { xml: true }), ['1', '2', '4', '5'])
  })

  test('values that are not ASCII go through the given decoder, others do not', () => {
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

  test('bytes that are a view into a larger buffer are read from their place', () => {
    const whole = Buffer.from('<a href=no><a href=yes>')
    const view = new Uint8Array(whole.buffer, whole.byteOffset + 11, 12)
    assert.deepEqual(
      fastfind(view).links.map(({ href }) => href),
      ['yes'],
    )
  })

  test('ampersands of queries are decoded by the rules for attributes', () => {
    assert.deepEqual(hrefs('<a href="?a=1&amp;b=2&c=3&copy=4&lt;&amp"><a href="?x&amp;amp;y&">'), [
      '?a=1&b=2&c=3&copy=4<&',
      '?x&amp;y&',
    ])
  })
})

describe('hostile pages', () => {
  test('a million links are counted and ten thousand returned', () => {
    const found = find('<a href=x>'.repeat(1_000_000))
    assert.equal(found.links.length, 10_000)
    assert.equal(found.droppedLinks, 990_000)
  })

  test('a link longer than the limit is dropped and counted', () => {
    const found = find(`<a href="${'x'.repeat(100_001)}"><a href=y>`)
    assert.deepEqual([found.links.length, found.droppedLinks], [1, 1])
  })

  test('deep nesting needs no stack', () => {
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
    test(`a page of 200,000 unclosed ${name} ends`, () => {
      assert.ok(find(piece.repeat(200_000)).links.length <= 10_000)
    })
  }

  test('a body of 30 MB takes memory for itself alone, and none afterwards', () => {
    const found = find(`<a href=1>${'x'.repeat(30 << 20)}<a href=2><!--${'-'.repeat(1 << 20)}<a href=3>`)
    assert.deepEqual(
      found.links.map(({ href }) => href),
      ['1', '2'],
    )
    assert.deepEqual(hrefs('<a href=4>'), ['4'])
  })

  test('what is left of a longer page before is no part of the next', () => {
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

  test('random bytes are no fault', () => {
    let state = 1
    const bytes = Uint8Array.from({ length: 300_000 }, () => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
      return state >>> 24
    })
    assert.equal(fastfind(bytes).droppedLinks, 0)
    assert.deepEqual(hrefs(''), [])
  })
})
