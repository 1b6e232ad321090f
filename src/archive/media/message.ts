import { escapeHtml } from '../../core/html/escape.ts'
import { type MailMessage, parseMessage } from '../../core/mail/message.ts'
import { encoded, messageUrl, sectionUrl, splitMessageUrl } from '../../core/mail/message-url.ts'
import { harmlessMarkup } from './harmless-markup.ts'

/** Longer texts are truncated. */
const maxCharacters = 2_000_000

/**
 * A mail or news message as a page: its subject, text and header fields, links to its attachments and to the messages it refers to.
 * Nothing in it runs, loads or is sent.
 */
export async function messageToHtml(
  body: Buffer,
  { url, maxBytes }: { url: string; contentType: string; maxBytes: number },
): Promise<{ html: string }> {
  const message = await parseMessage(body.subarray(0, maxBytes))
  const title = message.subject || 'Message without a subject'
  const parts = [
    `<!doctype html><html><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body><article>`,
    // The text comes first, as notices show the beginning next to the subject.
    textOf(message),
    fieldsOf(message),
    attachmentsOf(message, url),
    threadOf(message, url),
    isCut(message) || body.length > maxBytes ? '<p>Some of this message was left out: it is too large.</p>' : '',
    '</article></body></html>',
  ]
  return { html: parts.join('\n') }
}

function fieldsOf({ from, to, cc, date, list }: MailMessage): string {
  const fields = [
    ['From', from],
    ['To', to],
    ['Cc', cc],
    ['Date', date],
    ['List', list],
  ].filter(([, value]) => value !== '')
  if (fields.length === 0) return ''
  const rows = fields.map(([name, value]) => `<tr><th>${name}</th><td>${escapeHtml(value!)}</td></tr>`)
  return `<table>${rows.join('')}</table>`
}

const isCut = ({ isCut, html, text }: MailMessage): boolean =>
  isCut || Math.max(html.length, text.length) > maxCharacters

function textOf({ html, text }: MailMessage): string {
  const fromHtml = html === '' ? null : harmlessMarkup(html.slice(0, maxCharacters))
  // Some programs send an HTML part without any text next to the plain text.
  if (fromHtml !== null && (fromHtml.hasText || text.trim() === '')) return `<div>${fromHtml.html}</div>`
  return `<div>${paragraphs(text.slice(0, maxCharacters))}</div>`
}

function paragraphs(text: string): string {
  const all = text
    .trimEnd()
    .replace(/\r\n?/g, '\n')
    .split(/\n(?:[ \t]*\n)+/)
    .filter((each) => each.trim() !== '')
  return all.map((each) => `<p>${each.split('\n').map(withLinks).join('<br>\n')}</p>`).join('\n')
}

const address = /https?:\/\/[^\s<>"'`]{1,2000}/g

function withLinks(line: string): string {
  let html = ''
  let from = 0
  for (const found of line.matchAll(address)) {
    const link = withoutEnd(found[0])
    html += `${escapeHtml(line.slice(from, found.index))}<a href="${escapeHtml(link)}">${escapeHtml(link)}</a>`
    from = found.index + link.length
  }
  return html + escapeHtml(line.slice(from))
}

/** Punctuation and closing brackets at the end are not part of an address. */
function withoutEnd(text: string): string {
  const ends = text.includes('(') ? '.,;:!?' : '.,;:!?)'
  let end = text.length
  while (ends.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

function attachmentsOf({ attachments }: MailMessage, url: string): string {
  if (attachments.length === 0) return ''
  const { key, section: within } = splitMessageUrl(url)
  // Attachments of a message that is itself an attachment are not documents.
  const isOfMailbox = key !== null && within === null
  const entries = attachments.map(({ name, type, section }) => {
    const label = escapeHtml(name)
    const shown = isOfMailbox ? `<a href="${escapeHtml(sectionUrl(url, section))}">${label}</a>` : label
    return `<li>${shown} (${escapeHtml(type)})</li>`
  })
  return `<h2>Attachments</h2><ul>${entries.join('')}</ul>`
}

function threadOf({ id, references }: MailMessage, url: string): string {
  if (references.length === 0) return ''
  const entries = references.map((reference) => {
    const link = `<a href="${escapeHtml(besides(url, id, reference))}">${escapeHtml(reference)}</a>`
    return `<li>${link}</li>`
  })
  return `<h2>In reply to</h2><ul>${entries.join('')}</ul>`
}

/** URL of another message in the same mailbox or newsgroup, if the message URLs end with their ids. */
function besides(url: string, id: string | null, other: string): string {
  const { list, key } = splitMessageUrl(url)
  if (key?.kind === 'MID') return messageUrl(list, { kind: 'MID', value: other })
  for (const spelt of [encoded, encodeURIComponent]) {
    const own = id === null ? '' : spelt(id.toWellFormed())
    if (own !== '' && url.endsWith(own)) return url.slice(0, -own.length) + spelt(other.toWellFormed())
  }
  return `mid:${encoded(other)}`
}
