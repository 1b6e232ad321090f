import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { documentText, textBytes, textFingerprint } from './document-text.ts'

function read(body: string | Buffer, contentType: string | undefined, lines = false): string | null {
  return documentText(Buffer.from(body), { contentType, lines })
}

function print(page: string, contentType = 'text/html'): string | undefined {
  return textFingerprint(Buffer.from(page), { contentType })?.toString('hex')
}

describe('the text of a document', () => {
  test('is extracted from HTML, XML, plain text and JSON only', () => {
    const body = '<p>a</p>'
    for (const type of [
      'text/html',
      'Text/HTML; charset=utf-8',
      'application/xhtml+xml',
      ' text/html ;x',
      undefined,
      '',
    ]) {
      assert.equal(read(body, type), 'a', type)
    }
    for (const type of ['text/xml', 'application/x-xml', 'application/rss', 'application/atom+xml; charset=utf-8']) {
      assert.equal(read(body, type), 'a', type)
    }
    for (const type of 'text/plain text/csv text/markdown application/json application/ld+json text/json'.split(' ')) {
      assert.equal(read(body, type), body, type)
    }
    const others = 'image/png image/svg+xml application/pdf text/css text/javascript application/javascript font/woff2 '
    for (const type of `${others}application/octet-stream application/zip video/mp4 application/xml-dtd`.split(' ')) {
      assert.equal(read(body, type), null, type)
      assert.equal(textFingerprint(Buffer.from(body), { contentType: type }), null)
      assert.equal(textBytes(Buffer.from(body), { contentType: type }), null)
    }
  })

  test('depends on the bytes if the server names no media type', () => {
    assert.equal(read(`${' '.repeat(500)}<p>a`, undefined), 'a')
    assert.equal(read('<p>a', 'nonsense'), 'a')
    assert.equal(read('<p>a', 'unknown/unknown'), 'a')
    assert.equal(read('a & b', undefined), 'a & b')
    assert.equal(read(Buffer.from([0, 1, 2, 3, 0, 0, 0x50]), undefined), null)
  })

  test('has the title first and a line for each block', () => {
    const page =
      '<html><head><meta name=x content=y><title> The\n title </title><style>p{}</style></head><body><h1>Head</h1><p>one <b>two</b>three' +
      '<br>four<ul><li>five<li>six</ul><table><tr><td>7<td>8<tr><td>9</table>'
    assert.equal(read(page, 'text/html', true), 'The title\nHead\none twothree\nfour\nfive\nsix\n7 8\n9')
    assert.equal(read(page, 'text/html'), 'The title Head one twothree four five six 7 8 9')
    assert.equal(read('text <p>more<title>late</title>', 'text/html', true), 'late\ntext\nmore')
  })

  test('keeps the lines of preformatted and plain text', () => {
    assert.equal(read('a<pre>b\n  c\n\nd</pre>e\nf', 'text/html', true), 'a\nb\nc\nd\ne f')
    assert.equal(read('a  b\r\n\r\nc\td\n', 'text/plain', true), 'a b\nc d')
    assert.equal(read('a  b\r\n\r\nc\td\n', 'text/plain'), 'a b c d')
    assert.equal(read('{ "a" :\n  [1,\t2] }\n', 'application/json'), '{ "a" : [1, 2] }')
  })

  test('consists of text nodes and CDATA sections in XML', () => {
    const feed = `<?xml version="1.0"?><!DOCTYPE rss [ <!ENTITY x "a]>b"> <!-- ' --> ]><?style a>b?>
      <rss><!-- no --><channel><title>News &amp; more</title><link href="http://x/">http://x/</link>
      <item><title>One</title><description><![CDATA[<p>raw & text</p>]]></description></item>
      <item><Title a=">">Two &#x41;&lt;b&gt; &x;</Title><script>kept</script><empty/></item></channel></rss>`
    assert.equal(read(feed, 'text/xml', true), 'News & more\nhttp://x/\nOne\n<p>raw & text</p>\nTwo A<b> &x;\nkept')
    assert.equal(read('<a><b>x</b>y<i>z</i><p>1</p><xhtml:em>2</xhtml:em>3</a>', 'text/xml', true), 'xyz\n1\n23')
    assert.equal(read('<a>1 < 2 <![CDATA[cut', 'text/xml'), '1 < 2 cut')
    assert.equal(read('<a>x<!DOCTYPE [ <a', 'text/xml'), 'x')
  })

  test('follows XML syntax and HTML rendering in XHTML', () => {
    const page = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title><script>a &lt; b</script>
      <script src="x"/><style>/*<![CDATA[*/p{}/*]]>*/</style></head><body><p>a<b>b</b>c&nbsp;d<![CDATA[<e>]]></p><pre>f
      g</pre><template>no</template><textarea/>h<title>again</title></body></html>`
    assert.equal(read(page, 'application/xhtml+xml', true), 'T\nabc d<e>\nf\ng\nh')
  })

  test('is decoded in the encoding of the document', () => {
    const latin = Buffer.from('<p>caf\xe9 \x93x\x94\xa0y', 'latin1')
    assert.equal(read(latin, 'text/html; charset=iso-8859-1'), 'café “x” y')
    assert.equal(read(Buffer.concat([Buffer.from('<meta charset=windows-1252>'), latin]), 'text/html'), 'café “x” y')
    assert.equal(read(Buffer.from('\ufeff<p>日本', 'utf16le'), 'text/html'), '日本')
    assert.equal(read(Buffer.from('\ufeffplain é', 'utf16le'), 'text/plain'), 'plain é')
    assert.equal(read(Buffer.from([0x82, 0xa0]), 'text/plain; charset=shift_jis'), 'あ')
    assert.equal(read(Buffer.from('<p>a\xffb', 'latin1'), 'text/html; charset=utf-8'), 'a\ufffdb')
    assert.equal(read(Buffer.from('<meta charset=latin1>é'), 'text/plain'), '<meta charset=latin1>é')
    assert.equal(read(Buffer.from('<p>cut é').subarray(0, -1), 'text/html'), 'cut \ufffd')
  })

  test('is null if the content is actually binary', () => {
    const program = Buffer.alloc(5000, 'ELF')
    for (let at = 0; at < program.length; at += 20) program[at] = 0
    assert.equal(read(program, 'text/plain'), null)
    assert.equal(read('one \0 in few '.repeat(10), 'text/plain'), null)
    assert.equal(read(`a\0b${' word'.repeat(100)}`, 'text/plain')?.slice(0, 8), 'a\ufffdb word')
    assert.equal(read('', 'text/plain'), '')
    assert.equal(read('', 'text/html'), '')
  })

  test('is limited to the first ten megabytes', () => {
    const body = Buffer.alloc(10 * 1024 * 1024 + 100, 'a ')
    assert.equal(read(body, 'text/plain')?.length, 10 * 1024 * 1024 - 1)
  })

  test('is read from hostile pages without exhausting the stack', () => {
    const deep = `${'<div><b><svg><title>'.repeat(100_000)}x`
    assert.equal(read(deep, 'text/html'), '')
    assert.equal(read(`${'<template>'.repeat(100_000)}x${'</template>'.repeat(100_000)}y`, 'text/html'), 'y')
    assert.equal(read(`${'<a>'.repeat(300_000)}x`, 'text/xml'), 'x')
    const types = ['text/html', 'text/xml', 'application/xhtml+xml']
    for (const type of types) {
      for (const piece of ['<a "', "<a b='", '<!DOCTYPE [', '</', '<!--', '<svg/', '<?'])
        assert.equal(read(`first ${piece.repeat(100_000)}`, type), 'first', `${piece} ${type}`)
      for (const piece of ['<', '&', '&#'])
        assert.equal(read(piece.repeat(100_000), type), piece.repeat(100_000), `${piece} ${type}`)
      assert.equal(read('&#x0'.repeat(100_000), type), '\ufffd'.repeat(100_000), type)
    }
    // The first one begins a section, or a title, that contains the others.
    const inner = (piece: string): string[] => types.map((type) => read(piece.repeat(100_000), type)!)
    const section = '<![CDATA['.repeat(99_999)
    assert.deepEqual(inner('<![CDATA['), ['', section, section])
    assert.deepEqual(inner('<title>'), ['<title>'.repeat(99_999), '', ''])
  })

  test('is complete even if decoded characters take more room than their source', () => {
    assert.equal(read('<textarea>'.concat('\0'.repeat(1000)), 'text/html'), '\ufffd'.repeat(1000))
    assert.equal(read('&nGt;'.repeat(1000), 'text/html'), '≫⃒'.repeat(1000))
    assert.equal(read('<xmp>\0<title>\0</title>', 'text/html'), '\ufffd<title>\ufffd</title>')
    const title = `x<title>${'\0'.repeat(5000)}</title>`
    assert.equal(read(title, 'text/html'), `${'\ufffd'.repeat(5000)} x`)
  })

  test('is the same as bytes and as a string', () => {
    const source = { contentType: 'text/html', lines: true }
    const page = new Uint8Array(Buffer.from('..<title>é</title>a<p>b')).subarray(2)
    assert.equal(Buffer.from(textBytes(page, source)!).toString(), 'é\na\nb')
    assert.equal(documentText(page, source), 'é\na\nb')
  })
})

describe('the fingerprint of a text', () => {
  test('is not changed by attributes, scripts, comments, markup or white space', () => {
    const page = '<title>T</title><p class=a>one <b>two</b></p>'
    const same = [
      '<title>T</title><p class=b data-at=123>one <b>two</b></p>',
      '<title>T</title>\n\n<p>one\n\t<b>two</b></p>\n',
      '<title>T</title><script nonce=77>1</script><p>one&nbsp;<i>two</i><!-- at 12:00 --><img src=banner2.gif>',
      '<meta name=csrf content=1><title>T</title><style>b{}</style><div>one</div>two<input type=hidden value=42>',
    ]
    for (const other of same) assert.equal(print(other), print(page), other)
    assert.equal(print(page)?.length, 32)
    assert.equal(print('T one two', 'text/plain'), print(page))
  })

  test('changes with the text', () => {
    const prints = ['<p>one two', '<p>one twO', '<p>onetwo', '<p>one two three', '<title>one</title>'].map((page) =>
      print(page),
    )
    assert.equal(new Set(prints).size, prints.length)
  })

  test('is stable over time', () => {
    assert.equal(print('<p>Hello, <b>world</b>'), print('Hello, world', 'text/plain'))
    assert.equal(print('Hello, world', 'text/plain'), '4ae7c3b6ac0beff671efa8cf57386151')
    assert.equal(print('<p>', 'text/html'), 'e3b0c44298fc1c149afbf4c8996fb924')
  })
})
