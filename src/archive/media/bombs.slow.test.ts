import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { docxOf, epubOf, odtOf, pdfFile, pdfOf, stream, wordParagraph, zipOf } from './documents.testkit.ts'
import { createMediaReader } from './media-reader.ts'

/** Documents made to exhaust time or memory. Each fails with its reason, within the limits, and the next document is read. */

const limits = { timeLimitMs: 10_000, maxMemoryBytes: 256 * 1024 * 1024 }
const media = createMediaReader(limits)
after(() => media.close())

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const odt = 'application/vnd.oasis.opendocument.text'
const epub = 'application/epub+zip'

async function outcomeOf(contentType: string, body: Buffer, name: string): Promise<string> {
  const text = await media.read({ contentType, body, url: `http://${name.replace(/\W+/g, '-')}.example/` })
  return text.kind === 'failed' ? text.reason : text.kind
}

/** Deflates to a thousandth at best. */
const zeros = (megabytes: number): Buffer => Buffer.alloc(megabytes * 1024 * 1024)

/** Declares a wrong size in the directory of the archive. */
function lying(zip: Buffer, size: number): Buffer {
  const bytes = Buffer.from(zip)
  for (let at = bytes.indexOf('PK\x01\x02', 0, 'latin1'); at >= 0; at = bytes.indexOf('PK\x01\x02', at + 4, 'latin1'))
    bytes.writeUInt32LE(size, at + 24)
  return bytes
}

const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth)

const bombs: [string, string, () => Buffer, readonly string[]][] = [
  ['a DOCX of 70 MB', docx, () => docxOf('', { more: { 'word/document.xml': zeros(70) } }), ['too-large']],
  [
    'a DOCX that lies about its size',
    docx,
    () => lying(docxOf('', { more: { 'word/document.xml': zeros(70) } }), 100),
    ['damaged'],
  ],
  ['an ODT of 70 MB', odt, () => zipOf({ mimetype: odt, 'content.xml': zeros(70) }), ['too-large']],
  [
    'an EPUB whose chapters are 80 MB together',
    epub,
    () => epubOf(Object.fromEntries([1, 2].map((n) => [`c${n}`, ' '.repeat(40 << 20)]))),
    ['too-large'],
  ],
  [
    'a ZIP of 11,000 files',
    docx,
    () => zipOf(Object.fromEntries(Array.from({ length: 11_000 }, (_, n) => [`${n}.xml`, '']))),
    ['too-large'],
  ],
  [
    'a DOCX of deep tables',
    docx,
    () => docxOf(nested('<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>', 50_000)),
    ['too-deep'],
  ],
  [
    'an ODT of deep lists',
    odt,
    () => odtOf(nested('<text:list><text:list-item>', '</text:list-item></text:list>', 100_000)),
    ['too-deep'],
  ],
  ['an EPUB of deep elements', epub, () => epubOf({ a: nested('<div>', '</div>', 200_000) }), ['converted']],
  [
    'Markdown of deep quotations',
    'text/markdown',
    () => Buffer.from(`${'>'.repeat(200_000)} x`),
    ['too-deep', 'too-long'],
  ],
  [
    'Markdown of deep lists',
    'text/markdown',
    () => Buffer.from(Array.from({ length: 3000 }, (_, n) => `${' '.repeat(2 * n)}- x`).join('\n')),
    ['too-deep', 'too-long'],
  ],
  ['Markdown of open brackets', 'text/markdown', () => Buffer.from('['.repeat(500_000)), ['converted', 'too-long']],
  ['Markdown of emphasis', 'text/markdown', () => Buffer.from('*a **a '.repeat(100_000)), ['converted', 'too-long']],
  ['a CSV of one endless line', 'text/csv', () => Buffer.from('a,'.repeat(5_000_000)), ['too-large']],
  ['a CSV of one endless quotation', 'text/csv', () => Buffer.from(`a,b\n"${'x\n'.repeat(5_000_000)}`), ['too-large']],
  ['a CSV of 2 million rows', 'text/csv', () => Buffer.from('a,b\n'.repeat(2_000_000)), ['converted']],
  ['a PDF whose page is 500 MB', 'application/pdf', () => bigPdf(500), ['too-large', 'too-long']],
  ['a PDF of deep arrays', 'application/pdf', () => deepPdf('[', ']'), ['damaged']],
  ['a PDF whose pages are their own parents', 'application/pdf', cyclicPdf, ['damaged']],
  ['a PDF that counts a billion pages', 'application/pdf', countingPdf, ['converted']],
]

function bigPdf(megabytes: number): Buffer {
  const text = Buffer.alloc(megabytes * 1024 * 1024, 'BT (x) Tj ET\n')
  return pdfFile([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << >> >>',
    stream(deflateSync(text)),
  ])
}

function deepPdf(open: string, close: string): Buffer {
  return pdfFile([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox ${nested(open, close, 200_000)} /Contents 4 0 R >>`,
    stream(deflateSync('BT ET')),
  ])
}

function cyclicPdf(): Buffer {
  return pdfFile(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 /Parent 2 0 R >>'])
}

function countingPdf(): Buffer {
  return pdfFile(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 1000000000 >>'])
}

for (const [name, type, make, outcomes] of bombs) {
  test(`${name} has the expected outcome, and the next document is read`, async () => {
    const outcome = await outcomeOf(type, make(), name)
    assert.ok(outcomes.includes(outcome), outcome)
    const after = await media.read({
      contentType: docx,
      body: docxOf(wordParagraph(name)),
      url: `http://after.example/${name}`,
    })
    assert.equal(after.kind, 'converted', JSON.stringify(after))
  })
}

test('a PDF is still read after all of these', async () => {
  assert.equal(await outcomeOf('application/pdf', pdfOf([{ lines: ['Text'] }]), 'last'), 'converted')
})
