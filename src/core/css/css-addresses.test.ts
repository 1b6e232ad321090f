import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cssAddresses } from './css-addresses.ts'

const cases: [title: string, source: string, addresses: string[]][] = [
  ['none', 'a { color: red; content: "url(x)" }', []],
  ['in every notation', `a { b: url(1) } c { b: url( "2" ) } d { b: URL('3 )') }`, ['1', '2', '3 )']],
  ['once each', 'a { b: url(x) } c { b: url("x"), url(y) }', ['x', 'y']],
  [
    'of imports',
    '@import "a.css" screen; @IMPORT url(b.css); @import/* */\'c.css\' layer(d);',
    ['a.css', 'b.css', 'c.css'],
  ],
  ['of fonts', '@font-face { src: local("x"), url(f.woff2) format("woff2"), url("f.ttf") }', ['f.woff2', 'f.ttf']],
  [
    'of image sets',
    'a { b: image-set("1x.png" 1x, url(2x.png) 2x type("image/png")); c: -webkit-image-set(url(3) 1x); d: attr("e") }',
    ['1x.png', '2x.png', '3'],
  ],
  ['of src()', 'a { b: src("x") }', ['x']],
  ['not in comments and strings', '/* url(a) @import "b" */ c { d: "url(e)" \'@import "f"\' } g { h: url(i) }', ['i']],
  [
    'with escapes',
    String.raw`a { b: u\72l(x\29 y) } @\69mport "\7a"; c { d: url("e\
f") }`,
    ['x)y', 'z', 'ef'],
  ],
  [
    'not of rules that name something',
    '@namespace svg url(http://x/); @-moz-document url(http://y/) { a { b: url(z) } }',
    ['z'],
  ],
  ['not where they are invalid', 'a { b: url(c d) } e { f: url(g"h) } i { j: url("k\n) } l { m: url(n) }', ['n']],
  [
    'not where a name is a unit, or an import is broken',
    '1url(a) @import\'b\n"c" <!--@import<!--"d" e{f:url(g)}',
    ['g'],
  ],
  ['with white space after the number of a character', 'a { b: url("\\29\nc\\20 \\20 "), url(d\\ ) }', [')c  ', 'd ']],
  ['at the end of a sheet that was cut off', 'a { b: url(c', ['c']],
  ['not of strings in other places', '@charset "utf-8"; @media "x" { a { b: "c" } } @import; "d"', []],
]

describe('addresses in style sheets', () => {
  for (const [title, source, addresses] of cases) test(title, () => assert.deepEqual(cssAddresses(source), addresses))

  test('of a style attribute, which can import nothing', () => {
    assert.deepEqual(cssAddresses('background: url(a), url("b"); @import "c"', 'attribute'), ['a', 'b'])
  })

  test('hostile sheets are read to the end', () => {
    for (const piece of [
      'url(',
      'url("',
      'image-set(',
      '(',
      ')',
      '@import ',
      '\\',
      '\\ ',
      `url(a${' '.repeat(50)}`,
      '/*',
      '"',
      'url(x)',
    ])
      assert.ok(cssAddresses(piece.repeat(200_000)).length <= 1, piece)
  })
})
