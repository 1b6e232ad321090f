import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DefaultTreeAdapterMap, parse } from 'parse5'
import { inertCss } from './inert-css.ts'
import { inertPage } from './inert-page.ts'
import { inertDataUrl } from './inert-url.ts'
import { filled, waysAway, waysOut } from './reaching-out.testkit.ts'

const page = 'https://site.example/news/today'
const places = { third: 'http://third.example', name: 'third.example' }
const leave = /^\/leave#https?%3A/

type Node = DefaultTreeAdapterMap['node']

/** Everything in a page that could contact anything, as parsed by a browser. */
function reachesOf(html: string): string[] {
  const found: string[] = []
  const pending: Node[] = [parse(html)]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if ('childNodes' in node) pending.push(...node.childNodes)
    if ('content' in node) pending.push(node.content)
    if (!('attrs' in node)) continue
    if (never.has(node.tagName)) found.push(`<${node.tagName}>`)
    for (const { name, value } of node.attrs) {
      const isAllowed =
        (name === 'href' && (leave.test(value) || value.startsWith('#'))) ||
        (name === 'src' && value.startsWith('data:image/') && !value.includes('third'))
      if (!isAllowed && (/^on|^https?$/.test(name) || acting.has(name) || (/third/.test(value) && !wording.has(name))))
        found.push(`${node.tagName} ${name}=${value}`)
    }
    const text = node.childNodes.map((child) => ('value' in child ? child.value : '')).join('')
    if (node.tagName === 'style' && /third|@import/i.test(text.replace(/--a:"[^"]*"/, ''))) found.push(text)
  }
  return found
}
const never = new Set(
  'script link base iframe frame frameset object embed applet portal fencedframe video audio source track form template use image animate set filter feImage foreignObject math noscript bgsound param'.split(
    ' ',
  ),
)
const acting = new Set(
  'srcset imagesrcset ping action formaction poster background manifest data code codebase archive http-equiv attributionsrc longdesc lowsrc dynsrc srcdoc xlink:href form cite profile classid'.split(
    ' ',
  ),
)

const wording = new Set(['title', 'alt', 'value', 'placeholder'])

describe('an inert page makes no requests', () => {
  for (const way of [...waysOut, ...waysAway])
    test(way, () => {
      const source = filled([way], places)
      assert.deepEqual(reachesOf(inertPage(`<!doctype html><p>before</p>${source}`, page)), [])
      assert.deepEqual(reachesOf(inertPage(source, page)), [])
    })

  test('with all cases combined, reversed or cut off', () => {
    const all = [...waysOut, ...waysAway]
    for (const ways of [all, all.toReversed()]) {
      const source = filled(ways, places)
      assert.deepEqual(reachesOf(inertPage(source, page)), [])
      for (let end = 0; end < source.length; end += 97)
        assert.deepEqual(reachesOf(inertPage(source.slice(end), page)), [], `from ${end}`)
    }
  })

  test('and the check detects these cases in unmodified pages', () => {
    for (const way of waysOut.filter((each) => !/<!--\[if|<\?xml|<p title|CDATA|<option/.test(each)))
      assert.notDeepEqual(reachesOf(filled([way], places)), [], way)
  })
})

describe('content of an inert page', () => {
  const shown = (source: string) => inertPage(source, page)

  test('keeps layout, text and inline images', () => {
    const source =
      '<!DOCTYPE html><html lang="en"><head><title>A &amp; B</title><meta name="viewport" content="width=device-width">' +
      '<style media="screen">.a > .b:not(.c){color:#fff;width:calc(100% - 2em)}@media (width<=40em){.a{display:none}}</style></head>' +
      '<body class="x"><main id="m" style="display:grid"><h1>Title</h1><p>1 &lt; 2</p>' +
      '<img alt="dot" src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><my-card data-kind="big">card</my-card>' +
      '<svg viewbox="0 0 9 9"><path d="M0 0h9"></path></svg></main></body></html>'
    assert.equal(shown(source), source)
  })

  test('sends links through the leave page, keeps fragment links and drops unsafe links', () => {
    const attributes = 'target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer"'
    assert.equal(
      shown('<a href="../x?a=1&b=2#c" target=_top ping=/p class=k>x</a>'),
      `<a class="k" href="/leave#${encodeURIComponent('https://site.example/x?a=1&b=2#c')}" ${attributes}>x</a>`,
    )
    assert.equal(shown('<a href="#below">x</a>'), '<a href="#below">x</a>')
    assert.equal(
      shown('<base href="http://other.example/d/"><base href="/no/"><a href=e>x</a>'),
      `<a href="/leave#http%3A%2F%2Fother.example%2Fd%2Fe" ${attributes}>x</a>`,
    )
    assert.match(shown('<a href="mailto:ada@example.org">x</a>'), /href="\/leave#mailto%3Aada%40example.org"/)
    for (const href of ['javascript:x()', ' java&#9;script:x()', 'data:text/html,x', 'ftp://x/', 'blob:x', 'http://['])
      assert.equal(shown(`<a href="${href}">x</a>`), '<a>x</a>', href)
    assert.equal(shown(`<a href="http://x/${'a'.repeat(9000)}">x</a>`), '<a>x</a>')
  })

  test('shows the address of a frame and the alt text of an image, but no hidden frames', () => {
    const frame = shown('<iframe src="//maps.example/?q=1"><p>no frames</p></iframe>after')
    assert.match(
      frame,
      />Frame not shown: <a href="\/leave#https%3A%2F%2Fmaps.example%2F%3Fq%3D1"[^>]*>https:\/\/maps.example\/\?q=1</,
    )
    assert.match(frame, /<\/span>after$/)
    assert.equal(shown('<img src=/x.png alt="The harbour" width=30>'), '<img alt="The harbour" width="30">')
    assert.equal(shown('<iframe src=/x width=1 height=1></iframe><iframe style="display:none" src=/y></iframe>'), '')
  })

  test('shows the text after an unclosed element', () => {
    for (const start of [
      '<svg/onload=x>',
      '<object data=x>',
      '<video src=x>',
      '<math>',
      '<canvas>',
      '<noscript>',
      '<svg><noembed>',
      '<svg><style>',
    ])
      assert.match(shown(`${start}<p>shown</p>`), /<p>shown<\/p>/, start)
  })
})

test('inline images are kept unless they could reference other resources', () => {
  const svg = (inner: string) =>
    `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`)}`
  for (const url of [
    'data:image/png;base64,AA',
    'DATA:image/webp;base64,AA',
    svg('<path d="M0 0"/>'),
    svg('<g fill="url(#a)"/>'),
  ])
    assert.equal(inertDataUrl(url), url)
  const encoded = Buffer.from('<svg><image href="http://x"/></svg>').toString('base64')
  for (const url of [
    ...[
      'data:text/html,x',
      'data:,',
      'http://x/a.png',
      'data:image/svg+xml',
      svg('<image href="x"/>'),
      svg('<a xlink:href="x"/>'),
    ],
    ...[
      svg('<script/>'),
      svg('<rect fill="url(http://x)"/>'),
      svg('<style>a{}</style>'),
      svg('<!DOCTYPE x [<!ENTITY a "b">]>&a;'),
    ],
    ...[
      svg('<g onload="x"/>'),
      `data:image/svg+xml;base64,${encoded}`,
      'data:application/pdf,x',
      'data:image/png,x\u2028'.slice(5),
    ],
  ])
    assert.equal(inertDataUrl(url), null, url)
})

test('truncated and malformed style sheets are parsed as browsers parse them', () => {
  for (const [source, expected] of [
    ['@media x{@import "y"} a{b:c}', '@media x{} a{b:c}'],
    ['@import "a;b" (c;d) ;e{}', ' e{}'],
    ['a{b:url(x', 'a{b:url("data:,")'],
    ['a{b:url("x', 'a{b:url("data:,")'],
    ['a{b:"x\ny"', 'a{b: \ny"\\22 "'.replace('\\22 ', '')],
    ['a{b:"x\\\ny"}', 'a{b:"xy"}'],
    ['a/*', 'a/**/'],
    ['\\', ' '],
    ['a\\3c b{}', 'a\\3c b{}'],
    ['a{content:"</style>"}', 'a{content:"\\3c /style\\3e "}'],
    ['a{}</style>', 'a{}< /style>'],
    ['a{b:foo(url(x) bar("y(")) c}', 'a{b:removed() c}'],
  ] as const)
    assert.equal(inertCss(source), expected, source)
})

test('imported style sheets stand in the place of their rules, with their conditions', () => {
  const reach = {
    picture: (address: string) => `data:image/png,${address}`,
    sheet: (address: string) => (address === 'none' ? null : `/${address}/{`),
  }
  for (const [source, expected] of [
    ['@import "a"; @import/**/url( b ) ;c{}', '/a/{} /b/{}c{}'],
    ['@IMPORT url("a") print and (min-width: 2px);', '@media print and (min-width: 2px){/a/{}}'],
    [
      '@import "a" layer(x.y) supports(display: grid) screen;',
      '@layer x.y{@supports (display: grid){@media screen{/a/{}}}}',
    ],
    ['@import "a" layer;', '@layer {/a/{}}'],
    ['@layer x, y; @import "a";', '@layer x, y; /a/{}'],
    ['b{} @import "a";', 'b{}  '],
    ['@import "none" print; c{}', '  c{}'],
    ['@import a; b{}', '  b{}'],
    [
      '@import "a" supports(background: url(http://x)) bad(y) ;',
      '@supports (background: removed()){@media removed(y){/a/{}}}',
    ],
    ['@import "a" { b: c } d{}', '  d{}'],
    ['@import "a', '/a/{}'],
    ['@import', ' '],
  ] as const)
    assert.equal(inertCss(source, reach), expected, source)
})

test('a page holds only so much of the sheets that import themselves', () => {
  const sheet = `@import "x";`.repeat(200) + 'a{color:red}'.repeat(2000)
  const shown = inertPage('<style>@import "x";</style>', page, {
    link: () => null,
    picture: () => null,
    sheet: () => sheet,
  })
  assert.ok(shown.includes('a{color:red}') && shown.length < 3_000_000, String(shown.length))
})

describe('inert page limits', () => {
  test('hold for pictures that are used over and over', () => {
    const picture = `data:image/png,${'x'.repeat(1_000_000)}`
    const reach = { link: () => null, picture: () => picture, sheet: () => null }
    const shown = inertPage(
      `<style>${'a{b:url(c)}'.repeat(10_000)}</style>${'<img src=c>'.repeat(10_000)}`,
      page,
      reach,
    )
    assert.equal(shown.split(picture).length - 1, 19)
    assert.ok(shown.includes('a{b:url("data:,")}'))
  })

  test('cut a page that is too deep or too long, with a notice', () => {
    const deep = inertPage('<div>'.repeat(100_000), page)
    assert.ok(deep.length < 2_000_000)
    assert.match(deep, /<\/div><p class="erace-cut"/)
    const links = inertPage(`<base href="http://x/${'%20'.repeat(2500)}/">${'<a href=x>'.repeat(400_000)}`, page)
    assert.ok(links.length < 100_000_000)
    assert.match(links, /erace-cut/)
  })

  test('hostile style sheets are processed to the end', () => {
    const reach = { picture: () => null, sheet: () => 'a{b:c}' }
    for (const piece of ['(', '@import "', 'a(', 'layer', '\\', ' '])
      assert.equal(typeof inertCss(`@import "a" ${piece.repeat(300_000)}`, reach), 'string')
    for (const piece of ['\\a', '"\\a', '/*', 'f(', '@x(', 'url(', 'url("', '#', '"\n', '{', '<!--'])
      assert.equal(typeof inertCss(piece.repeat(300_000)), 'string')
  })
})
