/** Converts a document to a simple page: title, headings, paragraphs, items, tables, links. Throws `Unreadable` or its library's errors. */
export type Converter = (body: Buffer, options: ConverterOptions) => Promise<{ html: string }>

export type ConverterOptions = {
  url: string
  contentType: string
  /** Maximum size of the page; the rest is left out. */
  maxBytes: number
}

/** A page with the title and links of a document, of at most `maxBytes`; null if only the converter can read it. */
export type LinkReader = (body: Buffer, maxBytes: number) => string | null

/** Why a document of a convertible type has no text. */
export type MediaFailure = 'too-large' | 'too-long' | 'too-deep' | 'damaged' | 'encrypted' | 'too-busy'

export class Unreadable extends Error {
  readonly reason: MediaFailure

  constructor(reason: MediaFailure, message: string = reason) {
    super(message)
    this.name = 'Unreadable'
    this.reason = reason
  }
}

/** Messages for readers of the document. */
export const failureWords: Readonly<Record<MediaFailure, string>> = {
  'too-large': 'it is too large',
  'too-long': 'reading it takes too long',
  'too-deep': 'it is nested too deeply',
  damaged: 'it is damaged, or not what its type says',
  encrypted: 'it is encrypted',
  'too-busy': 'too many documents are being read right now',
}
