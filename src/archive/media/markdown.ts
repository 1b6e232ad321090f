import { Marked, type Tokens } from 'marked'
import { decodeText, detectCharset } from '../../core/http/charset.ts'
import type { Converter } from './converter.ts'
import { cutHtml, htmlPage, plainText } from './page-writer.ts'

/** Tags that are shown as text instead of taking effect in the page. */
const active =
  /<(\/?(?:script|style|base|meta|link|title|html|head|body|frameset|frame|iframe|object|embed|template|plaintext|xmp|listing|textarea|noscript|noembed|noframes|svg|math|select)\b)/gi

const inert = (html: string): string => html.replace(active, '&lt;$1')

const marked = new Marked({ gfm: true, renderer: { html: ({ text }: Tokens.HTML | Tokens.Tag) => inert(text) } })

export const markdownToHtml: Converter = async (body, { contentType, maxBytes }) => {
  const { text, title } = withoutFrontMatter(decodeText(body, detectCharset({ bytes: body, contentType }).charset))
  const tokens = marked.lexer(text)
  const heading = tokens.find((token): token is Tokens.Heading => token.type === 'heading')
  const shown = title || (heading === undefined ? '' : plainText(marked.parser([heading])))
  return { html: htmlPage(shown, cutHtml(marked.parser(tokens), maxBytes)) }
}

/** Removes front matter, the metadata that site generators keep before the text. */
function withoutFrontMatter(text: string): { text: string; title: string } {
  const found = /^\ufeff?---[ \t]*\r?\n([\s\S]{0,20000}?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  if (found === null) return { text, title: '' }
  const title = /^title:[ \t]*(["']?)(.*)\1[ \t]*$/m.exec(found[1]!)?.[2] ?? ''
  return { text: text.slice(found[0].length), title }
}
