import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseFeedDate } from './feed-date.ts'
import { askFeedAt, feedHints } from './feed-hints.ts'
import { feedsOf } from './feeds-of.ts'
import { readFeed } from './read-feed.ts'

const read = (text: string, contentType = 'text/xml') =>
  readFeed(Buffer.from(text), { contentType, url: 'https://a.example/feed' })

describe('reading a feed', () => {
  test('finds hubs, the self link and update hints', () => {
    const feed = read(`<rss xmlns:a="http://www.w3.org/2005/Atom"><channel><title>T</title><ttl>90</ttl>
      <a:link rel="hub" href="https://hub.example/"/><a:link rel="self" href="/self"/>
      <skipHours><hour>0</hour><hour>24</hour><hour>23</hour><hour>x</hour></skipHours><skipDays><day>Sunday</day><day>Noday</day></skipDays>
      <item><title>One</title></item></channel></rss>`)!
    assert.deepEqual([feed.hubs, feed.self], [['https://hub.example/'], 'https://a.example/self'])
    assert.deepEqual(feedHints(feed), { minMinutes: 90, skipHours: new Set([0, 23]), skipDays: new Set([0]) })
    const json = read(
      '{"version":"https://jsonfeed.org/version/1.1","hubs":[{"type":"WebSub","url":"https://hub.example/"}],"items":[]}',
      'application/json',
    )
    assert.deepEqual(json?.hubs, ['https://hub.example/'])
    const marked = read('\ufeff{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1"}]}', 'application/json')
    assert.equal(marked?.entries.length, 1)
    const hourly = read(
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:s="http://purl.org/rss/1.0/modules/syndication/"><channel><s:updatePeriod>hourly</s:updatePeriod><s:updateFrequency>2</s:updateFrequency></channel></rdf:RDF>',
    )
    assert.equal(hourly?.schedule.ttlMinutes, 30)
  })

  test('delays the next request by update hints, but not past the promised time', () => {
    const at = (text: string): number => Date.parse(`2026-01-0${text}Z`)
    const hints = feedHints({ schedule: { ttlMinutes: 90, skipHours: [12, 13], skipDays: [0] } })
    const ask = (askedAt: string, dueAt: string, promisedAt: string): string =>
      new Date(askFeedAt(hints, { askedAt: at(askedAt), dueAt: at(dueAt), promisedAt: at(promisedAt) }))
        .toISOString()
        .slice(9, 16)
    assert.equal(ask('1T08:00', '1T09:00', '2T08:00'), '1T09:30')
    assert.equal(ask('1T11:00', '1T11:30', '2T08:00'), '1T14:00')
    // The third is a Saturday.
    assert.equal(ask('3T23:00', '3T23:30', '9T00:00'), '5T00:00')
    assert.equal(ask('3T23:00', '3T23:30', '4T01:00'), '4T01:00')
    assert.equal(ask('1T08:00', '1T09:00', '1T08:30'), '1T09:00')
    const all = feedHints({
      schedule: {
        ttlMinutes: 9e9,
        skipHours: Array.from({ length: 24 }, (_, i) => i),
        skipDays: [0, 1, 2, 3, 4, 5, 6],
      },
    })
    assert.deepEqual(all, { minMinutes: 10_080, skipHours: new Set(), skipDays: new Set() })
  })

  test('resolves addresses relative to xml:base, else to the site, else to the feed', () => {
    const atom =
      read(`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://b.example/x/"><title>T</title><link href="home"/>
      <entry><id>1</id><link href="one"/><link rel="enclosure" href="one.mp3" type="audio/mpeg"/></entry>
      <entry xml:base="y/"><id>2</id><link href="two"/></entry></feed>`)
    assert.deepEqual(
      atom?.entries.map(({ link, enclosures }) => [link, enclosures]),
      [
        ['https://b.example/x/one', [{ url: 'https://b.example/x/one.mp3', type: 'audio/mpeg' }]],
        ['https://b.example/x/y/two', []],
      ],
    )
    assert.equal(atom?.site, 'https://b.example/x/home')
    const linkIn = (site: string) =>
      read(`<rss><channel>${site}<item><link>one</link></item></channel></rss>`)?.entries[0]?.link
    assert.equal(linkIn('<link>https://b.example/blog/</link>'), 'https://b.example/blog/one')
    assert.equal(linkIn(''), 'https://a.example/one')
  })

  test('parses dates in many notations, and rejects invalid ones', () => {
    const dates: [text: string, date: string | null][] = [
      ['Sun, 17 Dec 2017 1:55 PM EST', '2017-12-17T18:55'],
      ['Thu, 25 Feb 2016 00:00:00 Europe/Brussels', '2016-02-24T23:00'],
      ['mar., 01 déc. 2020 16:11:02 +0000', '2020-12-01T16:11'],
      ['Do, 29 Mär 2018 00:00:00 +0200', '2018-03-28T22:00'],
      ['30.10.23', '2023-10-30T00:00'],
      ['Fri, 26/06/2020', '2020-06-26T00:00'],
      ['12:30 a.m. 1 Jan 2020', '2020-01-01T00:30'],
      ['2020-11-08T16:20:00-05:00Z', '2020-11-08T21:20'],
      ['Thu Nov 12 17:00:00 GMT 2020', '2020-11-12T17:00'],
      ['1520932969', '2018-03-13T09:22'],
      ['20210304T050607Z', '2021-03-04T05:06'],
      ['20210304', '2021-03-04T00:00'],
      ['2021', '2021-01-01T00:00'],
      ['2021/03/04 05:06', '2021-03-04T05:06'],
      ['Thu, 2021.03.04 05:06 MEST', '2021-03-04T03:06'],
      ['2021-03-04 at 5:06 PM', '2021-03-04T17:06'],
      ['2021-03-04 5:06 PM', '2021-03-04T17:06'],
      ['2021-03-04T05:06:07[Asia/Tokyo]', '2021-03-03T20:06'],
      ['2021-03-04T05:06:07\u221201:00', '2021-03-04T06:06'],
      ['2021年3月4日 下午 5:06', '2021-03-04T17:06'],
      ['Sun, 4 Jul 2021 9:00 PM ET', '2021-07-05T01:00'],
      ['Mon, 4 Jan 2021 9:00 PM ET', '2021-01-05T02:00'],
      // No time, so no zone.
      ['04-03-2021', '2021-03-04T00:00'],
      // Zero, as some databases write it.
      ['-0001-11-30T00:00:00+00:00', null],
      ['9999-12-31T23:59:59-20:00', null],
      ['yesterday', null],
      ['', null],
      ['99 Foo 2020', null],
      ['x'.repeat(10_000), null],
    ]
    for (const [text, date] of dates) {
      const at = parseFeedDate(text)
      assert.equal(at === null ? null : new Date(at).toISOString().slice(0, 16), date, text)
    }
  })

  test('accepts xml:base on any element', () => {
    const rss = read(`<rss><channel xml:base="https://b.example/x/"><title>T</title>
      <item xml:base="y/"><link>one</link></item><item><link>two</link></item></channel></rss>`)
    assert.deepEqual(
      rss?.entries.map(({ link }) => link),
      ['https://b.example/x/y/one', 'https://b.example/x/two'],
    )
    const atom = read(`<feed xmlns="http://www.w3.org/2005/Atom"><link xml:base="https://c.example/" href="home"/>
      <entry><id>1</id><link xml:base="https://b.example/z/" href="one"/></entry></feed>`)
    assert.deepEqual([atom?.site, atom?.entries[0]?.link], ['https://c.example/home', 'https://b.example/z/one'])
  })

  test('chooses the page of an entry as its link, with fallbacks', () => {
    const atom = read(`<feed xmlns="http://www.w3.org/2005/Atom">
      <entry><id>1</id><link rel="alternate" type="application/json" href="https://a.example/1.json"/>
        <link rel="http://www.iana.org/assignments/relation/alternate" type="text/html; charset=utf-8" href="https://a.example/1"/></entry>
      <entry><id>https://a.example/2</id><link rel="edit" href="https://a.example/2/edit"/><link rel="self" href="https://a.example/2.atom"/></entry>
      <entry><id>3</id><link rel=" Alternate " type="application/pdf" href="https://a.example/3.pdf"/></entry></feed>`)
    assert.deepEqual(
      atom?.entries.map(({ link }) => link),
      ['https://a.example/1', 'https://a.example/2', 'https://a.example/3.pdf'],
    )
    const rss = read(`<rss><channel><link>https://a.example/</link>
      <item><enclosure url="https://a.example/1.mp3"/><guid>https://a.example/1</guid></item>
      <item><guid isPermaLink="false">https://a.example/key/2</guid></item>
      <item><enclosure url="https://a.example/3.mp3"/><guid isPermaLink="false">https://a.example/key/3</guid></item>
      <item><link>https://a.example/four
        teen</link></item></channel></rss>`)
    assert.deepEqual(
      rss?.entries.map(({ link }) => link),
      [
        'https://a.example/1',
        'https://a.example/',
        'https://a.example/3.mp3',
        'https://a.example/four%20%20%20%20%20%20%20%20teen',
      ],
    )
  })

  test('uses the most significant date of an entry that can be parsed', () => {
    const rss = read(`<rss xmlns:a="http://www.w3.org/2005/Atom" xmlns:t="http://purl.org/dc/terms/"><channel>
      <item><pubDate>soon</pubDate><date xmlns="http://purl.org/dc/elements/1.1/">2021-01-01</date></item>
      <item><a:updated>2021-01-02T00:00:00Z</a:updated></item>
      <item><t:created>2020-01-01</t:created><a:updated>2021-01-02T00:00:00Z</a:updated><t:issued>2021-01-03</t:issued></item>
      <item><pubDate>soon</pubDate><a:updated>2021-01-04T00:00:00Z</a:updated></item>
      <item xmlns:x="http://purl.org/dc/elements/1.1/"><x:date>2021-01-05</x:date></item></channel></rss>`)
    assert.deepEqual(
      rss?.entries.map(({ date }) => new Date(date ?? 0).toISOString().slice(0, 10)),
      ['2021-01-01', '2021-01-02', '2021-01-03', '2021-01-04', '2021-01-05'],
    )
  })

  test('keeps all entries despite unclosed elements or concatenated documents', () => {
    const titles = (text: string) => read(text)?.entries.map(({ title }) => title)
    const open =
      '<rss><channel><item><title>One</title><item><title>Two</title></item><item><title>Three</title></item>'
    assert.deepEqual(titles(open), ['One', 'Two', 'Three'])
    const one = '<rss><channel><item><title>One</title></item></channel></rss>'
    assert.deepEqual(titles(one + one.replace('One', 'Two')), ['One', 'Two'])
    const inner = '<rss><channel><item><title>One</title><x:list><item>a</item></x:list></item></channel></rss>'
    assert.deepEqual(titles(inner), ['One'])
    const empty = read(
      '<rss><channel><item><title>One</title><item/><link>https://a.example/1</link></item></channel></rss>',
    )
    assert.deepEqual(
      empty?.entries.map(({ title, link }) => [title, link]),
      [['One', 'https://a.example/1']],
    )
    const deep = read(`<rss><channel>${'<item><title>x</title>'.repeat(2000)}`)!
    assert.ok(deep.isCut && deep.entries.length > 500)
  })

  test('accepts a namespace prefix on the RSS root', () => {
    const feed = read(`<r:rss xmlns:r="http://backend.userland.com/rss2"><r:channel><r:title>T</r:title>
      <r:item><r:title>One</r:title><title xmlns="http://search.yahoo.com/mrss/">Other</title></r:item></r:channel></r:rss>`)
    assert.deepEqual([feed?.title, feed?.entries.map(({ title }) => title)], ['T', ['One']])
  })

  test('decodes titles and content as text, HTML, XHTML or base64', () => {
    const atom = read(`<feed xmlns="http://www.w3.org/2005/Atom"><title>It&#146;s&#8; here</title>
      <entry><id>1</id><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">a&nbsp;b &amp;nbsp; <a href="/x?a&amp;b" onclick="y">c</a><br/><img src="p" alt='"q"'/></div></content></entry>
      <entry><id>2</id><content type="application/octet-stream">${Buffer.from('<p>Grüße</p>').toString('base64')}</content></entry>
      <entry><id>3</id><title type="application/x">word</title><content type="image/png">iVBORw0KGgo=</content><summary>A picture</summary></entry>
      <entry><id>4</id><content type="application/html">Not encoded, in fact.</content></entry></feed>`)
    assert.equal(atom?.title, 'It\u2019s here')
    assert.deepEqual(
      atom?.entries.map(({ title, html }) => [title, html]),
      [
        ['', '<div>a\u00a0b &amp;nbsp; <a href="/x?a&amp;b">c</a><br><img src="p" alt="&quot;q&quot;"></div>'],
        ['', '<p>Grüße</p>'],
        ['word', 'A picture'],
        ['', 'Not encoded, in fact.'],
      ],
    )
    const rss =
      read(`<rss xmlns:w="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><dc:title>Only here</dc:title>
      <item><w:author><w:name>Ann</w:name><w:email>ann@a.example</w:email></w:author><w:content type="html">&lt;p&gt;Text</w:content></item></channel></rss>`)
    assert.deepEqual([rss?.title, rss?.entries[0]?.author, rss?.entries[0]?.html], ['Only here', 'Ann', '<p>Text'])
  })

  test('rejects pages and garbage, but accepts entries without id, date or link', () => {
    for (const text of [
      '',
      'garbage',
      '<html><body><rss></rss>',
      '<!doctype html><p>x',
      '{"a":1}',
      '[1]',
      '\u0000\u0001',
    ])
      assert.equal(read(text), null, text)
    const undated = read('<rss><channel><item><description>Only text</description></item><item></item></channel></rss>')
    assert.deepEqual(
      undated?.entries.map(({ id, date, link }) => [id, date, link]),
      [
        ['', null, 'https://a.example/feed'],
        ['', null, 'https://a.example/feed'],
      ],
    )
  })
})

test('finds the feeds that a page declares or links to', () => {
  const page = `<html><head><base href="/blog/"><title>x</title>
    <link rel="alternate" type="application/rss+xml" title="  All \n posts " href="rss.xml#top">
    <link rel="ALTERNATE home" type="application/atom+xml; charset=utf-8" href="https://b.example/atom">
    <link rel="alternate" type="application/feed+json" href="feed.json">
    <link rel="alternate" type="application/json" href="/feeds/all.json"><link rel="alternate" type="application/json" href="/wp-json/pages/1">
    <link rel="alternate" type="application/rss+xml" href="">
    <link rel="alternate" type="text/html" hreflang="de" href="/de"><link rel="stylesheet" type="application/rss+xml" href="no">
    <link rel="alternate" type="application/rss+xml" href="javascript:x"></head>
    <body><a href="rss.xml">again</a> <a href="/comments/feed/">Comments</a> <a href="/feeder">no</a> <a href="/feed?x=1">no</a>`
  assert.deepEqual(
    feedsOf(page, 'https://a.example/').map(({ url, title }) => [url, title]),
    [
      ['https://a.example/blog/rss.xml', 'All posts'],
      ['https://b.example/atom', ''],
      ['https://a.example/blog/feed.json', ''],
      ['https://a.example/feeds/all.json', ''],
      ['https://a.example/comments/feed/', ''],
    ],
  )
  const many = `<link rel=alternate type=application/rss+xml href=x>${'<a href="/x/feed">'.repeat(200_000)}`
  assert.equal(feedsOf(many, 'https://a.example/').length, 2)
  assert.equal(feedsOf('<a href="'.repeat(100_000), 'https://a.example/').length, 0)
})

test('a nested entry counts as an entry only if it has fields', () => {
  const entriesOf = (items: string) =>
    read(`<rss><channel><title>T</title>${items}</channel></rss>`)!.entries.map(({ title, link }) => [title, link])
  const one = '<title>One</title><link>https://a.example/1</link>'
  const two = '<title>Two</title><link>https://a.example/2</link>'
  assert.deepEqual(entriesOf(`<item>${one}<item>${two}</item>`), [
    ['One', 'https://a.example/1'],
    ['Two', 'https://a.example/2'],
  ])
  assert.deepEqual(entriesOf(`<item><item><x>1</x></item>${one}</item>`), [['One', 'https://a.example/1']])
  const atom = 'xmlns="http://www.w3.org/2005/Atom"'
  assert.deepEqual(entriesOf(`<item ${atom}>${one}</item>`), [['One', 'https://a.example/1']])
})

test('parses dates with zone offsets, East Asian day periods and words that look like zones', () => {
  const at = (text: string) => new Date(parseFeedDate(text)!).toISOString()
  assert.equal(at('2020-11-12+01:00'), '2020-11-11T23:00:00.000Z')
  assert.equal(at('17:00 2020-11-12'), '2020-11-12T17:00:00.000Z')
  assert.equal(at('2020년 11월 12일 오전 12:30'), '2020-11-12T00:30:00.000Z')
  assert.equal(at('12 novembre 2020 à 17:00 et plus'), '2020-11-12T17:00:00.000Z')
  assert.equal(at('12 Nov 2020 17:00 ET'), '2020-11-12T22:00:00.000Z')
})

test('endless names, authors and base URLs take linear time', () => {
  const feeds = [
    `<rss xmlns:x="https://${'a'.repeat(1_000_000)}"><channel>${'<x:a/>'.repeat(100_000)}</channel></rss>`,
    `<rss><channel><item><author>${'&lt;'.repeat(300_000)}</author></item></channel></rss>`,
    `<rss xml:base="https://a.example/${'a'.repeat(500_000)}">${'<channel xml:base="aaaaa/"></channel>'.repeat(20_000)}</rss>`,
  ]
  for (const feed of feeds) assert.ok(read(feed) !== null)
})
