import { domainToASCII } from 'node:url'

/**
 * The sort-friendly key of a URL, as archive indexes (CDX, CDXJ) use it: `http://www.example.org/A?b&a` is `org,example)/a?a&b`.
 * The rules are those the replay tools share, oddities included: with other keys they would find nothing.
 */
export function surt(url: string): string {
  const text = url.replace(/[\t\r\n]/g, '').trim()
  if (text === '' || /^(?:filedesc|warcinfo)/.test(text)) return asOneWord(text)
  const full = hierarchical.test(text) || opaque.test(text) ? text : `http://${text}`
  const { scheme, host, port, path, query } = splitUrl(full)
  const place =
    host === '' ? `${scheme}:${opaqueKey(path)}` : `${hostKey(host)}${portKey(scheme, port)})${pathKey(path)}`
  const sorted = queryKey(query)
  return sorted === '' ? place : `${place}?${sorted}`
}

const hierarchical = /^[a-z][a-z0-9+.-]*:\/\//i
/** A colon after a host comes before its port. */
const opaque = /^[a-z][a-z0-9+.-]*:(?!\/\/|\d{1,5}(?:[/?#]|$))/i
const defaultPorts: ReadonlyMap<string, string> = new Map(Object.entries({ http: '80', https: '443', ftp: '21' }))

function splitUrl(url: string) {
  const [before] = splitAt(url, '#')
  const [place, query] = splitAt(before, '?')
  if (!hierarchical.test(place)) {
    const [scheme, path] = splitAt(place, ':')
    return { scheme: scheme.toLowerCase(), host: '', port: '', path, query }
  }
  const start = place.indexOf('://') + 3
  const slash = place.indexOf('/', start)
  const authority = place.slice(start, slash < 0 ? place.length : slash)
  const hostPort = authority.slice(authority.lastIndexOf('@') + 1)
  const port = /:(\d*)$/.exec(hostPort)
  return {
    scheme: place.slice(0, start - 3).toLowerCase(),
    host: port === null ? hostPort : hostPort.slice(0, port.index),
    port: port?.[1] ?? '',
    path: slash < 0 ? '/' : place.slice(slash),
    query,
  }
}

function hostKey(host: string): string {
  if (host.startsWith('[')) return host.slice(1).replace(/\]$/, '').toLowerCase()
  const bare = escapeOctets(unescapeFully(domainToASCII(host) || host)).toLowerCase()
  const labels = bare.split('.').filter((label) => label !== '')
  if (labels.length > 1 && /^www\d*$/.test(labels[0]!)) labels.shift()
  return labels.reverse().join(',')
}

function portKey(scheme: string, port: string): string {
  return port === '' || port === defaultPorts.get(scheme) ? '' : `:${port}`
}

/** Without a host, a path is only text. */
function opaqueKey(path: string): string {
  const key = withoutPathSession(escapeOctets(unescapeFully(path)).toLowerCase())
  return key.length > 1 && key.endsWith('/') ? key.slice(0, -1) : key
}

function pathKey(path: string): string {
  const segments: string[] = []
  for (const segment of unescapeFully(path).split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return withoutPathSession(escapeOctets(`/${segments.join('/')}`).toLowerCase())
}

function queryKey(query: string): string {
  const escaped = escapeOctets(unescapeFully(query)).toLowerCase()
  const parameters = querySessions.reduce((text, session) => text.replace(session, '$1$2'), escaped).split('&')
  // By name, then by value: the end of a name comes before all of its characters.
  return parameters
    .map((each) => each.replace('=', '\0'))
    .sort()
    .map((each) => each.replace('\0', '='))
    .join('&')
}

/** The last one of each kind is removed, with the separator after it. */
const querySessions = [
  /^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$/,
  /^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$/,
  /^(.*)sid=[0-9a-z]{32}(?:&(.*))?$/,
  /^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$/,
  /^(.*)cfid=[^&]{1,100}&cftoken=[^&]{1,100}(?:&(.*))?$/,
]

function withoutPathSession(path: string): string {
  const session = /\/\((?:[0-9a-z]{24}|(?:[a-z]\([0-9a-z]{24}\)){1,20})\)(?=\/)/.exec(path)
  if (session === null || !path.includes('.aspx', session.index)) return path
  return path.slice(0, session.index) + path.slice(session.index + session[0].length)
}

/** Decodes repeatedly, in one pass: a decoded `%` may start a triplet with what follows. */
function unescapeFully(text: string): string {
  if (!text.includes('%')) return octetsOf(text)
  const octets: number[] = []
  for (const octet of Buffer.from(text, 'utf8')) {
    octets.push(octet)
    for (let length = octets.length; length >= 3 && octets[length - 3] === 0x25; length = octets.length) {
      const pair = String.fromCharCode(octets[length - 2]!, octets[length - 1]!)
      if (!/^[0-9a-f]{2}$/i.test(pair)) break
      octets.length = length - 3
      octets.push(Number.parseInt(pair, 16))
    }
  }
  return Buffer.from(octets).toString('latin1')
}

function escapeOctets(octets: string): string {
  return octets.replace(/[^\x21-\x7e]|[#%]/g, (each) => `%${each.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** A space would end the key in the index. */
function asOneWord(text: string): string {
  return /[^\x21-\x7e]/.test(text) ? octetsOf(text).replace(/[^\x21-\x7e]/g, escapeOctets) : text
}

function octetsOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
