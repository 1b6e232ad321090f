import { Parser } from 'htmlparser2'
import { escapeHtml } from '../../core/html/escape.ts'
import { maxDepth, parseBounded } from '../../core/text/page-tree.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const kept = words(`a abbr address article aside b blockquote br caption center cite code dd del dfn div dl dt em
  figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main mark ol p pre q s samp section small span strong
  sub sup table tbody td tfoot th thead time tr tt u ul var wbr`)
const voids = words('br hr wbr')
/** Left out with their content. */
const swallowed =
  words(`script style template title noembed noframes iframe object embed applet svg math video audio select
  textarea button datalist`)

/**
 * The text of foreign HTML with only its structure and links: no scripts, styles, forms, frames or pictures, which may report that they
 * were viewed. A picture is replaced by its alternative text.
 */
export function harmlessMarkup(source: string): { html: string; hasText: boolean } {
  const parts: string[] = []
  const open: { written: string | null; isHidden: boolean }[] = []
  let hidden = 0
  let hasText = false

  function text(content: string): void {
    parts.push(escapeHtml(content))
    hasText ||= /\S/.test(content)
  }

  const parser = new Parser({
    onopentag(name, attributes) {
      const isHidden = swallowed.has(name) || isUnseen(attributes)
      if (isHidden) hidden++
      const isWritten = hidden === 0 && kept.has(name)
      if (isWritten) parts.push(`<${name}${name === 'a' ? linkOf(attributes.href) : ''}>`)
      else if (hidden === 0 && name === 'img' && attributes.alt !== undefined) text(attributes.alt)
      open.push({ written: isWritten && !voids.has(name) ? name : null, isHidden })
    },
    onclosetag() {
      const element = open.pop()
      if (element === undefined) return
      if (element.isHidden) hidden--
      if (element.written !== null) parts.push(`</${element.written}>`)
    },
    ontext(content) {
      if (hidden === 0) text(content)
    },
  })
  // Too deeply nested content is cut, and open elements are closed.
  if (!parseBounded(parser, source, () => open.length > maxDepth))
    for (const { written } of open.reverse()) if (written !== null) parts.push(`</${written}>`)
  return { html: parts.join(''), hasText }
}

/** Newsletters hide a preview line for the message lists of mail programs. */
function isUnseen({ hidden, style }: Record<string, string>): boolean {
  return hidden !== undefined || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style ?? '')
}

function linkOf(href: string | undefined): string {
  const link = href?.trim() ?? ''
  return /^(?:https?:\/\/|mailto:)/i.test(link) && link.length <= 4000 ? ` href="${escapeHtml(link)}"` : ''
}
