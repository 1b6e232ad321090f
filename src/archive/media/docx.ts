import { zipSync } from 'fflate'
import mammoth from 'mammoth'
import { type Converter, Unreadable } from './converter.ts'
import { cutHtml, htmlPage, plainText } from './page-writer.ts'
import { documentTitle } from './xml-walk.ts'
import { openZip } from './zip-files.ts'

const properties = 'docProps/core.xml'

/** Pictures have no text; the rest of a document is XML. */
const isWanted = (name: string): boolean =>
  /\.(?:xml|rels)$/i.test(name) && !/^(?:customXml|word\/(?:theme|embeddings))\//.test(name)

export const docxToHtml: Converter = async (body, { maxBytes }) => {
  const zip = openZip(body)
  if (!zip.names.has('word/document.xml') && !zip.names.has('_rels/.rels')) throw new Unreadable('damaged')
  const files = zip.take([...zip.names].filter(isWanted))
  // The library unpacks without limits, so it is given files that are already unpacked.
  const plain = zipSync(Object.fromEntries(files), { level: 0 })
  const { value } = await mammoth.convertToHtml(
    { buffer: Buffer.from(plain.buffer, plain.byteOffset, plain.length) },
    {
      convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
      externalFileAccess: false,
      includeEmbeddedStyleMap: false,
    },
  )
  const heading = /<h1>(.*?)<\/h1>/.exec(value)?.[1] ?? ''
  const shown = documentTitle(files.get(properties)) || plainText(heading)
  return { html: htmlPage(shown, cutHtml(value.replace(/<img\b[^>]*>/g, ''), maxBytes)) }
}
