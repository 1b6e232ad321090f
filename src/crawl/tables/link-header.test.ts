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
    ['quoted', ['</2>; rel="next"'], ['/2']],
    ['several relations', ['</2>; rel="section next"'], ['/2']],
    ['relations in capitals', ['</2>; REL="NEXT"'], ['/2']],
    ['several links in one field', ['</2>; rel=next, </1>; rel=prev'], ['/2', '/1']],
    ['several fields', ['</2>; rel=next', '</1>; rel=prev'], ['/2', '/1']],
    ['commas and semicolons in a URL', ['</a,b;c>; rel=next, </d>; rel=last'], ['/a,b;c', '/d']],
    ['commas in a quoted title', ['</2>; title="a, <b>; rel=up"; rel=next, </3>; rel=last'], ['/2', '/3']],
    ['escaped quotes', ['</2>; title="say \\"hi\\", ok"; rel=next'], ['/2']],
    ['white space everywhere', ['  </2> ;  rel = "next" ,\t</3>;rel=last '], ['/2', '/3']],
    ['empty members of the list', [', ,</2>; rel=next,,'], ['/2']],
    ['a parameter without a value', ['</2>; crossorigin; rel=next'], ['/2']],
    ['an extended title', ["</2>; rel=next; title*=UTF-8'de'n%c3%a4chstes"], ['/2']],
    ['the first of two relations counts', ['</2>; rel=next; rel=preconnect', '</3>; rel=hub; rel=next'], ['/2']],
    ['alternates', ['</fr>; rel=alternate; hreflang=fr'], ['/fr']],
    ['UTF-8', [Buffer.from('</ü>; rel=next').toString('latin1')], ['/ü']],
    ['no relation', ['</2>'], []],
    [
      'hints for programs',
      ['</a.css>; rel=preload; as=style, <//cdn>; rel=preconnect, </s.js>; rel=modulepreload'],
      [],
    ],
    ['a document that is preloaded', ['</2>; rel=preload; as=document'], ['/2']],
    ['hubs and interfaces', ['<https://hub>; rel=hub, </f>; rel=self, </wp-json/>; rel="https://api.w.org/"'], []],
    ['about something else', ['</2>; rel=next; anchor="/other"'], []],
    ['about a part of the page', ['</2>; rel=next; anchor="#part"'], ['/2']],
    ['no angle brackets', ['/2; rel=next'], []],
    ['an open bracket', ['</2; rel=next'], []],
    ['an open quote', ['</2>; rel="next'], ['/2']],
    ['rubbish behind a link', ['</2>; rel=next ??? , </3>; rel=last'], ['/2', '/3']],
    ['rubbish to the end', ['</2>; rel=next ???'], ['/2']],
    ['an empty field', [''], []],
  ]
  for (const [name, values, followed] of samples) test(name, () => assert.deepEqual(hrefs(...values), followed))

  test('name sitemaps', () => {
    assert.deepEqual(
      sitemapsOf(parseLinkHeaders(['</s.xml>; rel="sitemap"; type="application/xml", </2>; rel=next'])),
      ['/s.xml'],
    )
  })

  test('a field of a million brackets ends in a moment, with a bounded number of links', () => {
    assert.equal(parseLinkHeaders(['<a>; rel=next,'.repeat(70_000)]).length, 1000)
    assert.equal(parseLinkHeaders(['<'.repeat(1_000_000)]).length, 0)
    assert.equal(parseLinkHeaders([`<a>${';'.repeat(1_000_000)}`]).length, 1)
    assert.equal(parseLinkHeaders([`<a>; x="${'\\'.repeat(1_000_000)}`]).length, 1)
  })
})
