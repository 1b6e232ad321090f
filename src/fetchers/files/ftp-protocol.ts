import { Writable } from 'node:stream'
import { AppError } from '../../core/errors.ts'
import type { Found, Item, ItemBody, Place, Protocol, Session } from '../../crawl/fetch/protocol.ts'
import { connectFtp, type FtpConnection, type FtpOptions } from './ftp-client.ts'
import { ftpError } from './ftp-errors.ts'
import { findFile, listCurrent } from './ftp-listing.ts'
import { type FtpUrl, ftpUrlOf, ftpUrlText } from './ftp-url.ts'
import { mediaTypeOf } from './media-type.ts'
import { nameText } from './path-bytes.ts'
import { endOf } from './visit-end.ts'

/** `ftp:` and `ftps:` URLs, in passive mode only. Folders are lists. */
export function createFtpProtocol(options: FtpOptions = {}): Protocol {
  return {
    schemes: ['ftp', 'ftps'],
    can: { revalidate: true, push: false, depth: true, credentials: 'optional' },
    normalise: (url) => ftpUrlText(ftpUrlOf(url)),
    open: (place) => openSession(place, options),
    close: async () => {},
  }
}

async function openSession(place: Place, options: FtpOptions): Promise<Session> {
  const url = ftpUrlOf(place.url)
  const { signal, limits } = place
  let connection = await connectFtp(url, place, options)
  let isOver = false
  const stop = (): void => connection.client.close()
  signal.addEventListener('abort', stop, { once: true })

  /** Reconnects if necessary: the connection closes when a body was truncated, or when the server's idle timeout expires. */
  async function connected(): Promise<FtpConnection> {
    if (isOver) throw new AppError('connect-failed', 'the session is closed')
    if (connection.client.closed) connection = await connectFtp(url, place, options)
    return connection
  }

  async function work<T>(doing: string, use: (connection: FtpConnection) => Promise<T>): Promise<T> {
    if (signal.aborted) throw endOf(signal)
    try {
      return await use(await connected())
    } catch (error) {
      if (signal.aborted) throw endOf(signal)
      throw ftpError(error, doing)
    }
  }

  return {
    address: connection.address,
    look: () => work('listing', (connection) => look(connection, url, limits.maxItems)),
    read: (item) => work('reading a file', (connection) => readItem(connection, item, limits.maxBodyBytes)),
    async close() {
      isOver = true
      signal.removeEventListener('abort', stop)
      connection.client.close()
    },
  }
}

async function look(connection: FtpConnection, url: FtpUrl, maxItems: number): Promise<Found> {
  const path = pathOn(connection, url)
  const file = url.isFolder ? undefined : await findFile(connection, url, path)
  if (file?.isSure) return { kind: 'item', item: file.item }
  const command = `CWD ${path}`
  if (file === undefined) await connection.client.send(command)
  // If it isn't a folder, reading it will tell whether it is there.
  else if ((await connection.client.sendIgnoringError(command)).code >= 400) return { kind: 'item', item: file.item }
  return listCurrent(connection, { ...url, isFolder: true }, maxItems)
}

async function readItem(connection: FtpConnection, item: Item, maxBytes: number): Promise<ItemBody> {
  const url = ftpUrlOf(item.url)
  const target = createCutter(maxBytes)
  try {
    await connection.client.downloadTo(target.stream, pathOn(connection, url))
  } catch (error) {
    if (!target.isCut()) throw error
  }
  const body = target.body()
  return { type: mediaTypeOf(nameText(url.names.at(-1) ?? Buffer.of()), body), body, isCut: target.isCut() }
}

function pathOn({ home }: FtpConnection, { names, isAbsolute }: FtpUrl): string {
  return `${isAbsolute ? '' : home}/${names.map((name) => name.toString('latin1')).join('/')}`
}

/** Collects up to `maxBytes` and fails on the first byte beyond, which ends the transfer. */
function createCutter(maxBytes: number) {
  const chunks: Buffer[] = []
  let length = 0
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      length += chunk.length
      chunks.push(chunk)
      done(length > maxBytes ? new Error('cut') : null)
    },
  })
  return { stream, isCut: () => length > maxBytes, body: () => Buffer.concat(chunks).subarray(0, maxBytes) }
}
