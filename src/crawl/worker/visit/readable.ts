import type { MediaReader, MediaText } from '../../../archive/media/media-reader.ts'

/** Reads documents that aren't text, such as PDF. */
export type DocumentReader = Pick<MediaReader, 'converts' | 'read' | 'readLinks'>

type Readable = { body: Buffer; contentType: string | undefined; url: string }

/** Returns the document itself, or the page it can be converted to. If only links are wanted, the page may have no text. */
export async function readable<T extends Readable>(
  document: T,
  media: DocumentReader,
  wanted: 'text' | 'links' = 'text',
): Promise<T> {
  const text = wanted === 'text' ? await media.read(document) : await media.readLinks(document)
  return text.kind === 'converted' ? { ...document, body: text.body, contentType: text.contentType } : document
}

/** Logs documents that can't be read. */
export function createLoggedReader(
  { converts, read, readLinks }: DocumentReader,
  log: (level: 'debug', message: string, fields: Record<string, unknown>) => void,
): DocumentReader {
  const logged = (url: string, text: MediaText): MediaText => {
    if (text.kind === 'failed')
      log('debug', 'a document has no text', { url, reason: text.reason, message: text.message })
    return text
  }
  return {
    converts,
    read: async (document) => logged(document.url, await read(document)),
    readLinks: async (document) => logged(document.url, await readLinks(document)),
  }
}
