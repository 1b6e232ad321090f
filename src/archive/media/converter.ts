/** Turns a document into a simple page: title, headings, paragraphs, items, rows of tables, links. Throws `Unreadable`, or whatever its library throws. */
export type Converter = (body: Buffer, options: ConverterOptions) => Promise<{ html: string }>

export type ConverterOptions = {
  url: string
  contentType: string
  /** Of the page; what lies beyond is left out. */
  maxBytes: number
}

/** A page with the title and the links of a document, of at most so many bytes; null where only its converter can tell. */
export type LinkReader = (body: Buffer, maxBytes: number) => string | null

/** Why a document that should have a text has none. */
export type MediaFailure = 'too-large' | 'too-long' | 'too-deep' | 'damaged' | 'encrypted' | 'too-busy'

export class Unreadable extends Error {
  readonly reason: MediaFailure

  constructor(reason: MediaFailure, message: string = reason) {
    super(message)
    this.name = 'Unreadable'
    this.reason = reason
  }
}

/** In words for those who want to read the document. */
export const failureWords: Readonly<Record<MediaFailure, string>> = {
  'too-large': 'it is too large',
  'too-long': 'reading it takes too long',
  'too-deep': 'it is nested too deeply',
  damaged: 'it is damaged, or not what its type says',
  encrypted: 'it is encrypted',
  'too-busy': 'too many documents are being read right now',
}
