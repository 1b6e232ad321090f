import { hash } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import { type MailMessage, parseMessage } from '../../core/mail/message.ts'
import { type MessageKey, messageUrl, sectionUrl, splitMessageUrl } from '../../core/mail/message-url.ts'
import type { Item, ItemBody, Part } from '../../crawl/fetch/protocol.ts'

const maxParts = 20
/** Messages never change. */
const validator = 'message'

/** The Message-ID, which is permanent and the same on every server; without one, a digest of the header. */
export function keyOfHeader(message: MailMessage, header: Buffer): MessageKey {
  return message.id === null ? digestKey(header) : { kind: 'MID', value: message.id }
}

export const digestKey = (header: Buffer): MessageKey => ({
  kind: 'SHA256',
  value: hash('sha256', header.toString('latin1').replace(/\s+/g, ' ').trim()).slice(0, 40),
})

export function messageItem(list: string, key: MessageKey, subject: string): Item {
  return { url: messageUrl(list, key), name: subject.slice(0, 300) || 'Message without a subject', validator }
}

/** The body of an item: the message itself, or one of its attachments. */
export async function bodyOf(item: Item, source: Buffer, maxBodyBytes: number): Promise<ItemBody> {
  const { list, key, section } = splitMessageUrl(item.url)
  const url = messageUrl(list, key!)
  const isCut = source.length > maxBodyBytes
  const body = isCut ? source.subarray(0, maxBodyBytes) : source
  const message = await parseMessage(body)
  const parts = partsOf(message, url, isCut)
  if (section === null) return { type: 'message/rfc822', body, isCut, title: message.subject, parts }
  const part = parts.find((each) => each.url === sectionUrl(url, section))
  if (part === undefined) throw new AppError('not-found', `The message has no attachment ${section}.`)
  return part.body
}

function partsOf({ attachments }: MailMessage, url: string, isCut: boolean): Part[] {
  return attachments.slice(0, maxParts).map(({ section, name, type, body }, index) => ({
    url: sectionUrl(url, section),
    name,
    validator,
    role: 'linked',
    // If the message is truncated, so is its last part.
    body: { type, body, isCut: isCut && index === attachments.length - 1, title: name },
  }))
}
