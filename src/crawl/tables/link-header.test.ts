import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { leadsToDocument, parseLinkHeaders, sitemapsOf } from './link-header.ts'

const hrefs = (...values: string[]): string[] =>
  parseLinkHeaders(values)
    .filter(leadsToDocument)
    .map(({ href }) => href)

describe('Link headers', () => {
  const samples: [name: string, values: string[], followed: string[]][] = [
    ['one link', ['</2>; rel=next'], ['/2']],
    ['a quoted relation', ['</2>; rel="next"'], ['/2']],
    ['several relations', ['</2>; rel="section next"'], ['/2']],
    ['a relation in upper case', ['</2>; REL="NEXT"'], ['/2']],
    ['several links in one field', ['</2>; rel=next, </1>; rel=prev'], ['/2', '/1']],
    ['several fields', ['</2>; rel=next', '</1>; rel=prev'], ['/2', '/1']],
    ['commas and semicolons in a URL', ['</a,b;c>; rel=next, </d>; rel=last'], ['/a,b;c', '/d']],
    ['commas in a quoted title', ['</2>; title="a, <b>; rel=up"; rel=next, </3>; rel=last'], ['/2', '/3']],
    ['escaped quotes', ['</2>; title="say \\"hi\\", ok"; rel=next'], ['/2']],
    ['white space everywhere', ['  </2> ;  rel = "next" ,\t</3>;rel=last '], ['/2', '/3']],
    ['empty list members', [', ,</2>; rel=next,,'], ['/2']],
    ['a parameter without a value', ['</2>; crossorigin; rel=next'], ['/2']],
    ['an extended title', ["</2>; rel=next; title*=UTF-8'de'n%c3%a4chstes"], ['/2']],
    ['uses the first of two rel parameters', ['</2>; rel=next; rel=preconnect', '</3>; rel=hub; rel=next'], ['/2']],
    ['alternates', ['</fr>; rel=alternate; hreflang=fr'], ['/fr']],
    ['a URL in UTF-8', [Buffer.from('</ü>; rel=next').toString('latin1')], ['/ü']],
    ['ignores a link without a relation', ['</2>'], []],
    [
      'ignores resource hints',
      ['</a.css>; rel=preload; as=style, <//cdn>; rel=preconnect, </s.js>; rel=modulepreload'],
      [],
    ],
    ['a preloaded document', ['</2>; rel=preload; as=document'], ['/2']],
    [
      'ignores hub, self and API links',
      ['<https://hub>; rel=hub, </f>; rel=self, </wp-json/>; rel="https://api.w.org/"'],
      [],
    ],
    ['ignores a link about another resource', ['</2>; rel=next; anchor="/other"'], []],
    ['a link about a part of the page', ['</2>; rel=next; anchor="#part"'], ['/2']],
    ['ignores a link without angle brackets', ['/2; rel=next'], []],
    ['ignores an unclosed angle bracket', ['</2; rel=next'], []],
    ['an unclosed quote', ['</2>; rel="next'], ['/2']],
    ['garbage after a link', ['</2>; rel=next ??? , </3>; rel=last'], ['/2', '/3']],
    ['garbage up to the end', ['</2>; rel=next ???'], ['/2']],
    ['an empty field', [''], []],
  ]
  for (const [name, values, followed] of samples) test(name, () => assert.deepEqual(hrefs(...values), followed))

  test('sitemaps are found by rel=sitemap', () => {
    assert.deepEqual(
      sitemapsOf(parseLinkHeaders(['</s.xml>; rel="sitemap"; type="application/xml", </2>; rel=next'])),
      ['/s.xml'],
    )
  })

  test('parsing a huge field takes linear time and returns a limited number of links', () => {
    assert.equal(parseLinkHeaders(['<a>; rel=next,'.repeat(70_000)]).length, 1000)
    assert.equal(parseLinkHeaders(['<'.repeat(1_000_000)]).length, 0)
    assert.equal(parseLinkHeaders([`<a>${';'.repeat(1_000_000)}`]).length, 1)
    assert.equal(parseLinkHeaders([`<a>; x="${'\\'.repeat(1_000_000)}`]).length, 1)
  })
})
