import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { pdfFile, pdfOf } from './documents.testkit.ts'
import { pdfToHtml } from './pdf.ts'
import { pdfLinks } from './pdf-links.ts'

const maxBytes = 1_000_000

const hrefs = (html: string): string[] => [...html.matchAll(/<a href="([^"]*)">/g)].map((match) => match[1]!)
const title = (html: string): string => /<title>([^<]*)<\/title>/.exec(html)?.[1] ?? ''

/** Objects in a stream, as writers of PDF 1.5 and later keep them; their numbers are those of their places in the file. */
function objectStream(objects: readonly { number: number; text: string }[], more = ''): Buffer {
  let length = 0
  const pairs = objects.map(({ number, text }) => {
    const pair = `${number} ${length}`
    length += text.length + 1
    return pair
  })
  const head = `${pairs.join(' ')}\n`
  const data = deflateSync(head + objects.map(({ text }) => `${text}\n`).join(''))
  const dictionary = `<< /Type /ObjStm /N ${objects.length} /First ${head.length} /Filter /FlateDecode ${more}/Length ${data.length} >>`
  return Buffer.concat([Buffer.from(`${dictionary}\nstream\n`), data, Buffer.from('\nendstream')])
}

const link = (uri: string): string => `<< /Type /Annot /Subtype /Link /A << /S /URI /URI ${uri} >> >>`

describe('links of a PDF', () => {
  test('and its title match those of the full PDF reader', async () => {
    const links = [
      'https://a.example/x?a=1&b=2',
      'http://b.example/\\(1\\)',
      'mailto:c@d.example',
      'file:///etc/passwd',
    ]
    const body = pdfOf(
      [
        { lines: ['One.'], links },
        { lines: ['Two.'], links: links.slice(0, 1) },
      ],
      { title: 'Offers' },
    )
    const { html } = await pdfToHtml(body, { url: 'http://a.example/', contentType: 'application/pdf', maxBytes })
    const found = pdfLinks(body, maxBytes)!
    assert.deepEqual(hrefs(found), [...new Set(hrefs(html))])
    assert.deepEqual(hrefs(found), ['https://a.example/x?a=1&amp;b=2', 'http://b.example/(1)', 'mailto:c@d.example'])
    assert.equal(title(found), 'Offers')
    assert.equal(title(html), 'Offers')
  })

  test('are found in object streams, in all string notations', () => {
    const stream = objectStream([
      { number: 7, text: link('(http://a.example/\\050b\\051\\\n/c)') },
      { number: 8, text: link('<687474703a2f2f622e6578616d706c652f>') },
      { number: 9, text: '<< /Title <FEFF00C4> >>' },
      { number: 10, text: '<< /Title (Another) >>' },
    ])
    const found = pdfLinks(pdfFile(['<< /Type /Catalog >>', stream], '/Info 9 0 R '), maxBytes)!
    assert.deepEqual(hrefs(found), ['http://a.example/(b)/c', 'http://b.example/'])
    assert.equal(title(found), 'Ä')
  })

  test('are left to the full PDF reader if it is encrypted, damaged or unsupported', () => {
    const stream = objectStream([{ number: 7, text: link('(http://a.example/)') }], '/DecodeParms << /Predictor 12 >> ')
    assert.equal(pdfLinks(pdfFile(['<< /Type /Catalog >>', stream]), maxBytes), null, 'another encoding')
    const whole = objectStream([{ number: 7, text: link('(http://a.example/)') }])
    const cut = Buffer.concat([whole.subarray(0, whole.length - 30), Buffer.from('\nendstream')])
    assert.equal(pdfLinks(pdfFile(['<< /Type /Catalog >>', cut]), maxBytes), null, 'a damaged stream')
    const encrypted = pdfOf([{ lines: ['x'] }], { trailer: '/Encrypt << /Filter /Standard >> ' })
    assert.equal(pdfLinks(encrypted, maxBytes), null, 'an encrypted file')
    assert.equal(pdfLinks(Buffer.from('<html>'), maxBytes), null, 'no PDF')
    assert.equal(pdfLinks(Buffer.from('%PDF-1.4 and nothing else'), maxBytes), null, 'no object')
  })

  test('are not read from decompression bombs or unterminated strings', () => {
    const bomb = deflateSync(Buffer.alloc(65 * 1024 * 1024))
    const dictionary = '<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode >>\nstream\n'
    const stream = Buffer.concat([Buffer.from(dictionary), bomb, Buffer.from('\nendstream')])
    assert.equal(pdfLinks(pdfFile(['<< /Type /Catalog >>', stream]), maxBytes), null)
    const open = `<< /URI (${'('.repeat(100_000)} >>`
    assert.deepEqual(hrefs(pdfLinks(pdfFile(['<< /Type /Catalog >>', open]), maxBytes)!), [])
  })
})
