import { unicodeHost } from './punycode.ts'

/** Where a link of a saved page leads. Addresses are untrusted: only the kinds distinguished here are opened or shown as links. */
export type Destination =
  | {
      kind: 'site'
      /** As requested, in ASCII: no look-alike letters, no right-to-left text. */
      href: string
      host: string
      /** The host name in Unicode; null if it is plain ASCII. */
      unicode: string | null
      hasUser: boolean
      isPlain: boolean
    }
  | { kind: 'mail'; address: string }
  | { kind: 'none' }

const MAX_ADDRESS = 8192 * 3

/** `hash`: the fragment, including the `#`. */
export function destinationOf(hash: string): Destination {
  const url = hash.length > MAX_ADDRESS ? null : URL.parse(decoded(hash.slice(1)))
  if (url?.protocol === 'mailto:') return { kind: 'mail', address: url.pathname }
  if (url === null || !/^https?:$/.test(url.protocol)) return { kind: 'none' }
  const { href, host, hostname, username, password, protocol } = url
  const hasUser = username !== '' || password !== ''
  return { kind: 'site', href, host, unicode: unicodeHost(hostname), hasUser, isPlain: protocol === 'http:' }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
