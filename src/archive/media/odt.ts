import { escapeHtml } from '../../core/html/escape.ts'
import { type Converter, Unreadable } from './converter.ts'
import { type BlockTag, createPageWriter, linkStart, type PageWriter } from './page-writer.ts'
import { documentTitle, walkXml } from './xml-walk.ts'
import { openZip } from './zip-files.ts'

export const odtToHtml: Converter = async (body, { maxBytes }) => {
  const files = openZip(body).take(['content.xml', 'meta.xml', 'META-INF/manifest.xml'])
  if (files.get('META-INF/manifest.xml')?.includes('encryption-data')) throw new Unreadable('encrypted')
  const content = files.get('content.xml')
  if (content === undefined) throw new Unreadable('damaged')
  const writer = createPageWriter(maxBytes)
  const heading = writeContent(content.toString('utf8'), writer)
  return { html: writer.page(documentTitle(files.get('meta.xml')) || heading) }
}

/** What was deleted and is kept for the author, comments, and numbers that the program wrote. */
const hidden = new Set([
  'text:tracked-changes',
  'office:annotation',
  'office:forms',
  'text:sequence-decls',
  'svg:title',
  'svg:desc',
])

/** Writes the blocks of a text, and returns its first heading. */
function writeContent(xml: string, writer: PageWriter): string {
  let hiddenDepth = 0
  let inBody = false
  let listDepth = 0
  /** What is written of the paragraph at hand; null between paragraphs. Notes have paragraphs inside of paragraphs. */
  let inline: string | null = null
  let paragraphs = 0
  let tag: BlockTag = 'p'
  let plain = ''
  let heading = ''
  let row: string[] | null = null
  let cell: string | null = null
  let isLinked = false

  function end(): void {
    if (inline === null) return
    if (cell !== null) cell += `${cell === '' ? '' : ' '}${plain}`
    else if (plain.trim() !== '') writer.html(`<${tag}>${inline}${isLinked ? '</a>' : ''}</${tag}>\n`)
    if (heading === '' && tag !== 'p' && tag !== 'li') heading = plain
    inline = null
    plain = ''
    isLinked = false
  }

  function add(text: string): void {
    if (inline === null || hiddenDepth > 0) return
    inline += escapeHtml(text)
    plain += text
  }

  walkXml(xml, {
    open(name, attributes) {
      if (hiddenDepth > 0 || hidden.has(name)) hiddenDepth++
      if (name === 'office:body') inBody = true
      if (hiddenDepth > 0 || !inBody || writer.isFull()) return
      if (name === 'text:h' || name === 'text:p') {
        if (++paragraphs > 1) return add(' ')
        const level = Math.min(6, Math.max(1, Number.parseInt(attributes['text:outline-level'] ?? '1', 10) || 1))
        tag = name === 'text:h' ? (`h${level}` as BlockTag) : listDepth > 0 ? 'li' : 'p'
        inline = ''
      } else if (name === 'text:s')
        add(' '.repeat(Math.min(100, Number.parseInt(attributes['text:c'] ?? '1', 10) || 1)))
      else if (name === 'text:tab' || name === 'text:line-break') add(' ')
      else if (name === 'text:list') listDepth++
      else if (name === 'text:a') {
        if (inline === null || isLinked) return
        const start = linkStart(attributes['xlink:href'] ?? '')
        isLinked = start !== ''
        inline += start
      } else if (name === 'table:table-row') row = []
      else if (name === 'table:table-cell') cell = ''
      else if (name === 'table:table') writer.html('<table>\n')
    },
    text(piece) {
      add(piece)
    },
    close(name) {
      if (hiddenDepth > 0) {
        hiddenDepth--
        return
      }
      if (name === 'text:h' || name === 'text:p') {
        if (--paragraphs === 0) end()
        paragraphs = Math.max(0, paragraphs)
      } else if (name === 'text:list') listDepth--
      else if (name === 'text:a') {
        if (isLinked && inline !== null) inline += '</a>'
        isLinked = false
      } else if (name === 'table:table-cell') {
        row?.push(cell ?? '')
        cell = null
      } else if (name === 'table:table-row') {
        if (row?.some((text) => text.trim() !== '')) writer.row(row)
        row = null
      } else if (name === 'table:table') writer.html('</table>\n')
    },
  })
  return heading
}
