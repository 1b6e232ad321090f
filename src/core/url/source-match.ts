import { domainToASCII } from 'node:url'
import { hostKey, hostNameOf } from './partition.ts'
import { parse, withoutFragment } from './url.ts'

/**
 * The documents that a rule applies to: a host (`example.org`, all its ports; `example.org:8080`, only that one), a domain and its
 * subdomains (`.example.org`), a URL prefix (`https://example.org/news/`), or `*` for all. Null if the text is none of these. The URLs
 * passed in are serialised http(s) URLs.
 */
export type SourceMatch = (url: string) => boolean

export function createSourceMatch(text: string): SourceMatch | null {
  if (text === '*') return () => true
  if (text.includes('://')) return matchBeginning(text)
  const isDomain = text.startsWith('.')
  const name = (isDomain ? text.slice(1) : text).toLowerCase()
  // The parser normalises addresses and non-ASCII names to the form they have in URLs; a path or a space means an invalid entry.
  const url = name === '' || /[\s/?#@\\*]/.test(name) ? null : parse(`http://${name}/`)
  if (url === null) return null
  const host = hostKey(url.href)
  if (!isDomain) return url.port === '' ? (asked) => hostNameOf(hostKey(asked)) === host : matchHost(host)
  if (url.port !== '' || domainToASCII(name) === '') return null
  return (asked) => isWithin(host, hostNameOf(hostKey(asked)))
}

function matchHost(host: string): SourceMatch {
  return (asked) => hostKey(asked) === host
}

function matchBeginning(text: string): SourceMatch | null {
  const url = parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  const beginning = withoutFragment(url.href)
  return (asked) => asked.startsWith(beginning)
}

function isWithin(domain: string, host: string): boolean {
  return host === domain || (host.endsWith(domain) && host.charCodeAt(host.length - domain.length - 1) === 0x2e)
}
