import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { isStale, maxEntries, type SitemapEntry, sortEntries } from './sitemap.ts'
import { readSitemap, type SitemapSource } from './sitemap-reader.ts'

const source: SitemapSource = {
  ...{ url: 'https://a.test/sitemap.xml', contentType: 'application/xml', maxBytes: 10 << 20, isCut: false },
}

async function read(body: string | Buffer, given: Partial<SitemapSource> = {}) {
  return readSitemap(Buffer.from(body), { ...source, ...given })
}

async function pagesOf(body: string | Buffer, given: Partial<SitemapSource> = {}): Promise<string[] | null> {
  const reading = await read(body, given)
  return reading === null ? null : reading.sitemap.pages.map(({ url }) => url)
}

const xmlns = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const url = (loc: string, more = ''): string => `<url><loc>${loc}</loc>${more}</url>`
const urlset = (entries: string, attributes = xmlns): string => `<urlset ${attributes}>${entries}</urlset>`
const one = 'https://a.test/1'
const two = 'https://a.test/2'

const samples: [name: string, body: string | Buffer, pages: string[] | null][] = [
  [
    'as in the example of the protocol',
    `<?xml version="1.0" encoding="UTF-8"?>\n${urlset(url(one) + url(two))}`,
    [one, two],
  ],
  ['without a namespace', urlset(url(one), ''), [one]],
  ['with the Google namespace of 2005', urlset(url(one), 'xmlns="http://www.google.com/schemas/sitemap/0.84"'), [one]],
  [
    'with a namespace prefix',
    `<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>${one}</s:loc></s:url></s:urlset>`,
    [one],
  ],
  ['with a byte order mark', `\uFEFF<?xml version="1.0"?>${urlset(url(one))}`, [one]],
  [
    'in UTF-16 with a byte order mark',
    Buffer.from(`\uFEFF<?xml version="1.0" encoding="UTF-16"?>${urlset(url(one))}`, 'utf16le'),
    [one],
  ],
  [
    'in Latin-1',
    Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${urlset(url('https://a.test/é'))}`, 'latin1'),
    ['https://a.test/é'],
  ],
  ['with empty lines before the XML declaration', `\n\n<?xml version="1.0"?>${urlset(url(one))}`, [one]],
  ['with a comment first', `<!-- made by <urlset> maker -->${urlset(url(one))}`, [one]],
  [
    'with a stylesheet',
    `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/main.xsl"?>${urlset(url(one))}`,
    [one],
  ],
  ['with a DOCTYPE', `<!DOCTYPE urlset [<!ENTITY x "y">]>${urlset(url(one))}`, [one]],
  ['with escaped ampersands', urlset(url('https://a.test/?a=1&amp;b=2')), ['https://a.test/?a=1&b=2']],
  ['with numeric references', urlset(url('https://a.test/?a&#38;b&#x26;c')), ['https://a.test/?a&b&c']],
  ['with bare ampersands', urlset(url('https://a.test/?a=1&b=2')), ['https://a.test/?a=1&b=2']],
  ['with an unknown entity', urlset(url('https://a.test/&nope;x')), ['https://a.test/&nope;x']],
  ['with URLs in CDATA', urlset(url('<![CDATA[https://a.test/?a=1&b=2]]>')), ['https://a.test/?a=1&b=2']],
  ['with URLs partly in CDATA', urlset(url('https://a.test/<![CDATA[?a&b]]>')), ['https://a.test/?a&b']],
  ['with white space around URLs', urlset(url(`\n\t  ${one}\r\n  `)), [one]],
  ['with a line break at the end of a URL', urlset(url('https://a.test/\n   ')), ['https://a.test/']],
  ['in upper case', `<URLSET><URL><LOC>${one}</LOC></URL></URLSET>`, [one]],
  ['with comments between entries', urlset(`<!-- ${url(two)} -->${url(one)}`), [one]],
  ['with a comment inside a URL', urlset(url(`https://a.test/<!-- x -->1`)), [one]],
  [
    'with images',
    urlset(
      url(one, '<image:image><image:loc>https://a.test/i.png</image:loc></image:image>'),
      `${xmlns} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"`,
    ),
    [one],
  ],
  [
    'with images before the URL of the page',
    urlset(
      '<url><image:image><image:loc>https://a.test/i.png</image:loc></image:image><loc>https://a.test/1</loc></url>',
    ),
    [one],
  ],
  [
    'with videos',
    urlset(
      url(
        one,
        '<video:video><video:thumbnail_loc>https://a.test/t.png</video:thumbnail_loc><video:player_loc>https://a.test/p</video:player_loc></video:video>',
      ),
    ),
    [one],
  ],
  [
    'with news',
    urlset(
      url(
        one,
        '<news:news><news:publication_date>2026-01-01</news:publication_date><news:title>t</news:title></news:news>',
      ),
    ),
    [one],
  ],
  [
    'with alternates',
    urlset(
      url(one, `<xhtml:link rel="alternate" hreflang="de" href="${two}"/><xhtml:link rel="stylesheet" href="/x.css"/>`),
    ),
    [one, two],
  ],
  [
    'with alternates that are entries too, each returned once',
    urlset(
      [one, two]
        .map((loc) => url(loc, [one, two].map((href) => `<x:link rel="alternate" href="${href}"/>`).join('')))
        .join(''),
    ),
    [one, two],
  ],
  [
    'with unknown elements',
    urlset(
      url(
        one,
        '<mobile:mobile/><pagemap><DataObject><Attribute name="x">https://a.test/no</Attribute></DataObject></pagemap>',
      ),
    ),
    [one],
  ],
  [
    'with an entry without a URL',
    urlset(`<url><lastmod>2026-01-01</lastmod></url><url><loc/></url>${url(one)}`),
    [one],
  ],
  ['with two URLs in one entry', urlset(`<url><loc>${one}</loc><loc>${two}</loc></url>`), [one, two]],
  [
    'with an image in another default namespace',
    urlset(`<url><loc>${one}</loc><image xmlns="https://images.test/"><loc>${two}</loc></image></url>`),
    [one],
  ],
  [
    'with two entries that are not closed',
    urlset(`<url><loc>${one}</loc><lastmod>2026-01-01</lastmod><loc>${two}</loc>`),
    [one, two],
  ],
  [
    'with spaces and many empty entries inside a URL',
    `<urlset><url><loc>${' '.repeat(66_000)}${'<url/>'.repeat(50_000)}</loc>${url(one)}</urlset>`,
    [one],
  ],
  ['with an overlong priority', urlset(url(one, `<priority>${'1'.repeat(300_000)}x</priority>`)), [one]],
  ['with an empty URL before the real one', urlset(`<url><loc/><loc>${one}</loc></url>`), [one]],
  ['with entries that contain the bare URL', urlset(`<url>\n ${one}\n</url><url>not this</url>`), [one]],
  ['with an entry inside a URL', urlset(`<url><loc><url><![CDATA[${one}]]></url></loc></url>${url(two)}`), [one, two]],
  [
    'with custom entities, skipping URLs that use them',
    `<!DOCTYPE urlset [<!ENTITY secret SYSTEM "file:///secret">]>${urlset(url(one) + url(`${two}&secret;`) + url('&secret;'))}`,
    [one],
  ],
  ['with relative URLs', urlset(url('/1')), ['/1']],
  ['without entries', urlset(''), []],
  ['as an empty self-closing element', `<urlset ${xmlns}/>`, []],
  ['truncated within a URL', `<urlset>${url(one)}<url><loc>https://a.test/ha`, [one]],
  ['truncated after a URL', `<urlset>${url(one)}<url><loc>${two}</loc>`, [one]],
  ['truncated within a tag', `<urlset>${url(one)}<url><lo`, [one]],
  ['with text after its end', `${urlset(url(one))}<!-- 1 query --> done in 0.1 s`, [one]],
  [
    'with a missing </loc> tag',
    `<urlset><url><loc>${one}<lastmod>2026-01-01</lastmod></url>${url(two)}</urlset>`,
    [one, two],
  ],
  ['with a missing </url> tag', `<urlset><url><loc>${one}</loc><url><loc>${two}</loc></url></urlset>`, [one, two]],
  ['with unmatched end tags', urlset(`</b>${url(one)}</x></url>${url(two)}`), [one, two]],
  ['with a stray angle bracket', urlset(`${url(one)} < ${url(two)}`), [one, two]],
  ['as plain text', `${one}\n${two}\n`, [one, two]],
  ['as plain text with Windows line endings', `${one}\r\n${two}`, [one, two]],
  ['as plain text with a byte order mark, spaces and empty lines', `\uFEFF\n  ${one}  \n\n${two}\n\n`, [one, two]],
  ['as plain text with other lines, which are ignored', `${one}\n# a remark\n${two}\nftp://a.test/3\n/4\n`, [one, two]],
  ['rejects other plain text', `Welcome\n${one}\n`, null],
  ['as plain text that starts with a comment', `# pages of a.test\n${one}\n${two}\n`, [one, two]],
  ['rejects plain text with a long preface', `${'Welcome\n'.repeat(11)}${`${one}\n`.repeat(20)}`, null],
  [
    'as RSS',
    `<rss version="2.0"><channel><title>t</title><link>https://a.test/</link><item><link>${one}</link><pubDate>Thu, 01 Jan 2026 00:00:00 GMT</pubDate></item></channel></rss>`,
    [one],
  ],
  [
    'as Atom',
    `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="${one}"/><updated>2026-01-01T00:00:00Z</updated></entry></feed>`,
    [one],
  ],
  ['compressed with gzip', gzipSync(urlset(url(one))), [one]],
  ['as compressed text', gzipSync(`${one}\n${two}\n`), [one, two]],
  ['as a compressed feed', gzipSync(`<rss><channel><item><link>${one}</link></item></channel></rss>`), [one]],
  [
    'rejects an HTML page',
    '<!doctype html><html><head><title>Not found</title></head><body>https://a.test/</body></html>',
    null,
  ],
  ['rejects an HTML page about sitemaps', '<html><body><p>use &lt;urlset&gt;</p></body></html>', null],
  ['rejects other XML', '<opml><body><outline xmlUrl="https://a.test/f"/></body></opml>', null],
  ['rejects JSON', '{"urls":["https://a.test/1"]}', null],
  ['rejects an empty body', '', null],
  ['rejects binary data', Buffer.from([0, 1, 2, 3, 255, 254, 253]), null],
  ['rejects invalid gzip data', Buffer.from([0x1f, 0x8b, 1, 2, 3, 4]), null],
]

describe('reading a sitemap', () => {
  for (const [name, body, pages] of samples) test(name, async () => assert.deepEqual(await pagesOf(body), pages))

  test('with any content type', async () => {
    for (const contentType of [undefined, 'text/plain', 'text/html', 'application/octet-stream', 'application/x-gzip'])
      assert.deepEqual(await pagesOf(urlset(url(one)), { contentType }), [one], contentType)
  })

  test('in the encoding given by the HTTP header', async () => {
    const body = Buffer.from(urlset(url('https://a.test/é')), 'latin1')
    assert.deepEqual(await pagesOf(body, { contentType: 'text/xml; charset=iso-8859-1' }), ['https://a.test/é'])
  })

  test('with dates and priorities, ignoring invalid ones', async () => {
    const facts = (more: string): string => urlset(url(one, more))
    const entry = async (more: string): Promise<SitemapEntry> => (await read(facts(more)))!.sitemap.pages[0]!
    const day = Date.UTC(2026, 0, 2)
    assert.equal((await entry('<lastmod>2026-01-02</lastmod>')).modifiedAt, day)
    assert.equal(
      (await entry('<lastmod> 2026-01-02T03:04:05+01:00 </lastmod>')).modifiedAt,
      Date.UTC(2026, 0, 2, 2, 4, 5),
    )
    assert.equal((await entry('<lastmod>2026-01-02T00:00:00.000Z</lastmod>')).modifiedAt, day)
    assert.equal((await entry('<lastmod>2026-01-02T01:00:00.25+01:00</lastmod>')).modifiedAt, day + 250)
    assert.equal((await entry('<lastmod>2026-01</lastmod>')).modifiedAt, Date.UTC(2026, 0, 1))
    assert.equal((await entry('<lastmod>2026</lastmod>')).modifiedAt, Date.UTC(2026, 0, 1))
    assert.equal((await entry('<lastmod/><lastmod>2026-01-02</lastmod>')).modifiedAt, day)
    for (const wrong of ['', 'yesterday', '2026-99-99', '0000-00-00'])
      assert.equal((await entry(`<lastmod>${wrong}</lastmod>`)).modifiedAt, null, wrong)
    assert.equal((await entry('<priority>0.8</priority>')).priority, 0.8)
    assert.equal((await entry('<priority> 1 </priority>')).priority, 1)
    for (const wrong of ['', '2', '-1', 'high', '1e-1', 'NaN'])
      assert.equal((await entry(`<priority>${wrong}</priority>`)).priority, null, wrong)
    assert.equal(
      (await read(
        `<rss><channel><item><link>${one}</link><pubDate>Fri, 02 Jan 2026 00:00:00 GMT</pubDate></item></channel></rss>`,
      ))!.sitemap.pages[0]!.modifiedAt,
      day,
    )
  })

  test('as an index of other sitemaps', async () => {
    const reading = await read(
      `<sitemapindex ${xmlns}><sitemap><loc>${one}</loc><lastmod>2026-01-02</lastmod></sitemap><sitemap><loc>${two}</loc></sitemap></sitemapindex>`,
    )
    assert.deepEqual(
      reading!.sitemap.sitemaps.map((each) => each.url),
      [one, two],
    )
    assert.deepEqual(reading!.sitemap.pages, [])
  })
})

describe('sitemap limits', () => {
  test('entries beyond the limit of the protocol are dropped and counted', async () => {
    const many = Array.from({ length: maxEntries + 7 }, (_, at) => url(`https://a.test/${at}`)).join('')
    const { sitemap } = (await read(urlset(many)))!
    assert.equal(sitemap.pages.length, maxEntries)
    assert.equal(sitemap.dropped, 7)
    const lines = Array.from({ length: maxEntries + 7 }, (_, at) => `https://a.test/${at}`).join('\n')
    assert.equal((await read(lines))!.sitemap.dropped, 7)
  })

  test('alternates do not displace pages', async () => {
    const link = (at: number): string => `<x:link rel="alternate" href="https://a.test/de/${at}"/>`
    const many = Array.from({ length: maxEntries }, (_, at) => url(`https://a.test/${at}`, link(at))).join('')
    const { sitemap } = (await read(urlset(many)))!
    assert.equal(sitemap.pages.at(-1)!.url, `https://a.test/${maxEntries - 1}`)
    assert.equal(sitemap.dropped, maxEntries)
  })

  test('a second URL in an entry does not inherit the date of the first', async () => {
    const { sitemap } = (await read(
      `<sitemapindex><sitemap><loc>${one}</loc><lastmod>2026-01-02</lastmod><loc>${two}</loc></sitemap></sitemapindex>`,
    ))!
    assert.deepEqual(
      sitemap.sitemaps.map((each) => [each.url, each.modifiedAt]),
      [
        [one, Date.UTC(2026, 0, 2)],
        [two, null],
      ],
    )
  })

  test('a body longer than the limit is cut and reported as cut', async () => {
    const body = urlset(url(one) + url(two))
    const cut = await read(body, { maxBytes: body.indexOf(two) + 3 })
    assert.deepEqual(
      cut!.sitemap.pages.map((each) => each.url),
      [one],
    )
    assert.equal(cut!.isCut, true)
    // The last line of a truncated text may be half a URL.
    const text = await read(`${one}\n${two}`, { isCut: true })
    assert.deepEqual(
      text!.sitemap.pages.map((each) => each.url),
      [one],
    )
  })

  test('a gzip bomb is unpacked only up to the limit', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from(urlset(url(one)).slice(0, -9)), Buffer.alloc(60 << 20, 0x20)]))
    assert.ok(bomb.length < 100_000)
    const reading = await read(bomb, { maxBytes: 1 << 20 })
    assert.equal(reading!.isCut, true)
    assert.deepEqual(
      reading!.sitemap.pages.map((each) => each.url),
      [one],
    )
  })

  test('endless nested elements, brackets and URLs are cut off', async () => {
    assert.deepEqual(await pagesOf(`<urlset>${url(one)}${'<x>'.repeat(200_000)}${url(two)}`), [one])
    assert.deepEqual(await pagesOf(`<urlset>${'<'.repeat(1_000_000)}`), [])
    assert.deepEqual(
      await pagesOf(`<urlset><url><loc>${'x'.repeat(1_000_000)}</loc></url></urlset>`).then((all) =>
        all!.map((each) => each.length < 200_000),
      ),
      [true],
    )
  })
})

describe('order of sitemap entries', () => {
  const now = Date.UTC(2026, 5, 1)
  const day = 86_400_000
  const entry = (name: string, facts: Partial<SitemapEntry & { visitedAt: number }>) => ({
    ...{ url: name, modifiedAt: null, priority: null, visitedAt: 0, ...facts },
  })

  test('sorts by priority, then newest change, then original order, with unchanged pages last', () => {
    const entries = [
      entry('unchanged', { modifiedAt: now - 9 * day, visitedAt: now - day, priority: 1 }),
      entry('plain', {}),
      entry('plain too', {}),
      entry('low', { priority: 0.1, modifiedAt: now }),
      entry('old', { modifiedAt: now - 9 * day }),
      entry('new', { modifiedAt: now - day }),
      entry('changed since', { modifiedAt: now - day, visitedAt: now - 2 * day, priority: 0.9 }),
      entry('of the future', { modifiedAt: now + 900 * day }),
    ]
    assert.deepEqual(
      sortEntries(entries, now).map((each) => each.url),
      ['changed since', 'new', 'old', 'plain', 'plain too', 'of the future', 'low', 'unchanged'],
    )
  })

  test('treats a page as unchanged only if its date is not after the last visit', () => {
    assert.equal(isStale({ modifiedAt: null, visitedAt: now }), false)
    assert.equal(isStale({ modifiedAt: now + 1, visitedAt: now }), false)
    assert.equal(isStale({ modifiedAt: now, visitedAt: now }), true)
    assert.equal(isStale({ modifiedAt: now, visitedAt: 0 }), false)
  })
})
