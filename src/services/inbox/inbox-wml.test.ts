import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { checkDecks } from '../../xml/wml-dtd.testkit.ts'
import { xmllintSkip } from '../../xml/xmllint.testkit.ts'
import { type WmlAnnotation, wmlAnnotation, wmlList } from './inbox-wml.ts'

const base = 'https://erace.example.org/api/v1/annotations'
const linkOf = (id: number, part = 1): string => `${base}/${id}?format=wml${part === 1 ? '' : `&part=${part}`}`

const hostile = [
  '</a></card></wml><card onenterforward="http://evil.example/">',
  'costs $(money) or $x or $$',
  ']]>&amp;&#0;&undefined;<!--',
  '"quotes\' and\u0000nulls\u0008\ud800\uffff',
  '\u202eright to left\u2028and lines\r\n\tand tabs',
  '字'.repeat(500),
  'a'.repeat(5000),
  '&'.repeat(3000),
  '',
]

function listOf(titles: readonly string[]) {
  const items = titles.map((title, place) => ({
    id: place + 1,
    title,
    url: 'https://example.org/a?b=1&c=$d',
    source: 'example.org',
    read: false,
    link: linkOf(place + 1),
  }))
  const nextAfter = ({ id }: { id: number }) => `${base}?format=wml&cursor=${id}`
  return wmlList({ title: 'Inbox: unread', items, nextAfter, next: null })
}

function annotation(parts: Partial<WmlAnnotation> = {}): WmlAnnotation {
  return {
    title: 'A title',
    url: 'https://example.org/',
    source: 'example.org',
    at: 0,
    kind: 'new',
    profileName: 'Java',
    summary: 'words',
    links: { list: `${base}?format=wml`, original: 'https://example.org/', newer: linkOf(2), older: linkOf(1) },
    partLink: (part) => linkOf(7, part),
    ...parts,
  }
}

describe('WML decks', () => {
  test('are valid with hostile titles, summaries and URLs', { skip: xmllintSkip }, () => {
    const decks = [listOf(hostile).deck]
    for (const text of hostile) {
      decks.push(listOf([text]).deck)
      const links = { ...annotation().links, original: `https://example.org/?${text.slice(0, 200)}` }
      for (const part of [1, 2, 99])
        decks.push(wmlAnnotation(annotation({ title: text, summary: text, profileName: text, links }), part))
    }
    checkDecks(decks)
  })

  test('escape dollar signs, so that none starts a variable', () => {
    const { deck } = listOf(['costs $(money) or $x or $$'])
    assert.match(deck, />\* <a[^>]*>costs \$\$\(money\) or \$\$x or \$\$\$\$</)
    assert.doesNotMatch(deck.replaceAll('$$', ''), /\$/)
  })

  test('a list shows what fits into 1,400 bytes and links to the rest', () => {
    const titles = Array.from({ length: 15 }, (_, n) => `Title ${n} of a page about something`)
    const { deck, shown } = listOf(titles)
    assert.ok(Buffer.byteLength(deck) <= 1400)
    assert.ok(shown >= 4 && shown < 15)
    assert.match(deck, new RegExp(`cursor=${shown}"`))
    assert.match(listOf([]).deck, /Nothing here/)
    assert.doesNotMatch(listOf(['one']).deck, /More/)
  })

  test('an annotation is split into parts of up to 1,400 bytes without losing text', () => {
    const anyText = fc.string({ unit: fc.constantFrom(...'<>&"$ aé字😀\\'), maxLength: 6000 })
    fc.assert(
      fc.property(anyText, (summary) => {
        let text = ''
        for (let part = 1; part < 100; part++) {
          const deck = wmlAnnotation(annotation({ summary, title: '' }), part)
          assert.ok(Buffer.byteLength(deck) <= 1400, `${Buffer.byteLength(deck)} bytes`)
          text += /<p>([^<]*)<\/p>/.exec(deck)?.[1] ?? ''
          if (!deck.includes('>More<')) break
        }
        assert.equal(text.replaceAll('$$', '$').replace(/ /g, ''), escaped(summary).replace(/ /g, ''))
      }),
      { numRuns: 30 },
    )
  })

  test('an annotation links to the previous, the next, the list and the original', () => {
    const deck = wmlAnnotation(annotation(), 1)
    for (const [label, href] of [
      ['Previous', linkOf(2)],
      ['Next', linkOf(1)],
      ['Inbox', `${base}?format=wml`],
      ['Original', 'https://example.org/'],
    ])
      assert.ok(deck.includes(`<p><a href="${escaped(href!)}">${label}</a></p>`), label)
    assert.match(deck, /<do type="accept" label="Inbox"><go href="[^"]+"\/><\/do>/)
  })
})

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
