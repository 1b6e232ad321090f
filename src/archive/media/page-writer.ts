import { escapeHtml } from '../../core/html/escape.ts'

/** Writes the simple page that a document is converted to, up to a maximum size. */
export type PageWriter = {
  /** An element with only text; nothing for an empty text. */
  block(tag: BlockTag, text: string): void
  row(cells: readonly string[]): void
  /** A piece of HTML, written completely or not at all. */
  html(html: string): void
  /** Whether more would be left out. */
  isFull(): boolean
  page(title: string): string
}

export type BlockTag = 'h1' | 'h2' | 'h3' | 'h4' | 'h5' | 'h6' | 'p' | 'li' | 'pre'

export function createPageWriter(maxBytes: number): PageWriter {
  const pieces: string[] = []
  let left = maxBytes
  let isFull = false

  function html(piece: string): void {
    const bytes = Buffer.byteLength(piece)
    isFull ||= bytes > left
    if (isFull) return
    left -= bytes
    pieces.push(piece)
  }

  return {
    html,
    block(tag, text) {
      const shown = text.trim()
      if (shown !== '') html(`<${tag}>${escapeHtml(shown)}</${tag}>\n`)
    },
    row(cells) {
      html(`<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>\n`)
    },
    isFull: () => isFull,
    page: (title) => htmlPage(title, pieces.join('')),
  }
}

export function htmlPage(title: string, body: string): string {
  const shown = title.replace(/\s+/g, ' ').trim().slice(0, 1000).toWellFormed()
  const head = shown === '' ? '' : `<title>${escapeHtml(shown)}</title>\n`
  return `<!doctype html>\n<meta charset="utf-8">\n${head}${body}`
}

/** The text of a short piece of HTML, with entities as `escapeHtml` and the libraries write them. */
export function plainText(html: string): string {
  const text = html.replace(/<[^>]*>/g, '')
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => references.get(name)!)
}

const references: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#39', "'"],
  ['amp', '&'],
])

/** Start tag of a link; '' if the address stays within the document. */
export function linkStart(address: string): string {
  return /^(?:https?|ftp|mailto):/i.test(address) ? `<a href="${escapeHtml(address)}">` : ''
}

/** HTML of at most `maxBytes`, cut after a tag. */
export function cutHtml(html: string, maxBytes: number): string {
  if (Buffer.byteLength(html) <= maxBytes) return html
  const start = Buffer.from(html).subarray(0, maxBytes).toString('utf8')
  return start.slice(0, start.lastIndexOf('>') + 1)
}
