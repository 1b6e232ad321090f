import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { documentText } from '../../core/text/document-text.ts'
import { docxOf, epubOf, odtOf, pdfFile, pdfOf, wordParagraph } from './documents.testkit.ts'
import { createMediaReader, type MediaText } from './media-reader.ts'

const media = createMediaReader()
after(() => media.close())

const url = 'http://a.example/x'
const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const odt = 'application/vnd.oasis.opendocument.text'

async function htmlOf(contentType: string, body: Buffer | string, at = url): Promise<string> {
  const text = await media.read({ contentType, body: Buffer.from(body), url: at })
  assert.ok(text.kind === 'converted', JSON.stringify(text))
  assert.equal(text.contentType, 'text/html; charset=utf-8')
  return text.body.toString()
}

/** Without doctype and encoding. */
const bodyOf = async (contentType: string, body: Buffer | string): Promise<string> =>
  (await htmlOf(contentType, body)).replace('<!doctype html>\n<meta charset="utf-8">\n', '')

async function failureOf(contentType: string, body: Buffer | string): Promise<string> {
  const text: MediaText = await media.read({ contentType, body: Buffer.from(body), url })
  return text.kind === 'failed' ? text.reason : text.kind
}

describe('PDF', () => {
  test('has title, headings, paragraphs and links', async () => {
    const body = pdfOf(
      [
        {
          heading: 'Prices',
          lines: ['Bread is two', 'crowns, and but-', 'ter three.', '', 'Next & last.'],
          links: ['https://b.example/more?a=1&b=2'],
        },
        { lines: ['Page two.'] },
      ],
      { title: 'A list of prices' },
    )
    assert.equal(
      await bodyOf('application/pdf', body),
      '<title>A list of prices</title>\n<h2>Prices</h2>\n<p>Bread is two crowns, and butter three.</p>\n' +
        '<p>Next &amp; last.</p>\n<a href="https://b.example/more?a=1&amp;b=2"></a><p>Page two.</p>\n',
    )
  })

  test('fails if it is encrypted, has no readable page or is not a PDF', async () => {
    const key = `<${'00'.repeat(32)}>`
    const encrypt = `/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O ${key} /U ${key} >> /ID [<00> <00>] `
    assert.equal(await failureOf('application/pdf', pdfOf([{ lines: ['secret'] }], { trailer: encrypt })), 'encrypted')
    const empty = pdfFile(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 1 >>'])
    assert.equal(await failureOf('application/pdf', empty), 'damaged')
    assert.equal(await failureOf('application/pdf', '<html>Sign in to read this'), 'damaged')
    assert.equal(await failureOf('application/pdf', ''), 'damaged')
  })

  const insertedIn = (body: Buffer, text: string): Buffer =>
    Buffer.concat([body.subarray(0, 9), Buffer.from(text), body.subarray(9)])

  /** A text in a font that isn't in the file, with one of the encodings that every reader has to know. */
  function eastAsianPdf(encoding: string, ordering: string, text: string): Buffer {
    const content = `BT /F1 12 Tf 72 700 Td <${text}> Tj ET`
    return pdfFile([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      `<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /${encoding} /DescendantFonts [6 0 R] >>`,
      `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /FontDescriptor 7 0 R >>`,
      '<< /Type /FontDescriptor /FontName /Song /Flags 4 /FontBBox [0 0 999 999] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
    ])
  }

  test('has the text of East Asian fonts with predefined encodings', async () => {
    const cases = [
      ['UniGB-UCS2-H', 'GB1', '00414e2d6587', 'A中文'],
      ['UniJIS-UTF16-H', 'Japan1', '65e5672cd83ddc00', '日本🐀'],
      ['GBK-EUC-H', 'GB1', '41d6d0cec4', 'A中文'],
      ['ETen-B5-H', 'CNS1', 'a4a4a4e5', '中文'],
      ['90ms-RKSJ-V', 'Japan1', '93fa967bb1', '日本ｱ'],
      ['EUC-H', 'Japan1', 'c6fccbdc', '日本'],
      ['KSCms-UHC-H', 'Korea1', 'c7d1b1db', '한글'],
    ] as const
    for (const [encoding, ordering, bytes, text] of cases)
      assert.equal(
        await bodyOf('application/pdf', eastAsianPdf(encoding, ordering, bytes)),
        `<p>${text}</p>\n`,
        encoding,
      )
    // The numbers of glyphs say nothing about the characters.
    assert.equal(await bodyOf('application/pdf', eastAsianPdf('Identity-H', 'GB1', '00220023')), '')
  })

  test('is read despite wrong offsets', async () => {
    const html = await htmlOf('application/pdf', insertedIn(pdfOf([{ lines: ['First page.'] }]), '%x\n'))
    assert.match(html, /<p>First page\.<\/p>/)
  })

  test('is read as far as possible if it is cut off', async () => {
    const plain = pdfOf([{ lines: ['First page.'] }, { lines: ['Second page.'] }])
    const pages = '<p>First page.</p>\n<p>Second page.</p>\n'
    assert.equal(await bodyOf('application/pdf', plain.subarray(0, plain.indexOf('startxref'))), pages)
    assert.equal(await failureOf('application/pdf', plain.subarray(0, plain.indexOf('trailer'))), 'damaged')
    // Files made for the web have a trailer at their start.
    const linearized = insertedIn(plain, 'trailer\n<< /Root 1 0 R >>\n')
    assert.equal(await bodyOf('application/pdf', linearized.subarray(0, linearized.indexOf('xref'))), pages)
    assert.equal(
      await bodyOf('application/pdf', linearized.subarray(0, linearized.indexOf('8 0 obj'))),
      '<p>First page.</p>\n<p>Pages that are damaged or missing are left out.</p>\n',
    )
  })
})

describe('DOCX', () => {
  test('has title, headings, paragraphs, rows and links', async () => {
    const cell = (text: string): string => `<w:tc>${wordParagraph(text)}</w:tc>`
    const body = docxOf(
      wordParagraph('Minutes &lt;draft&gt;', 'Heading1') +
        `<w:p><w:hyperlink r:id="rId1"><w:r><w:t>The plan</w:t></w:r></w:hyperlink></w:p>` +
        `<w:tbl><w:tr>${cell('Cost')}${cell('7')}</w:tr></w:tbl>`,
      { links: ['https://b.example/plan'] },
    )
    const html = await bodyOf(docx, body)
    assert.match(html, /^<title>Minutes &lt;draft&gt;<\/title>\n<h1>Minutes &lt;draft&gt;<\/h1>/)
    assert.match(html, /<p><a href="https:\/\/b\.example\/plan">The plan<\/a><\/p>/)
    assert.match(html, /<tr><td><p>Cost<\/p><\/td><td><p>7<\/p><\/td><\/tr>/)
    assert.match(await bodyOf(docx, docxOf(wordParagraph('x'), { title: 'Named' })), /^<title>Named<\/title>/)
  })

  test('fails if it is encrypted or not a DOCX', async () => {
    assert.equal(await failureOf(docx, Buffer.from('d0cf11e0a1b11ae1', 'hex')), 'encrypted')
    assert.equal(await failureOf(docx, 'PK nothing'), 'damaged')
    assert.equal(await failureOf(docx, odtOf('<text:p>x</text:p>')), 'damaged')
  })
})

describe('ODT', () => {
  test('has title, headings, paragraphs, items, rows and links, and no deleted text', async () => {
    const body = odtOf(
      '<text:tracked-changes><text:changed-region><text:p>deleted</text:p></text:changed-region></text:tracked-changes>' +
        '<text:h text:outline-level="2">A &amp; B</text:h><text:p>One<text:s text:c="2"/>two<text:line-break/>three ' +
        '<text:a xlink:href="https://b.example/">link</text:a><text:a xlink:href="#inside"> inside</text:a></text:p>' +
        '<text:list><text:list-item><text:p>Item</text:p></text:list-item></text:list>' +
        '<table:table><table:table-row><table:table-cell><text:p>a</text:p><text:p>b</text:p></table:table-cell>' +
        '<table:table-cell><text:p>c</text:p></table:table-cell></table:table-row></table:table>' +
        '<text:p>Text<text:note><text:note-body><text:p>Footnote</text:p></text:note-body></text:note></text:p>',
    )
    assert.equal(
      await bodyOf(odt, body),
      '<title>A &amp; B</title>\n<h2>A &amp; B</h2>\n<p>One  two three <a href="https://b.example/">link</a> inside</p>\n' +
        '<li>Item</li>\n<table>\n<tr><td>a b</td><td>c</td></tr>\n</table>\n<p>Text Footnote</p>\n',
    )
  })

  test('fails if it is encrypted or has no content', async () => {
    const manifest = '<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>'
    assert.equal(await failureOf(odt, odtOf('x', { manifest })), 'encrypted')
    assert.equal(await failureOf(odt, docxOf('')), 'damaged')
  })
})

describe('EPUB', () => {
  test('has its chapters in reading order, and no internal links', async () => {
    const body = epubOf(
      {
        two: '<h1>Two</h1><p>Second <a href="one.xhtml">back</a></p>',
        one: '<h1>One</h1><p>First <a href="https://b.example/">out</a></p><script>x()</script>',
      },
      { title: 'A book', order: ['one', 'two', 'missing'] },
    )
    const html = await bodyOf('application/epub+zip', body)
    assert.equal(
      html,
      '<title>A book</title>\n<h1>One</h1><p>First <a href="https://b.example/">out</a></p><h1>Two</h1><p>Second <a>back</a></p>',
    )
  })

  test('fails with encrypted chapters, but not with encrypted fonts', async () => {
    const locked = (name: string) => ({
      more: { 'META-INF/encryption.xml': `<encryption><CipherReference URI="${name}"/></encryption>` },
    })
    const type = 'application/epub+zip'
    assert.equal(await failureOf(type, epubOf({ a: '<p>x</p>' }, locked('OEBPS/text/a.xhtml'))), 'encrypted')
    assert.equal(await failureOf(type, epubOf({ a: '<p>x</p>' }, locked('OEBPS/font.otf'))), 'converted')
  })
})

describe('Markdown', () => {
  test('has headings, rows and links, and escapes meta and base elements', async () => {
    const html = await bodyOf(
      'text/markdown; charset=utf-8',
      '# A *new* title\n\nSee [this](more.md).\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n<meta name="robots" content="noindex">\n<base href="//evil.example/">\n\n<details>Kept</details>\n',
    )
    assert.match(
      html,
      /^<title>A new title<\/title>\n<h1>A <em>new<\/em> title<\/h1>\n<p>See <a href="more.md">this<\/a>/,
    )
    assert.match(html, /<td>1<\/td>\n<td>2<\/td>/)
    assert.match(html, /&lt;meta name/)
    assert.match(html, /&lt;base href/)
    assert.match(html, /<details>Kept<\/details>/)
  })

  test('has the title of its front matter, which is not part of the text', async () => {
    const html = await bodyOf('text/markdown', '---\nlayout: post\ntitle: "The title"\n---\nText')
    assert.equal(html, '<title>The title</title>\n<p>Text</p>\n')
  })
})

describe('CSV', () => {
  test('has rows, with the column name in each cell', async () => {
    const table =
      '<table>\n<tr><td>name</td><td>price</td></tr>\n<tr><td>name: Pear, green</td><td>price: 4</td></tr>\n</table>\n'
    assert.equal(await bodyOf('text/csv', 'name,price\n"Pear, green",4\n'), table)
    assert.equal(await bodyOf('text/csv', '\ufeffname;price\r\n"Pear, green";4\r\n'), table)
    assert.equal(await bodyOf('text/tab-separated-values', 'name\tprice\nPear, green\t4'), table)
    const numbers = '<table>\n<tr><td>1</td><td>2</td></tr>\n<tr><td>3</td><td>4</td></tr>\n</table>\n'
    assert.equal(await bodyOf('text/csv', '1|2\n3|4\n'), numbers)
  })

  test('is read despite a quotation mark that is never closed', async () => {
    const rows =
      '<table>\n<tr><td>size</td><td>price</td></tr>\n<tr><td>size: &quot;5 inch</td><td>price: 1</td></tr>\n'
    const last = '<tr><td>size: 6</td><td>price: 2</td></tr>\n</table>\n'
    assert.equal(await bodyOf('text/csv', 'size,price\n"5 inch,1\n6,2\n'), rows + last)
  })

  test('is decoded from its charset', async () => {
    const html = await bodyOf('text/csv; charset=iso-8859-1', Buffer.from('stadt,größe\nKöln,3\n', 'latin1'))
    assert.match(html, /<td>stadt: Köln<\/td><td>größe: 3<\/td>/)
  })

  test('is cut after 20,000 rows, with a note', async () => {
    const html = await htmlOf('text/csv', `n,m\n${'1,2\n'.repeat(30_000)}`)
    assert.equal(html.match(/<tr>/g)!.length, 20_000)
    assert.match(html, /<p>Rows after the first 20,000 are left out\.<\/p>\n$/)
  })
})

test('a message has its subject as title', async () => {
  const html = await htmlOf(
    'message/rfc822',
    'From: a@b.example\r\nSubject: Hello\r\n\r\nText\r\n',
    'imap://a.example/INBOX',
  )
  assert.match(html, /<title>Hello<\/title>/)
})

test('the text of a converted document can be extracted like that of a page', async () => {
  const text = documentText(Buffer.from(await htmlOf('text/csv', 'a,b\nx,1\n')), {
    contentType: 'text/html; charset=utf-8',
    lines: true,
  })
  assert.equal(text, 'a b\na: x b: 1')
})
