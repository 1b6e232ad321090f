import { hash } from 'node:crypto'
import { connect } from 'node:net'
import { AppError } from '../../core/errors.ts'
import { connectFailure } from '../../crawl/fetch/failure.ts'
import type { Item, ItemBody, Place, Protocol } from '../../crawl/fetch/protocol.ts'
import { menuPage, readMenu } from './gopher-menu.ts'
import { type GopherUrl, gopherUrlOf, gopherUrlText } from './gopher-url.ts'
import { bareHost } from './host-url.ts'
import { mediaTypeOf } from './media-type.ts'
import { nameText } from './path-bytes.ts'
import { endOf } from './visit-end.ts'

/**
 * `gopher:` URLs (RFC 1436, RFC 4266). A menu is a readable page with links and becomes one in HTML. Servers have no metadata, so each
 * look fetches the whole document, with its digest as the validator.
 */
export function createGopherProtocol(): Protocol {
  return {
    schemes: ['gopher'],
    can: { revalidate: false, push: false, depth: true, credentials: 'none' },
    normalise: (url) => gopherUrlText(gopherUrlOf(url)),
    async open(place) {
      const url = gopherUrlOf(place.url)
      if (place.signal.aborted) throw endOf(place.signal)
      const address = await place.resolve(bareHost(url.host))
      const read = async (url: GopherUrl): Promise<ItemBody> => {
        const { body, isCut } = await request(url, address, place)
        return documentOf(url, body, { isCut, maxBytes: place.limits.maxBodyBytes })
      }
      return {
        address,
        async look() {
          const body = await read(url)
          const item: Item = { url: gopherUrlText(url), name: nameOf(url), validator: hash('sha256', body.body), body }
          return { kind: 'item', item }
        },
        read: () => read(url),
        close: async () => {},
      }
    },
    close: async () => {},
  }
}

/** Everything that the server sends for a selector, up to the limit. */
function request(
  { port, selector }: GopherUrl,
  address: string,
  { signal, limits }: Place,
): Promise<{ body: Buffer; isCut: boolean }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ body: Buffer; isCut: boolean }>()
  if (signal.aborted) throw endOf(signal)
  const chunks: Buffer[] = []
  let length = 0
  const socket = connect({ host: address, port })
  const fail = (error: AppError): void => {
    reject(error)
    socket.destroy()
  }
  const stop = (): void => fail(endOf(signal))
  signal.addEventListener('abort', stop, { once: true })
  const timer = setTimeout(
    () => fail(new AppError('connect-timeout', 'the connection timed out')),
    limits.connectTimeoutMs,
  )
  socket.on('connect', () => {
    clearTimeout(timer)
    socket.setTimeout(limits.stallTimeoutMs, () => fail(new AppError('body-timeout', 'the server stopped sending')))
    socket.write(Buffer.concat([selector, Buffer.from('\r\n')]))
  })
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    length += chunk.length
    if (length <= limits.maxBodyBytes) return
    resolve({ body: Buffer.concat(chunks).subarray(0, limits.maxBodyBytes), isCut: true })
    socket.destroy()
  })
  socket.on('end', () => resolve({ body: Buffer.concat(chunks), isCut: false }))
  socket.on('error', (error) => fail(connectFailure(error, false)))
  socket.on('close', () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  })
  return promise
}

const menuTypes: ReadonlySet<string> = new Set(['1', '7'])
const textTypes: ReadonlySet<string> = new Set(['0', '4', '6', 'c'])

const mediaTypes: ReadonlyMap<string, string> = new Map([
  ['h', 'text/html'],
  ['x', 'application/xml'],
  ['g', 'image/gif'],
  ['p', 'image/png'],
  ['M', 'message/rfc822'],
])

type Cut = { isCut: boolean; maxBytes: number }

function documentOf(url: GopherUrl, body: Buffer, { isCut, maxBytes }: Cut): ItemBody {
  refuseErrors(body)
  const { type } = url
  if (menuTypes.has(type)) {
    const menu = readMenu(isCut ? body.subarray(0, body.lastIndexOf('\n') + 1) : body)
    const page = Buffer.from(menuPage(menu, nameOf(url)))
    return {
      type: 'text/html; charset=utf-8',
      body: page.subarray(0, maxBytes),
      isCut: isCut || page.length > maxBytes,
    }
  }
  const content = textTypes.has(type) && !isCut ? withoutEnd(body) : body
  const known = textTypes.has(type) ? 'text/plain' : mediaTypes.get(type)
  return { type: known ?? mediaTypeOf(nameOf(url), content), body: content, isCut }
}

/** The protocol has no status codes: servers report an error as an entry of type 3 for any request, and some as plain text. */
function refuseErrors(body: Buffer): void {
  const start = body.subarray(0, 1000).toString('latin1')
  if (
    /^3[^\t\r\n]*\t[^\t\r\n]*\t[^\t\r\n]*\t\d/.test(start) ||
    /^Error: (?:File or directory not found|Access denied)!/.test(start)
  )
    throw new AppError('not-found', 'the server says that there is no such document')
}

/** Removes the final dot of a text and undoubles dots at line starts. A text without the final dot has no doubled ones either. */
function withoutEnd(body: Buffer): Buffer {
  const text = body.toString('latin1')
  const end = /(?:^|\n)\.\r?\n?$/.exec(text)
  if (end === null) return body
  const kept = text.slice(0, end.index + (end[0].startsWith('\n') ? 1 : 0))
  return Buffer.from(kept.replace(/^\.\./gm, '.'), 'latin1')
}

function nameOf({ host, selector }: GopherUrl): string {
  const name = nameText(selector)
    .replace(/\uFFFD.*/, '')
    .replace(/\/+$/, '')
  return name.slice(name.lastIndexOf('/') + 1) || host
}
