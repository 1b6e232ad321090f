import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readBlocks } from '../blocks.ts'

function read(body: string, contentType: string | undefined, url?: string) {
  return readBlocks(Buffer.from(body), { contentType, url })!
}

/** Each block as `heading above › text`. */
function lines(body: string, contentType: string): string[] {
  return read(body, contentType).blocks.map(({ trail, text }) => [...trail, text].join(' › '))
}

function values(body: string, contentType = 'application/json'): Record<string, string> {
  return Object.fromEntries(read(body, contentType).blocks.map(({ key, text }) => [key, text]))
}

describe('the blocks of JSON', () => {
  test('are its values as written, keyed by path', () => {
    const json =
      '{ "price": 39.90, "big": 12345678901234567890, "odd": 1e999, "a b": [true, null, "x\\n y"], "c": {"d-e": ""}, "f": [], "g": {} }'
    assert.deepEqual(values(json), {
      '$.price': '39.90',
      '$.big': '12345678901234567890',
      '$.odd': '1e999',
      '$["a b"][0]': 'true',
      '$["a b"][1]': 'null',
      '$["a b"][2]': 'x y',
      '$.c["d-e"]': '""',
      '$.f': '[]',
      '$.g': '{}',
    })
    const { kind, title, isCut, blocks } = read('"alone"', 'application/ld+json')
    assert.deepEqual([kind, title, isCut, blocks.length], ['json', '', false, 1])
    assert.deepEqual(blocks[0], { kind: 'value', text: 'alone', trail: [], key: '$', place: '$', level: 0 })
  })

  test('identify the objects of an array by a unique key', () => {
    const json = '{"items":[{"id":42,"price":1},{"id":7,"price":2}],"rest":[{"id":1,"name":"a"},{"id":1,"name":"b"}]}'
    assert.deepEqual(Object.keys(values(json)), [
      '$.items[id=42].id',
      '$.items[id=42].price',
      '$.items[id=7].id',
      '$.items[id=7].price',
      '$.rest[name=a].id',
      '$.rest[name=a].name',
      '$.rest[name=b].id',
      '$.rest[name=b].name',
    ])
    assert.deepEqual(Object.keys(values('[{"id":1},{"x":2},3]')), ['$[0].id', '$[1].x', '$[2]'])
    const places = read(json, 'application/json').blocks.map(({ place }) => place)
    assert.deepEqual([...new Set(places)], ['$.items[].id', '$.items[].price', '$.rest[].id', '$.rest[].name'])
  })

  test('are found under another media type and after an anti-hijacking prefix', () => {
    assert.equal(read(' [1, 2]', 'text/plain').kind, 'json')
    assert.equal(read('{"a":1}', undefined).kind, 'json')
    assert.deepEqual(values(')]}\',\n{"a":1}'), { '$.a': '1' })
  })

  test('are lines for invalid JSON and for NDJSON', () => {
    for (const body of ['{"a":', '{"a" 1}', '[1,]', '{"a":1}x', '[01]', '["\\x"]', '["a\nb"]', '[1 2]', '{a:1}', '']) {
      assert.equal(read(body, 'application/json').kind, 'text', body)
    }
    assert.deepEqual(lines('{"a":1}\n{"a":2}\n', 'application/x-ndjson'), ['{"a":1}', '{"a":2}'])
  })

  test('are limited and marked as cut if the document is deep, long or truncated', () => {
    const deep = read(`${'['.repeat(1000)}1${']'.repeat(1000)}`, 'application/json')
    assert.deepEqual([deep.kind, deep.isCut, deep.blocks.length, deep.blocks[0]?.text], ['json', true, 1, '1 …'])
    const inside = read(`${'{"a":'.repeat(1000)}{"b":["x y",-1.5,null]}${'}'.repeat(1000)}`, 'application/json')
    assert.equal(inside.blocks[0]?.text, 'x y -1.5 null …', 'the values of what is too deep are one')
    const names = read(`${`{"${'n'.repeat(80)}":`.repeat(50)}{"p":1,"q":2}${'}'.repeat(50)}`, 'application/json')
    assert.equal(new Set(names.blocks.map(({ key }) => key)).size, 2, 'long paths are still told apart')
    assert.ok(names.blocks.every(({ key }) => key.length <= 1000))
    const deeper = `{"a":1,"b":${'{"x":'.repeat(200_000)}"]"${'}'.repeat(200_000)},"c":2}`
    assert.deepEqual(
      read(deeper, 'application/json')
        .blocks.filter(({ key }) => key.length < 5)
        .map(({ key, text }) => key + text),
      ['$.a1', '$.c2'],
    )
    assert.equal(read('['.repeat(1_000_000), 'application/json').kind, 'text')
    const many = read(`[${'0,'.repeat(150_000)}0]`, 'application/json')
    assert.deepEqual([many.isCut, many.blocks.length], [true, 100_000])
    const long = read(`{"${'n'.repeat(100_000)}":1}`, 'application/json')
    assert.equal(long.blocks[0]!.key.length < 200, true)
    const cut = read(`[${'"word", '.repeat(1_400_000)}1]`, 'application/json')
    assert.deepEqual([cut.kind, cut.isCut, cut.blocks.length], ['json', true, 100_000])
    const cutShort = read(`{"a":"b","c":"${'x '.repeat(6 * 1024 * 1024)}"}`, 'application/json')
    assert.deepEqual([cutShort.kind, cutShort.isCut, cutShort.blocks.map(({ key }) => key)], ['json', true, ['$.a']])
  })
})

describe('the blocks of plain text', () => {
  test('are its lines', () => {
    const { kind, blocks } = read('a  b\r\n\r\nc\td\re\n', 'text/plain')
    assert.equal(kind, 'text')
    assert.deepEqual(
      blocks.map(({ kind: each, text }) => `${each}: ${text}`),
      ['line: a b', 'line: c d', 'line: e'],
    )
  })

  test('recognise Markdown headings', () => {
    const text = '# Title\nx\n## Part ##\ny\n```\n# no\n```\nOther\n=====\nz\nSub\n---\nw\n\n---\nv'
    assert.deepEqual(lines(text, 'text/markdown'), [
      '# Title',
      'Title › x',
      'Title › ## Part ##',
      'Title › Part › y',
      'Title › Part › ```',
      'Title › Part › # no',
      'Title › Part › ```',
      'Other',
      'Other › z',
      'Other › Sub',
      'Other › Sub › w',
      'Other › Sub › ---',
      'Other › Sub › v',
    ])
    assert.deepEqual(lines('# comment\nx=1\n\n# Part\n\ny=2', 'text/plain'), [
      '# comment',
      'x=1',
      '# Part',
      'Part › y=2',
    ])
  })
})

describe('the blocks of XML', () => {
  test('are the elements with text, below the names of their ancestors', () => {
    const xml = `<?xml version="1.0"?><cat><book id="1"><title>A <b>b</b> &amp; c</title><price>3<![CDATA[ < 4]]></price></book>
      <x:book><x:title>B</x:title>tail<empty/></x:book></cat>`
    const { kind, blocks } = read(xml, 'application/xml')
    assert.equal(kind, 'xml')
    assert.deepEqual(
      blocks.map(({ trail, text, place }) => `${trail.join(' › ')}: ${text} (${place})`),
      [
        'book › title: A b & c (cat/book/title)',
        'book › price: 3 < 4 (cat/book/price)',
        'book › title: B (cat/book/title)',
        'book: tail (cat/book)',
      ],
    )
  })

  test('are found at any depth and limited in number', () => {
    const deep = read(`${'<e>'.repeat(300_000)}x${'</e>'.repeat(300_000)}<f>y</f>`, 'text/xml')
    assert.deepEqual(
      deep.blocks.map(({ text }) => text),
      ['x', 'y'],
    )
    const many = read(`<e>${'<f>x</f>'.repeat(150_000)}</e>`, 'text/xml')
    assert.deepEqual([many.isCut, many.blocks.length], [true, 100_000])
    const names = read(Array.from({ length: 20_000 }, (_, n) => `<a${n}>x`).join(''), 'text/xml')
    assert.equal(names.blocks.length, 20_000)
  })
})

describe('the blocks of XHTML', () => {
  test('are those of HTML, with self-closing elements and CDATA sections', () => {
    const page = `<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x "y">]><html><head><title>T</title><script src="x"/>
      <style>.off{display:none}</style></head><body><h1>H</h1><p>a<b>b</b>c&nbsp;d<![CDATA[<e>]]></p><p class="off">no</p>
      <div hidden="hidden">n<div/>m</div><textarea/>h</body></html>`
    const { kind, title } = read(page, 'application/xhtml+xml')
    assert.deepEqual([kind, title], ['html', 'T'])
    assert.deepEqual(lines(page, 'application/xhtml+xml'), ['T', 'H', 'H › abc d<e>', 'H › h'])
  })
})

describe('the blocks of a feed', () => {
  const rss = `<?xml version="1.0"?><!-- <html> --><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
    <title>News &amp;amp; more</title><link>http://a.example/</link><atom:link href="/feed" rel="self"/><lastBuildDate>now</lastBuildDate>
    <image><title>Logo</title></image>
    <item><title>One</title><link>/one</link><guid isPermaLink="false">id-1</guid><pubDate>then</pubDate>
    <description><![CDATA[<p>Hello <b>there</b></p><p hidden>no</p><script>x</script>]]></description></item>
    <item><guid>http://a.example/two</guid><description>Two &amp;amp; three</description></item>
    <item><title>Same</title><guid>id-1</guid></item></channel></rss>`

  test('are its entries with title, link and id, under any media type', () => {
    for (const type of ['application/rss+xml', 'text/xml', 'application/xml', 'text/html', 'text/plain', undefined]) {
      const { kind, title, blocks } = read(rss, type, 'http://a.example/feed')
      assert.deepEqual([kind, title], ['feed', 'News & more'], type)
      const common = { kind: 'entry', trail: [], place: '', level: 0 }
      assert.deepEqual(blocks, [
        { ...common, text: 'One — Hello there', key: 'id-1', title: 'One', link: 'http://a.example/one' },
        {
          ...common,
          text: 'Two & three',
          key: 'http://a.example/two',
          title: 'Two & three',
          link: 'http://a.example/two',
        },
        { ...common, text: 'Same', key: 'id-1', title: 'Same', link: 'http://a.example/' },
      ])
    }
  })

  test('are also read from Atom, RSS 1.0 and JSON Feed', () => {
    const atom = `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title type="html">A &amp;lt;b&amp;gt;</a:title><a:entry><a:id>1</a:id>
      <a:title type="text">x &lt; y</a:title><a:link rel="self" href="s"/><a:link href="http://b.example/1"/><a:summary>short</a:summary>
      <a:content type="xhtml"><div>long <em>text</em></div></a:content><a:source><a:title>other</a:title></a:source></a:entry></a:feed>`
    const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
      <channel><title>A &lt;b&gt;</title></channel><item rdf:about="1"><title>x &lt; y</title><link>http://b.example/1</link>
      <description>long text</description></item></rdf:RDF>`
    const json = JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'A <b>',
      items: [{ id: 1, url: 'http://b.example/1', title: 'x < y', content_html: '<p>long text', summary: 'short' }],
    })
    for (const [body, type] of [
      [atom, 'application/atom+xml'],
      [json, 'application/feed+json'],
      [json, 'application/json'],
    ] as const) {
      const { kind, title, blocks } = read(body, type)
      assert.deepEqual([kind, title], ['feed', 'A <b>'])
      assert.deepEqual(
        blocks.map(({ key, text, link }) => [key, text, link]),
        [['1', 'x < y — long text', 'http://b.example/1']],
      )
    }
    const { title, blocks } = read(rdf, 'text/xml')
    assert.deepEqual([title, blocks[0]?.key, blocks[0]?.text], ['A', '1', 'x < y — long text'])
  })

  test('are limited for damaged feeds, huge feeds and entity bombs', () => {
    const cut = rss.slice(0, rss.indexOf('Two'))
    assert.deepEqual(
      read(cut, 'text/xml').blocks.map(({ title }) => title),
      ['One', 'http://a.example/two'],
    )
    const bomb = `<!DOCTYPE rss [<!ENTITY a "${'x'.repeat(1000)}"><!ENTITY b "${'&a;'.repeat(1000)}">]><rss><channel><item><title>&b;</title></item></channel></rss>`
    assert.equal(read(bomb, 'text/xml').blocks[0]?.text, '&b;')
    const many = read(`<rss><channel>${'<item><title>x</title></item>'.repeat(30_000)}</channel></rss>`, 'text/xml')
    assert.deepEqual([many.isCut, many.blocks.length], [true, 20_000])
    assert.equal(read(`<rss>${'<a>'.repeat(200_000)}<item><title>x`, 'text/xml').kind, 'feed')
    assert.equal(read(`<rss><channel><item><description>${'&lt;b&gt;'.repeat(100_000)}x`, 'text/xml').kind, 'feed')
  })

  test('are not looked for in pages that only mention feeds, or in other RDF', () => {
    assert.equal(read('<html><body><p>&lt;rss> <rss>x</rss>', 'text/html').kind, 'html')
    assert.equal(read('<!-- <rss> --><p>x', 'text/html').kind, 'html')
    assert.equal(
      read('<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><x>y</x></rdf:RDF>', 'text/xml').kind,
      'xml',
    )
  })
})
