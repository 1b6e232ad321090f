import { AppError } from '../../core/errors.ts'

/** A newsgroup, or an article in it. */
export type NewsPlace = {
  isSecure: boolean
  host: string
  port: number
  /** The URL of the group, without an article. */
  url: string
  group: string
  /** With its brackets; null for the whole group. */
  article: string | null
}

const schemes = new Map([
  ['nntp', 'nntp'],
  ['news', 'nntp'],
  ['nntps', 'nntps'],
  ['snews', 'nntps'],
])
const ports = new Map([
  ['nntp', 119],
  ['nntps', 563],
])
const maxGroupBytes = 400
/** Characters that names can't contain, since they have a meaning in patterns (RFC 3977, 4.1). */
const notInNames = /[\s\p{Cc}*?[\]\\!,/]/u
const maxIdCharacters = 248

const refused = (why: string): AppError => new AppError('url-invalid', why)

/** `nntp://host/group`, and `nntp://host/group/message-id` of an article in it. */
export function parseNewsUrl(url: string): NewsPlace {
  if (/[\p{Cc}]/u.test(url)) throw refused('The address has control characters')
  const [, given = '', rest = ''] = /^([a-z]+):(.*)$/is.exec(url.trim()) ?? []
  const scheme = schemes.get(given.toLowerCase())
  if (scheme === undefined) throw refused('That isn’t the address of a newsgroup (nntp or nntps)')
  if (!/^\/\/[^/]/.test(rest)) throw refused('A newsgroup needs its server: nntp://news.example.org/group.name')
  // The URL parser normalises only the hosts of web URLs.
  const web = URL.parse(`http:${rest}`)
  const own = URL.parse(`${scheme}:${rest}`)
  if (web === null || own === null || web.hostname === '') throw refused('The address has no valid host')
  if (own.username !== '' || own.password !== '') throw refused('Credentials don’t belong into the address')
  if (own.search !== '') throw refused('The address of a newsgroup has no “?”')
  const standardPort = ports.get(scheme)!
  const port = own.port === '' ? standardPort : Number(own.port)
  if (port === 0) throw refused('The address has no valid port')
  const [group = '', article, ...more] = own.pathname.replace(/^\//, '').replace(/\/$/, '').split('/').map(decode)
  if (group === '') throw refused('The address names no group: nntp://news.example.org/group.name')
  if (group.includes('@')) throw refused('An article needs its group: nntp://news.example.org/group.name/message-id')
  if (notInNames.test(group) || Buffer.byteLength(group) > maxGroupBytes)
    throw refused('That isn’t the name of a newsgroup')
  if (more.length > 0) throw refused('Behind the group there is one message id at most')
  const place = {
    isSecure: scheme === 'nntps',
    host: web.hostname,
    port,
    url: `${scheme}://${web.hostname}${port === standardPort ? '' : `:${port}`}/${encodeURIComponent(group)}`,
    group,
  }
  if (article === undefined) return { ...place, article: null }
  if (/^\d+$/.test(article)) throw refused('Numbers of articles change; use the message id')
  const id = article.replace(/^<(.*)>$/, '$1')
  if (!isId(id)) throw refused('That isn’t a message id')
  return { ...place, article: `<${id}>` }
}

/** The URL of an article in a group; null if its id can't be used in a URL. */
export function articleUrl(groupUrl: string, id: string): string | null {
  const bare = id.slice(1, -1)
  return isId(bare) ? `${groupUrl}/${encodeURIComponent(bare)}` : null
}

/** `id` has one character per byte. */
function isId(id: string): boolean {
  return (
    id.length > 0 &&
    id.length <= maxIdCharacters &&
    /^[^\s<>\p{Cc}\u0100-\uffff]+$/u.test(id) &&
    !/^(?:\.+|\d+)$/.test(id)
  )
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw refused('The address has a “%” that isn’t part of a code')
  }
}
