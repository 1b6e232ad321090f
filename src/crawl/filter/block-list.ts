import { domainToASCII } from 'node:url'
import { hostKey, hostNameOf } from '../../core/url/partition.ts'
import { parse, withoutFragment } from '../../core/url/url.ts'
import { normalisePercentEncoding } from '../normalize/percent-encoding.ts'
import { readList, refuseFaults } from './list-file.ts'
import { isWithin, rememberHost, type UrlFilter } from './url-filter.ts'

/**
 * Parses the `block` file. Each line is a host (`ads.example.org`, on all ports; `example.org:8080`, on that one), a domain
 * with its subdomains (`.example.org` or `*.example.org`), or a URL prefix (`http://example.org/private/`).
 * How characters of a URL are encoded makes no difference. The filter accepts what is not blocked. A look-up costs one step per label of the host, and for hosts with blocked
 * prefixes one step per distinct prefix length, independent of the size of the list.
 */
export function parseBlockList(text: string): UrlFilter {
  const hosts = new Set<string>()
  const domains = new Set<string>()
  const beginnings = new Map<string, Beginnings>()
  const faults: { line: number; fault: string }[] = []
  for (const { text: entry, line } of readList(text)) {
    const fault = entry.includes('://') ? addBeginning(beginnings, entry) : addHost(hosts, domains, entry)
    if (fault !== null) faults.push({ line, fault })
  }
  refuseFaults('wrong entries in the block list', faults)
  for (const entry of beginnings.values()) entry.lengths = [...new Set(entry.lengths)]
  const verdictOf = rememberHost((host): boolean | Beginnings => {
    const name = hostNameOf(host)
    if (hosts.has(host) || hosts.has(name) || isWithin(domains, name)) return false
    return beginnings.get(host) ?? true
  })
  return {
    name: 'blocked',
    accepts(url) {
      const verdict = verdictOf(url)
      if (typeof verdict === 'boolean') return verdict
      const spelt = normalisePercentEncoding(url)
      return !verdict.lengths.some((length) => length <= spelt.length && verdict.urls.has(spelt.slice(0, length)))
    },
  }
}

type Beginnings = { urls: Set<string>; lengths: number[] }

function addBeginning(beginnings: Map<string, Beginnings>, entry: string): string | null {
  const url = parse(entry)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return `no http URL: ${shown(entry)}`
  const href = withoutFragment(url.href)
  const host = hostKey(href)
  const known = beginnings.get(host) ?? { urls: new Set(), lengths: [] }
  const beginning = normalisePercentEncoding(href)
  known.urls.add(beginning)
  known.lengths.push(beginning.length)
  beginnings.set(host, known)
  return null
}

function addHost(hosts: Set<string>, domains: Set<string>, entry: string): string | null {
  const below = /^\*?\./.exec(entry)
  const text = (below === null ? entry : entry.slice(below[0].length)).toLowerCase()
  // The parser normalises addresses and other scripts as in URLs; a path or a space means a wrong entry.
  const url = /[\s/?@\\]/.test(text) ? null : parse(`http://${text}/`)
  if (url === null || (below !== null && (url.port !== '' || domainToASCII(text) === ''))) {
    return `no host, domain or URL: ${shown(entry)}`
  }
  if (below === null) hosts.add(hostKey(url.href))
  else domains.add(hostNameOf(hostKey(url.href)))
  return null
}

function shown(entry: string): string {
  return JSON.stringify(entry.slice(0, 80))
}
