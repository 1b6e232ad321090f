import { getDocumentProxy } from 'unpdf'
import { type Converter, Unreadable } from './converter.ts'
import { createPageWriter, linkStart, type PageWriter } from './page-writer.ts'
import { createEncodings } from './pdf-encodings.ts'

const maxPages = 3000

type Document = Awaited<ReturnType<typeof getDocumentProxy>>
type Page = Awaited<ReturnType<Document['getPage']>>

export const pdfToHtml: Converter = async (body, { maxBytes }) => {
  const document = await open(body)
  try {
    const writer = createPageWriter(maxBytes)
    const count = Math.min(document.numPages, maxPages)
    let missing = 0
    for (let n = 1; n <= count && !writer.isFull(); n++) {
      const page = await document.getPage(n).catch(() => null)
      if (page === null) {
        missing++
        continue
      }
      writeText(await linesOf(page), writer)
      // Their position on the page is unknown: they are followed, but not shown.
      for (const link of await linksOf(page)) writer.html(`${link}</a>`)
      page.cleanup()
    }
    if (missing > 0 && missing === count) throw new Unreadable('damaged', 'none of its pages can be read')
    if (missing > 0) writer.block('p', 'Pages that are damaged or missing are left out.')
    if (document.numPages > maxPages)
      writer.block('p', `Pages after page ${maxPages.toLocaleString('en')} are left out.`)
    return { html: writer.page(await titleOf(document)) }
  } finally {
    await document.loadingTask.destroy()
  }
}

async function open(body: Buffer): Promise<Document> {
  try {
    // The library takes ownership of the memory, so it gets a copy.
    return await getDocumentProxy(new Uint8Array(body), {
      ...{ verbosity: 0, useSystemFonts: false, disableFontFace: true, isEvalSupported: false, useWasm: false },
      ...{ stopAtErrors: false, enableXfa: false, isOffscreenCanvasSupported: false, maxImageSize: 1 },
      ...{ BinaryDataFactory: createEncodings(), cMapPacked: false },
    })
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException'
    throw new Unreadable(isLocked ? 'encrypted' : 'damaged', error instanceof Error ? error.message : String(error))
  }
}

async function titleOf(document: Document): Promise<string> {
  const { info } = await document.getMetadata()
  const { Title: title } = info as { Title?: unknown }
  return typeof title === 'string' ? title : ''
}

async function linksOf(page: Page): Promise<Set<string>> {
  const links = new Set<string>()
  for (const { subtype, url } of await page.getAnnotations()) {
    const start = subtype === 'Link' && typeof url === 'string' ? linkStart(url) : ''
    if (start !== '') links.add(start)
  }
  return links
}

type Line = { text: string; y: number; size: number }

/** Lines in drawing order, which is nearly always reading order. */
async function linesOf(page: Page): Promise<Line[]> {
  const { items } = await page.getTextContent({ includeMarkedContent: false })
  const lines: Line[] = []
  let text = ''
  let y = 0
  let size = 0
  for (const item of items) {
    if (!('str' in item)) continue
    if (text === '') {
      y = item.transform[5]
      size = Math.hypot(item.transform[2], item.transform[3])
    }
    text += item.str
    if (!item.hasEOL) continue
    if (text.trim() !== '') lines.push({ text: text.trim(), y, size })
    text = ''
  }
  if (text.trim() !== '') lines.push({ text: text.trim(), y, size })
  return lines
}

/** Close lines of one font size form a paragraph; large ones are a heading. */
function writeText(lines: readonly Line[], writer: PageWriter): void {
  const usual = usualSize(lines)
  let paragraph = ''
  let before: Line | null = null
  const end = (): void => {
    if (before !== null) writer.block(before.size > usual * 1.25 && paragraph.length < 300 ? 'h2' : 'p', paragraph)
    paragraph = ''
  }
  for (const line of lines) {
    const gap = before === null ? 0 : Math.abs(before.y - line.y)
    const isApart =
      before !== null && (gap > 1.6 * Math.max(before.size, line.size) || Math.abs(before.size - line.size) > 0.5)
    if (isApart) end()
    // A word hyphenated at the end of a line.
    const isDivided = /\p{L}[-\u00ad\u2010]$/u.test(paragraph) && /^\p{Ll}/u.test(line.text)
    paragraph = isDivided
      ? paragraph.slice(0, -1) + line.text
      : paragraph === ''
        ? line.text
        : `${paragraph} ${line.text}`
    before = line
  }
  end()
}

/** The font size of most letters. */
function usualSize(lines: readonly Line[]): number {
  const letters = new Map<number, number>()
  for (const { text, size } of lines) {
    const rounded = Math.round(size)
    letters.set(rounded, (letters.get(rounded) ?? 0) + text.length)
  }
  return [...letters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0
}
