import { domainToASCII } from 'node:url'

/**
 * The sort-friendly key of a URL, as archive indexes (CDX, CDXJ) use it: `http://www.example.org/A?b&a` is `org,example)/a?a&b`.
 * The rules are those the replay tools share, oddities included: with other keys they would find nothing.
 */
export function surt(url: string): string {
  const text = url.replace(/[\t\r\n]/g, '').trim()
  if (text === '' || /^(?:filedesc|warcinfo)/.test(text)) return text
  if (opaque.test(text)) return text.replace(/\/$/, '')
  const full = hierarchical.test(text) ? text : `http://${text}`
  const { scheme, host, port, path, query } = splitUrl(full)
  const key = `${hostKey(host)}${port === '' || port === defaultPorts.get(scheme) ? '' : `:${port}`})${pathKey(path)}`
  const sorted = queryKey(query)
  return sorted === '' ? key : `${key}?${sorted}`
}

const hierarchical = /^[a-z][a-z0-9+.-]*:\/\//i
const opaque = /^(?:dns|urn|mailto|data|javascript|metadata):/i
const defaultPorts: ReadonlyMap<string, string> = new Map(Object.entries({ http: '80', https: '443', ftp: '21' }))

function splitUrl(url: string) {
  const [before] = splitAt(url, '#')
  const [place, query] = splitAt(before, '?')
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
  return bare
    .replace(/^www\d*\./, '')
    .split('.')
    .reverse()
    .join(',')
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
  const bare = querySessions.reduce((text, session) => text.replace(session, ''), query)
  return escapeOctets(unescapeFully(bare)).toLowerCase().split('&').sort().join('&')
}

/** Each is removed with the separator after it. */
const querySessions = [
  /(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}(?:&|$)/i,
  /aspsessionid[a-z]{8}=[a-z]{24}(?:&|$)/i,
  /cfid=[^&]{1,100}&cftoken=[^&]{1,100}(?:&|$)/i,
]

function withoutPathSession(path: string): string {
  const bare = path.replace(/;jsessionid=[0-9a-z]{32}$/, '')
  const session = /\/\((?:[0-9a-z]{24}|(?:[a-z]\([0-9a-z]{24}\)){1,20})\)(?=\/)/.exec(bare)
  if (session === null || !bare.includes('.aspx', session.index)) return bare
  return bare.slice(0, session.index) + bare.slice(session.index + session[0].length)
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

function octetsOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
