import { unicodeHost } from './punycode.ts'

/** Where a link of a saved page leads. Anyone can write such an address: nothing but what is told apart here is opened or shown as a link. */
export type Destination =
  | {
      kind: 'site'
      /** As it is requested, in ASCII: nothing in it is drawn as another letter, or from right to left. */
      href: string
      host: string
      /** The host name in its own letters, where those are not plain. */
      unicode: string | null
      hasUser: boolean
      isPlain: boolean
    }
  | { kind: 'mail'; address: string }
  | { kind: 'none' }

const MAX_ADDRESS = 8192 * 3

/** `hash`: what is behind the `#`, with it. */
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
