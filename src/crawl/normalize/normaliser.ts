import { withoutFragment } from '../../core/url/url.ts'
import { createHostResolver, type HostRules, hasHostRules, noHostRules } from './host-rules.ts'
import { normalisePercentEncoding } from './percent-encoding.ts'
import { createQueryRules, endOfPlainTail, queryOptions } from './query-parameters.ts'

/**
 * Every link has two forms. `url` is fetched: as the WHATWG standard serialises it, without fragment and credentials.
 * `key` is compared: two URLs with the same key are treated as one document. As in LARM the key may be normalised more
 * aggressively than the URL, since a wrong key costs a page, but a wrong URL causes a wrong request. The key is itself
 * a URL in ASCII, and is its own key as long as there are no host rules.
 *
 * Most links are plain: the key is the same string, unless regular expressions find a reason why it isn't.
 */
export type NormaliserOptions = {
  maxUrlLength?: number
  /** Parameter names left out of the key; `utm_*` matches all names with that prefix. */
  trackingParameters?: readonly string[]
  dropSessionIds?: boolean
  sortParameters?: boolean
  /** LARM's lower-case paths: right for case-insensitive servers, wrong for all others. */
  lowercasePaths?: boolean
  /** `//` in a path counts as `/`, unless this is false. */
  collapseSlashes?: boolean
  /** LARM's removal of `index.*` and `default.*`: saves a few pages, and is wrong on some sites. */
  dropIndexNames?: boolean
  hostRules?: HostRules
}

export type Normalised =
  | { kind: 'ok'; url: string; key: string }
  | { kind: 'rejected'; reason: 'scheme' | 'length' | 'invalid' }

export type Normaliser = (url: string) => Normalised

export const defaultMaxUrlLength = 2048

const byScheme: Normalised = { kind: 'rejected', reason: 'scheme' }
const byLength: Normalised = { kind: 'rejected', reason: 'length' }
const invalid: Normalised = { kind: 'rejected', reason: 'invalid' }

/** A domain in its final spelling, up to its path. Addresses, ports and punycode are left to the parser. */
const plainAuthority = /^https?:\/\/(?:(?!xn--)[a-z0-9_-]+\.)*(?!xn--)[a-z][a-z0-9_-]*(?=\/)/
/** Anything in path or query that the parser might spell differently, or drop. */
const unserialised = /[^A-Za-z0-9\-._~!$&()*+,=:@/%;?[\]|]|\/\.{1,2}(?:[/?]|$)|%2[eE]/g
const otherScheme = /^(?!https?:)[a-z][a-z0-9+.-]{0,40}:/i
const sessionInPath = /(?<!\/\.{1,2});jsessionid=[^/;]*/gi
const indexName = /\/(?:index|default)\.[a-z0-9]{1,8}$/i
/** Capital letters of a path; percent-encoded octets are matched as a whole, and stay. */
const capitals = /%[0-9A-F]{2}|[A-Z]+/g

export function createNormaliser(options: NormaliserOptions = {}): Normaliser {
  const maxUrlLength = options.maxUrlLength ?? defaultMaxUrlLength
  const dropSessionIds = options.dropSessionIds ?? true
  const lowercasePaths = options.lowercasePaths ?? false
  const collapseSlashes = options.collapseSlashes ?? true
  const dropIndexNames = options.dropIndexNames ?? false
  const hostRules = options.hostRules ?? noHostRules
  const changeHost = hasHostRules(hostRules) ? createHostResolver(hostRules) : null
  const query = createQueryRules(queryOptions(options))
  // The last authority that proved to be spelt as the parser spells it, and its counterpart in keys. Links of a page
  // mostly share it, so most are only compared with it instead of being parsed.
  let authority = 'none yet'
  let keyAuthority = ''

  /** Whether the URL starts with a proved authority; sets `authority` to it. */
  function startsProved(url: string): boolean {
    if (url.charCodeAt(authority.length) === 0x2f && url.startsWith(authority)) return true
    const match = plainAuthority.exec(url)
    if (match === null) return false
    prove(match[0], changeHost === null ? match[0] : withKeyHost(match[0]))
    return true
  }

  /** Whether path and query are the same in URL and key. */
  function endsPlain(url: string): boolean {
    if (endOfPlainTail(url, authority.length, query) !== url.length) return false
    // Rare options: URLs that they might change take the slow path.
    if (lowercasePaths && /[A-Z]/.test(url)) return false
    return !dropIndexNames || (!url.includes('?') && !indexName.test(url))
  }

  function endsSerialised(url: string): boolean {
    unserialised.lastIndex = authority.length
    return !unserialised.test(url)
  }

  function prove(spelling: string, inKeys: string): void {
    authority = spelling
    keyAuthority = inKeys
  }

  function withKeyHost(plain: string): string {
    const hostStart = plain.indexOf('/') + 2
    return plain.slice(0, hostStart) + keyHost(plain.slice(hostStart))
  }

  function keyOf(url: string): string {
    const question = url.indexOf('?', authority.length)
    const path = keyPath(question === -1 ? url.slice(authority.length) : url.slice(authority.length, question))
    const key = keyAuthority + path + (question === -1 ? '' : query.normalise(url.slice(question)))
    return key === url ? url : key
  }

  function parseAndNormalise(input: string): Normalised {
    // The hash sign stays: a space before it is part of the URL, a trailing space is not.
    const text = input.slice(0, input.indexOf('#') + 1 || input.length)
    // Other schemes are recognised by name: a data: URL may be megabytes long, and its content doesn't matter.
    if (otherScheme.test(text)) return byScheme
    if (text.length > maxUrlLength) return byLength
    const parsed = URL.parse(text)
    if (parsed === null) return invalid
    if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return byScheme
    if (parsed.username !== '') parsed.username = ''
    if (parsed.password !== '') parsed.password = ''
    const url = withoutFragment(parsed.href)
    if (url.length > maxUrlLength) return byLength
    const port = parsed.port === '' ? '' : `:${parsed.port}`
    prove(url.slice(0, url.indexOf('/', 8)), `${parsed.protocol}//${keyHost(parsed.hostname)}${port}`)
    return { kind: 'ok', url, key: keyOf(url) }
  }

  function keyHost(host: string): string {
    const bare = host.endsWith('.') && host.length > 1 ? host.slice(0, -1) : host
    return changeHost === null ? bare : changeHost(bare)
  }

  function keyPath(path: string): string {
    let result = normalisePercentEncoding(path)
    if (dropSessionIds) result = result.replace(sessionInPath, '')
    if (collapseSlashes) result = result.replace(/\/{2,}/g, '/')
    if (lowercasePaths) result = result.replace(capitals, (part) => (part.startsWith('%') ? part : part.toLowerCase()))
    return dropIndexNames ? result.replace(indexName, '/') : result
  }

  return (url) => {
    if (url.length > maxUrlLength || !startsProved(url)) return parseAndNormalise(url)
    if (endsPlain(url)) {
      return { kind: 'ok', url, key: keyAuthority === authority ? url : keyAuthority + url.slice(authority.length) }
    }
    return endsSerialised(url) ? { kind: 'ok', url, key: keyOf(url) } : parseAndNormalise(url)
  }
}
