import type { AppError } from '../../core/errors.ts'
import { hostUrlOf, originText, wrongUrl } from './host-url.ts'
import { decodeSegment, encodeName } from './path-bytes.ts'

const ports: ReadonlyMap<string, number> = new Map([['gopher', 70]])

export type GopherUrl = {
  host: string
  port: number
  /** One character: `1` for a menu, `0` for a text (RFC 1436, 3.8). */
  type: string
  /** The request line without its line break; a search ends with a tab and its words. */
  selector: Buffer
}

/** Types that can't be read: phone books, terminal sessions, redundant servers. */
const unreadable: ReadonlySet<string> = new Set(['2', '8', 'T', '+', 'i', '3'])

/**
 * Ports of other services that act on a line from anyone: a menu must not make us send them one. Below 1024, only port 70 is allowed;
 * these are the refused ones above, including those that the Fetch standard blocks.
 */
const refusedPorts: ReadonlySet<number> = new Set([
  ...[
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  ],
  ...[3306, 5432, 6379, 9200, 11211, 27017],
])

/** Throws `url-invalid`. */
export function gopherUrlOf(url: string): GopherUrl {
  const wrong = wrongUrl('Gopher')
  const { host, port, path } = hostUrlOf(url, ports)
  if ((port < 1024 && port !== 70) || refusedPorts.has(port)) throw wrong(`port ${port} is not used for Gopher`)
  const [, type = '1', rest = ''] = /^\/([^/?#]?)([^#]*)/.exec(path) ?? []
  return checked({ host, port, type: type || '1', selector: selectorIn(rest, wrong) }, wrong)
}

export function gopherUrlText({ host, port, type, selector }: GopherUrl): string {
  const origin = originText({ scheme: 'gopher', host, port, path: '' }, ports)
  if (type === '1' && selector.length === 0) return `${origin}/`
  const names = selector.toString('latin1').split('/')
  return `${origin}/${type}${names.map((name) => encodeName(Buffer.from(name, 'latin1'))).join('/')}`
}

function selectorIn(text: string, wrong: (what: string) => AppError): Buffer {
  const names = text.split('/').map(decodeSegment)
  const known = names.filter((name) => name !== undefined)
  if (known.length < names.length) throw wrong('write % as %25')
  return Buffer.from(known.map((name) => name.toString('latin1')).join('/'), 'latin1')
}

function checked(url: GopherUrl, wrong: (what: string) => AppError): GopherUrl {
  const { type, selector } = url
  if (!/^[0-9a-z;:<+]$/i.test(type)) throw wrong('its type is unknown')
  if (unreadable.has(type)) throw wrong('nothing can be read from there')
  const text = selector.toString('latin1')
  const [words, ...searches] = text.split('\t')
  if (/\p{Cc}/u.test((words + searches.join('')).replace(/[\x80-\x9f]/g, '')))
    throw wrong('its selector has control characters')
  if (searches.length > (type === '7' ? 1 : 0)) throw wrong('its selector has tabs')
  if (text.length > 2000) throw wrong('its selector is too long')
  // URL parsers would resolve them, and another document would be requested.
  if (`${type}${text}`.split('/').some((name) => name === '.' || name === '..'))
    throw wrong('. and .. are not allowed in it')
  return url
}
