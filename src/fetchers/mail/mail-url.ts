import { AppError } from '../../core/errors.ts'
import { encoded, type MessageKey, messageUrl, sectionUrl } from '../../core/mail/message-url.ts'

/** A mailbox, a message in it, or an attachment of one. */
export type MailTarget = {
  isSecure: boolean
  /** Without the brackets of IPv6. */
  host: string
  port: number
  /** '' if the server has only one. */
  mailbox: string
  /** The URL of the mailbox. */
  list: string
  key: MessageKey | null
  section: number | null
  /** Canonical form. */
  url: string
}

const ports: ReadonlyMap<string, number> = new Map([
  ['imap', 143],
  ['imaps', 993],
  ['pop3', 110],
  ['pop3s', 995],
])
const maxNameLength = 500

export function parseMailUrl(given: string): MailTarget {
  if (/\p{Cc}/u.test(given)) throw invalid('The address must not contain control characters.')
  const found = /^([a-z0-9]+):\/\/([^/?#]*)([^?#]*)$/i.exec(given.trim())
  if (found === null)
    throw invalid('Enter the mailbox as imap://mail.example.org/INBOX or pop3://mail.example.org/, without ? or #.')
  const [, rawScheme = '', authority = '', path = ''] = found
  const scheme = rawScheme.toLowerCase()
  const usualPort = ports.get(scheme)
  if (usualPort === undefined)
    throw invalid('Not the address of a mailbox: it starts with none of imap, imaps, pop3 and pop3s.')
  if (authority.includes('@'))
    throw invalid('Leave the user name and password out of the address, and enter them as sign-in details.')
  const { host, shownHost, port } = hostOf(authority, usualPort)
  const { names, marks } = segmentsOf(path)
  const { key, section } = keyOf(marks)
  const isImap = scheme.startsWith('imap')
  if (!isImap && names.length > 0) throw invalid('A POP3 server has one mailbox: leave out what follows the host name.')
  const mailbox = isImap ? mailboxOf(names) : ''
  const origin = `${scheme}://${shownHost}${port === usualPort ? '' : `:${port}`}`
  const list = `${origin}/${mailbox.split('/').map(encoded).join('/')}`
  const message = key === null ? list : messageUrl(list, key)
  const url = section === null ? message : sectionUrl(message, section)
  return { isSecure: scheme.endsWith('s'), host, port, mailbox, list, key, section, url }
}

function hostOf(authority: string, usualPort: number): { host: string; shownHost: string; port: number } {
  const [, name = '', portText] = /^(.*?)(?::(\d{0,5}))?$/.exec(authority) ?? []
  const shownHost = /[:%]/.test(name.replace(/^\[[^\]]*\]$/, '')) ? '' : (URL.parse(`http://${name}/`)?.hostname ?? '')
  if (shownHost === '') throw invalid('The name of the mail server is missing or wrong.')
  const port = portText ? Number(portText) : usualPort
  if (port < 1 || port > 65_535) throw invalid(`${port} is not a port number.`)
  return { host: shownHost.replace(/^\[|\]$/g, ''), shownHost, port }
}

/** A semicolon in the name of a mailbox must be percent-encoded. */
function segmentsOf(path: string): { names: string[]; marks: string[] } {
  const all = path.split('/').filter((each) => each !== '')
  const first = all.findIndex((each) => each.startsWith(';'))
  const end = first === -1 ? all.length : first
  return { names: all.slice(0, end).map(nameOf), marks: all.slice(end) }
}

function nameOf(text: string): string {
  let name: string
  try {
    name = decodeURIComponent(text)
  } catch {
    throw invalid('A percent sign in the address must be followed by two hexadecimal digits of UTF-8.')
  }
  if (/\p{Cc}/u.test(name)) throw invalid('The address must not contain control characters.')
  return name
}

function mailboxOf(names: readonly string[]): string {
  const mailbox = names.join('/')
  if (names.some((name) => /^\.\.?$/.test(name))) throw invalid('No part of the name of a mailbox can be . or ..')
  if (mailbox.length > maxNameLength) throw invalid('The name of the mailbox is too long.')
  return mailbox === '' || /^inbox$/i.test(mailbox) ? 'INBOX' : mailbox
}

function keyOf(marks: readonly string[]): Pick<MailTarget, 'key' | 'section'> {
  const [message, part, ...rest] = marks
  if (message === undefined) return { key: null, section: null }
  const key = /^;(MID|SHA256|UIDL)=(.+)$/.exec(message)
  const section = part === undefined ? null : /^;SECTION=([1-9]\d{0,3})$/.exec(part)
  if (key === null || (part !== undefined && section === null) || rest.length > 0)
    throw invalid('After the mailbox only ;MID=…, ;SHA256=… or ;UIDL=… may follow, and ;SECTION=… after it.')
  const value = nameOf(key[2]!)
  if (value.length > maxNameLength) throw invalid('The id of the message is too long.')
  return { key: { kind: key[1] as MessageKey['kind'], value }, section: section === null ? null : Number(section?.[1]) }
}

const invalid = (message: string): AppError => new AppError('url-invalid', message)
