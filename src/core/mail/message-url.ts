/**
 * Messages and their attachments as URLs, below the URL of their mailbox:
 *
 *     imap://example.org/INBOX/;MID=a%40example.org            by Message-ID
 *     imap://example.org/INBOX/;SHA256=9f86d0…                 by a digest of the header, if it has none
 *     pop3://example.org/;UIDL=0001                            by the id assigned by a POP3 server
 *     imap://example.org/INBOX/;MID=a%40example.org/;SECTION=2 its second attachment
 */
export type MessageKey = { kind: (typeof kinds)[number]; value: string }

export type MessageUrl = {
  /** The URL of the mailbox. */
  list: string
  key: MessageKey | null
  /** Number of an attachment, from 1; null for the message. */
  section: number | null
}

const kinds = ['MID', 'SHA256', 'UIDL'] as const
const form = /^(.*?)\/;(MID|SHA256|UIDL)=([^/]+)(?:\/;SECTION=([1-9]\d{0,3}))?$/
const hostAlone = /^[a-z][a-z0-9+.-]*:\/\/[^/]*$/

export function messageUrl(list: string, { kind, value }: MessageKey): string {
  return `${list}${list.endsWith('/') ? '' : '/'};${kind}=${encoded(value)}`
}

export const sectionUrl = (message: string, section: number): string => `${message}/;SECTION=${section}`

export function splitMessageUrl(url: string): MessageUrl {
  const found = form.exec(url)
  if (found === null) return { list: url, key: null, section: null }
  const [, before = '', kind, value = '', section] = found
  return {
    list: hostAlone.test(before) ? `${before}/` : before,
    key: { kind: kind as MessageKey['kind'], value: decoded(value) },
    section: section === undefined ? null : Number(section),
  }
}

/** Exactly one spelling for each text. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Returned unchanged if it can't be decoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
