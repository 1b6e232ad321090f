import type { Converter, LinkReader } from './converter.ts'
import type { MediaKind } from './media-type.ts'

/** The converter of each kind. Their libraries are large, and loaded on first use. */
export const converters: Readonly<Record<MediaKind, () => Promise<Converter>>> = {
  pdf: async () => (await import('./pdf.ts')).pdfToHtml,
  docx: async () => (await import('./docx.ts')).docxToHtml,
  odt: async () => (await import('./odt.ts')).odtToHtml,
  epub: async () => (await import('./epub.ts')).epubToHtml,
  markdown: async () => (await import('./markdown.ts')).markdownToHtml,
  csv: async () => (await import('./csv.ts')).csvToHtml,
  message: async () => (await import('./message.ts')).messageToHtml,
}

/** For kinds whose links can be found with far less work than their text. */
export const linkReaders: Readonly<Partial<Record<MediaKind, () => Promise<LinkReader>>>> = {
  pdf: async () => (await import('./pdf-links.ts')).pdfLinks,
}
