import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAppError } from '../errors.ts'
import { documentText, textFingerprint } from './document-text.ts'
import { createOmitRules, type OmitRule } from './omit-rules.ts'

const url = 'http://www.example.org/news/1.html'

function rule(parts: Partial<OmitRule>): OmitRule {
  return { match: '*', selectors: [], patterns: [], ...parts }
}

function textWithout(page: string, parts: Partial<OmitRule>, contentType = 'text/html; charset=utf-8'): string | null {
  return documentText(Buffer.from(page), { contentType, lines: true, omit: createOmitRules([rule(parts)])(url) })
}

describe('omit rules', () => {
  test('apply together to the documents that they match', () => {
    const omitFor = createOmitRules([
      rule({ match: 'www.example.org', selectors: ['.a'] }),
      rule({ match: '.example.org', patterns: ['\\d+'] }),
      rule({ match: 'http://www.example.org/news/', selectors: ['.b'] }),
      rule({ match: 'other.example', selectors: ['.c'] }),
    ])
    const page = Buffer.from('<p class=a>A<p class=b>B<p class=c>C 12')
    const read = (at: string) => documentText(page, { contentType: 'text/html', omit: omitFor(at) })
    assert.equal(read(url), 'C')
    assert.equal(read('http://www.example.org/'), 'B C')
    assert.equal(read('http://example.org/'), 'A B C')
    assert.equal(read('http://other.example/'), 'A B')
    assert.equal(omitFor('http://nobody.example/'), null)
    assert.equal(createOmitRules([])(url), null)
    assert.equal(createOmitRules([rule({})])(url), null)
  })

  test('have an id that depends only on their selectors and patterns', () => {
    const one = createOmitRules([rule({ selectors: ['.a', '.b'], patterns: ['x'] })])(url)!
    const other = createOmitRules([
      rule({ match: '.example.org', selectors: ['.b'] }),
      rule({ match: 'www.example.org', selectors: ['.a', '.b'], patterns: ['x', 'x'] }),
    ])(url)!
    assert.equal(one.id, other.id)
    assert.equal(createOmitRules([rule({ selectors: ['.banner'] })])(url)!.id, 1050351168)
    assert.notEqual(one.id, createOmitRules([rule({ selectors: ['.a', '.b', 'x'] })])(url)!.id)
    assert.ok(one.id > 0 && one.id < 2 ** 31)
  })

  test('are rejected with a reason if they are invalid', () => {
    const cases: [Partial<OmitRule>, RegExp][] = [
      [{ selectors: ['p['] }, /invalid selector "p\["/],
      [{ selectors: ['.ok', ':no-such-thing'] }, /:no-such-thing/],
      [{ selectors: ['p::before'] }, /invalid selector/],
      [{ selectors: [''] }, /invalid selector ""/],
      [{ patterns: ['('] }, /invalid regular expression/],
      [{ patterns: ['(?=a)'] }, /\(\?=/],
      [{ match: 'no host' }, /no host/],
      [{ selectors: ['a'.repeat(3000)] }, /longer than 2000 characters/],
      [{ selectors: Array.from({ length: 201 }, (_, i) => `.a${i}`) }, /more than 200/],
    ]
    for (const [parts, message] of cases) {
      assert.throws(
        () => createOmitRules([rule(parts)]),
        (error) => isAppError(error, 'usage-wrong') && message.test(error.message),
        String(message),
      )
    }
  })
})

describe('selectors', () => {
  test('remove whole elements and leave the others unchanged', () => {
    const page =
      '<title>T</title><p>a<b class=x>b</b>c<div id=ad><p>d</div>e<ul><li>f<li class=x>g<li>h</ul><img class=x>i'
    assert.equal(textWithout(page, { selectors: ['.x', '#ad'] }), 'T\nac\ne\nf\nh\ni')
    assert.equal(textWithout(page, { selectors: ['title', 'li:nth-child(2)'] }), 'abc\nd\ne\nf\nh\ni')
    assert.equal(textWithout(page, { selectors: ['ul > li ~ li', 'p:has(> b)', '[id^=a] p'] }), 'T\ne\nf\ni')
    assert.equal(textWithout(page, { selectors: ['nothing'] }), textWithout(page, {}))
    assert.equal(textWithout('<p>a<br class=x>b<p class=x>c', { selectors: ['.x'] }), 'a\nb')
    assert.equal(textWithout('<DIV CLASS="x y">a</DIV>b<td class=y>c</td>d', { selectors: ['div.x.y', 'td'] }), 'b d')
  })

  test('work on pages with tricky markup', () => {
    const page =
      '<script>"<p class=x>"</script><!-- <p class=x> --><textarea class=x>a</textarea>b<p title="<p class=x>">c</p>d</p class=x>e'
    assert.equal(textWithout(page, { selectors: ['.x'] }), 'b\nc\nd\ne')
    assert.equal(textWithout('a<plaintext class=x>b</plaintext>c', { selectors: ['.x'] }), 'a')
    assert.equal(textWithout('<svg class=x><text>a</text></svg>b<div class=x>unclosed', { selectors: ['.x'] }), 'b')
  })

  test('are case-sensitive in XML', () => {
    const feed = '<rss><lastBuildDate>now</lastBuildDate><item><title>a</title><pubDate/>b</item></rss>'
    assert.equal(textWithout(feed, { selectors: ['lastBuildDate', 'pubDate'] }, 'application/rss+xml'), 'a\nb')
    assert.equal(textWithout(feed, { selectors: ['lastbuilddate'] }, 'application/rss+xml'), 'now\na\nb')
  })

  test('work in other encodings', () => {
    const page = Buffer.from('<p class=x>\xe9<p>\xe8', 'latin1')
    const omit = createOmitRules([rule({ selectors: ['.x'] })])(url)
    assert.equal(documentText(page, { contentType: 'text/html; charset=iso-8859-1', omit }), 'è')
  })

  test('are skipped if the page is too deep or too large, or if they take too much work', () => {
    const deep = `${'<b>'.repeat(100_000)}a<i class=x>b</i>`
    assert.equal(textWithout(deep, { selectors: ['.x'] }), 'ab')
    const closing = `${'<b>'.repeat(400)}${'</i>'.repeat(200_000)}<i class=x>a</i>b`
    assert.equal(textWithout(closing, { selectors: ['.x'] }), 'b')
    const large = `<p class=x>a</p>${' '.repeat(2 * 1024 * 1024)}b`
    assert.equal(textWithout(large, { selectors: ['.x'] }), 'a\nb')
    const siblings = `<p class=x>a</p>${'<i></i>'.repeat(100_000)}`
    assert.equal(textWithout(siblings, { selectors: ['.x', 'u ~ i', 'i:nth-last-child(2n+1)'] }), 'a')
    const nested = `${'<b>'.repeat(500)}<p class=x>a`
    assert.equal(textWithout(nested, { selectors: ['.x', 'u b b b b b b b b p'] }), 'a')
    const words = `<p class=x>a</p>${'<i>'.repeat(500)}${'word '.repeat(50_000)}`
    assert.equal(textWithout(words, { selectors: ['.x', ':contains("nothing")'] })?.slice(0, 6), 'word w')
  })
})

describe('expressions', () => {
  test('remove the text that they match', () => {
    const page = '<p>Visitors: <b>1,234</b> today</p><p>Generated in 0.12 s.</p><p>Text 7</p>'
    assert.equal(textWithout(page, { patterns: ['[\\d,]+ today', 'Generated in .*'] }), 'Visitors:\nText 7')
    assert.equal(textWithout('a1b2c', { patterns: ['\\d'] }), 'abc')
    assert.equal(textWithout('überall € 12', { patterns: ['€ \\d+', 'ü'] }), 'berall')
    assert.equal(textWithout('abc', { patterns: ['ab', 'bc'] }), '')
    assert.equal(textWithout('a\nb 12\n', { patterns: ['\\d+'] }, 'text/plain'), 'a\nb')
  })

  test('match line by line with or without the lines option, so the fingerprint is the same', () => {
    const page = Buffer.from('<p>a x</p><p>b y</p>')
    const source = { contentType: 'text/html', omit: createOmitRules([rule({ patterns: ['a.*'] })])(url) }
    assert.equal(documentText(page, source), 'b y')
    assert.deepEqual(textFingerprint(page, { ...source, lines: true }), textFingerprint(page, source))
    assert.deepEqual(textFingerprint(page, source), textFingerprint(Buffer.from('b y'), { contentType: 'text/plain' }))
  })
})
