import type { MediaReader, MediaText } from '../../../archive/media/media-reader.ts'

/** What documents that are no text, such as PDF, are read by. */
export type DocumentReader = Pick<MediaReader, 'converts' | 'read' | 'readLinks'>

type Readable = { body: Buffer; contentType: string | undefined; url: string }

/** What is read of a document: itself, or the page that it can be turned into. Of links alone, the page may have no text. */
export async function readable<T extends Readable>(
  document: T,
  media: DocumentReader,
  wanted: 'text' | 'links' = 'text',
): Promise<T> {
  const text = wanted === 'text' ? await media.read(document) : await media.readLinks(document)
  return text.kind === 'converted' ? { ...document, body: text.body, contentType: text.contentType } : document
}

/** Says in the log which documents can't be read. */
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
