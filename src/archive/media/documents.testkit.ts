import { deflateSync } from 'node:zlib'
import { strToU8, zipSync } from 'fflate'

/** Small documents of the convertible kinds. */

export type PdfPage = { lines: readonly string[]; links?: readonly string[]; heading?: string }

export function pdfOf(pages: readonly PdfPage[], { title = '', trailer = '' } = {}): Buffer {
  const objects: (string | Buffer)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  objects.push(`<< /Title (${title}) >>`)
  const kids: number[] = []
  for (const { lines, heading, links = [] } of pages) {
    const annotations = links.map((link) => {
      objects.push(`<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (${link}) >> >>`)
      return `${objects.length} 0 R`
    })
    const start = heading === undefined ? '' : `/F1 24 Tf 0 0 Td (${heading}) Tj 0 -60 Td `
    const text = lines.map((line) => (line === '' ? '0 -30 Td' : `(${line}) Tj 0 -14 Td`)).join(' ')
    objects.push(stream(deflateSync(`BT 72 700 Td ${start}/F1 12 Tf ${text} ET`)))
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${objects.length} 0 R ` +
        `/Resources << /Font << /F1 3 0 R >> >> /Annots [${annotations.join(' ')}] >>`,
    )
    kids.push(objects.length)
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.map((id) => `${id} 0 R`).join(' ')}] /Count ${kids.length} >>`
  return pdfFile(objects, `/Info 4 0 R ${trailer}`)
}

export function stream(deflated: Buffer): Buffer {
  const head = `<< /Length ${deflated.length} /Filter /FlateDecode >>\nstream\n`
  return Buffer.concat([Buffer.from(head), deflated, Buffer.from('\nendstream')])
}

/** The first object is the catalogue. */
export function pdfFile(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')]
  const offsets: number[] = []
  let length = parts[0]!.length
  for (const [index, object] of objects.entries()) {
    const bytes = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')])
    offsets.push(length)
    length += bytes.length
    parts.push(bytes)
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`
  parts.push(
    Buffer.from(
      `${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer}>>\nstartxref\n${length}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

export function zipOf(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const entries = Object.entries(files).map(([name, content]) => {
    const bytes = typeof content === 'string' ? strToU8(content) : content
    return [name, [bytes, { level: name === 'mimetype' ? 0 : 1 }]] as const
  })
  return Buffer.from(zipSync(Object.fromEntries(entries) as Parameters<typeof zipSync>[0]))
}

const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const relations = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** `content` goes into the body of `word/document.xml`; the first link is `rId1`. */
export function docxOf(content: string, { title = '', links = [] as string[], more = {} } = {}): Buffer {
  const targets = links.map(
    (link, at) => `<Relationship Id="rId${at + 1}" Type="${office}/hyperlink" Target="${link}" TargetMode="External"/>`,
  )
  return zipOf({
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
      '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels': `<Relationships ${relations}><Relationship Id="r1" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/_rels/document.xml.rels': `<Relationships ${relations}>${targets.join('')}</Relationships>`,
    'word/styles.xml': `<w:styles ${word}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    'word/document.xml': `<w:document ${word} xmlns:r="${office}"><w:body>${content}</w:body></w:document>`,
    'docProps/core.xml': `<cp:coreProperties xmlns:cp="c" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></cp:coreProperties>`,
    ...more,
  })
}

export const wordParagraph = (text: string, style = ''): string =>
  `<w:p>${style === '' ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`

const odfNames = 'xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:xlink="x" xmlns:meta="m" xmlns:dc="d"'

export function odtOf(content: string, { title = '', manifest = '<manifest/>' } = {}): Buffer {
  return zipOf({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'META-INF/manifest.xml': manifest,
    'meta.xml': `<office:document-meta ${odfNames}><office:meta><dc:title>${title}</dc:title></office:meta></office:document-meta>`,
    'content.xml': `<office:document-content ${odfNames}><office:automatic-styles/><office:body><office:text>${content}</office:text></office:body></office:document-content>`,
  })
}

export function epubOf(
  chapters: Readonly<Record<string, string>>,
  { title = '', order = Object.keys(chapters), more = {} } = {},
): Buffer {
  const items = Object.keys(chapters).map(
    (id) => `<item id="${id}" href="text/${id}.xhtml" media-type="application/xhtml+xml"/>`,
  )
  const pages = Object.entries(chapters).map(([id, content]) => [
    `OEBPS/text/${id}.xhtml`,
    `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>${id}</title><style>p{}</style></head><body>${content}</body></html>`,
  ])
  return zipOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'OEBPS/book.opf': `<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>${title}</dc:title></metadata><manifest>${items.join('')}</manifest><spine>${order.map((id) => `<itemref idref="${id}"/>`).join('')}</spine></package>`,
    ...Object.fromEntries(pages),
    ...more,
  })
}
