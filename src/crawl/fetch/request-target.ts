import { withoutFragment } from '../../core/url/url.ts'
import type { ConnectTarget } from './connector.ts'

export type RequestTarget = { origin: string; path: string; connect: ConnectTarget }

type Authority = { origin: string; connect: ConnectTarget }

const maxAuthorities = 4096
/** Paths and queries that the URL parser would leave unchanged, except for dot segments. */
const plain = /^[\w\-~/?=&%+:@!$()*,;.]+$/

/**
 * Splits URLs into the server to connect to and the path to request; null if not http or https. The URL parser decides,
 * but is skipped for ordinary paths of known hosts: those are most of a crawl, and parsing was the largest part of the
 * fetcher's own work.
 */
export function createTargetReader(): (url: string) => RequestTarget | null {
  const authorities = new Map<string, Authority>()

  function parse(text: string): RequestTarget | null {
    const url = URL.parse(text)
    if (url === null) return null
    const secure = url.protocol === 'https:'
    if (!secure && url.protocol !== 'http:') return null
    const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
    const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
    // Sliced out, not assembled from its parts, which don't distinguish `/a?` from `/a`.
    const whole = withoutFragment(url.href)
    return { origin: url.origin, path: whole.slice(whole.indexOf('/', 8)), connect: { host, port, secure } }
  }

  return (url) => {
    const slash = url.indexOf('/', 8)
    if (slash === -1) return parse(url)
    const front = url.slice(0, slash)
    const known = authorities.get(front)
    if (known !== undefined) {
      const path = url.slice(slash)
      if (isPlain(path)) return { origin: known.origin, path, connect: known.connect }
    }
    const target = parse(url)
    if (target !== null && known === undefined && isWholeAuthority(front)) {
      if (authorities.size >= maxAuthorities) authorities.clear()
      authorities.set(front, { origin: target.origin, connect: target.connect })
    }
    return target
  }
}

function isPlain(path: string): boolean {
  return plain.test(path) && !path.includes('/.') && !path.includes('/%2')
}

/** Only `http://host:port` before the first slash: nothing that could change where the host ends. */
function isWholeAuthority(front: string): boolean {
  return /^https?:\/\/[a-z0-9\-.:[\]]+$/.test(front)
}
