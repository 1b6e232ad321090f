import { isIP } from 'node:net'
import type { TLSSocketOptions } from 'node:tls'
import type { Client, FTPResponse } from 'basic-ftp'
import { AppError, isAppError } from '../../core/errors.ts'
import type { Place, Secret } from '../../crawl/fetch/protocol.ts'
import { ftpError } from './ftp-errors.ts'
import type { FtpUrl } from './ftp-url.ts'
import { bareHost } from './host-url.ts'
import { endOf } from './visit-end.ts'

export type FtpOptions = {
  /** CA certificates to verify the server with, as PEM; by default the system's. */
  ca?: string
}

/** A signed-in connection and some capabilities of its server. */
export type FtpConnection = {
  client: Client
  address: string
  /** The user's initial folder, without a trailing slash; '' for the root. */
  home: string
  canTellTimes: boolean
}

/** Listings of the largest folders worth reading have a few megabytes. */
const maxListingBytes = 16_000_000

/**
 * Connects and signs in, as `anonymous` without credentials. `ftps:` uses implicit TLS, or explicit TLS if the port is 21 or the server
 * greets in plain text; the certificate is verified. `ftp:` with credentials upgrades to TLS if offered, so that they aren't sent in
 * plain text without need; since it promises nothing, any certificate is accepted.
 *
 * Paths and listings are treated as latin1, one character per byte, so that names in any encoding survive unchanged.
 */
export async function connectFtp(url: FtpUrl, place: Place, options: FtpOptions): Promise<FtpConnection> {
  const address = await place.resolve(bareHost(url.host))
  if (url.scheme === 'ftp') return attempt(place, (client) => connectPlain(client, { url, place, address }))
  const tls = tlsOptions(url, address, options)
  const explicit = () => attempt(place, (client) => connectExplicit(client, { url, place, address }, tls))
  if (url.port === 21) return explicit()
  try {
    return await attempt(place, (client) => connectImplicit(client, { url, place, address }, tls))
  } catch (error) {
    // The server sent a plain-text greeting.
    if (isAppError(error, 'tls-failed') && /WRONG_VERSION|PACKET_LENGTH|EPROTO/.test(error.message)) return explicit()
    throw error
  }
}

type Target = { url: FtpUrl; place: Place; address: string }

async function attempt(place: Place, connect: (client: Client) => Promise<FtpConnection>): Promise<FtpConnection> {
  const { Client } = await import('basic-ftp')
  const { signal, limits } = place
  if (signal.aborted) throw endOf(signal)
  const client = new Client(limits.stallTimeoutMs, { allowSeparateTransferHost: false, maxListingBytes })
  client.ftp.encoding = 'latin1'
  const stop = (): void => client.close()
  signal.addEventListener('abort', stop, { once: true })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    client.close()
  }, limits.connectTimeoutMs)
  try {
    return await connect(client)
  } catch (error) {
    client.close()
    if (signal.aborted) throw endOf(signal)
    if (isLate) throw new AppError('connect-timeout', 'the server took too long to let us in')
    throw ftpError(error, 'connecting')
  } finally {
    signal.removeEventListener('abort', stop)
    clearTimeout(timer)
  }
}

async function connectPlain(client: Client, target: Target): Promise<FtpConnection> {
  await client.connect(target.address, target.url.port)
  const offered = target.place.secret === null ? [] : await mechanismsOf(client)
  if (offered.length > 0) {
    const tls = { ...tlsOptions(target.url, target.address, {}), rejectUnauthorized: false }
    const hasOthersOnly = offered.every((each) => each !== '' && !/TLS|SSL/i.test(each))
    await client.useTLS(tls).catch((error: unknown) => {
      if (!isRefusal(error)) throw error
      if (hasOthersOnly && isUnknownCommand(error)) return
      throw new AppError('tls-failed', 'the server offers TLS and refuses it')
    })
  }
  return signIn(client, target)
}

async function connectExplicit(client: Client, target: Target, tls: TlsOptions): Promise<FtpConnection> {
  await client.connect(target.address, target.url.port)
  try {
    await client.useTLS({ ...tls })
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new AppError('tls-failed', 'the server offers no TLS')
  }
  return signIn(client, target)
}

async function connectImplicit(client: Client, target: Target, tls: TlsOptions): Promise<FtpConnection> {
  await client.connectImplicitTLS(target.address, target.url.port, { ...tls })
  return signIn(client, target)
}

async function signIn(client: Client, { place, address }: Target): Promise<FtpConnection> {
  const { user, password } = credentialsOf(place.secret)
  try {
    await client.login(user, password)
  } catch (error) {
    const { code } = error as { code?: unknown }
    // 421: the server is full.
    if (typeof code === 'number' && code !== 421)
      throw new AppError(
        'sign-in-failed',
        `the server refused the ${place.secret === null ? 'anonymous user' : 'credentials'} (${code})`,
      )
    throw error
  }
  const features = await featuresOf(client)
  await client.send('TYPE I')
  await client.sendIgnoringError('OPTS UTF8 ON')
  if (features.has('MLST')) await client.sendIgnoringError('OPTS MLST type;size;modify;unique;')
  client.availableListCommands = [...(features.has('MLST') ? ['MLSD'] : []), 'LIST -a', 'LIST']
  if (client.ftp.hasTLS) {
    await client.sendIgnoringError('PBSZ 0')
    await client.send('PROT P')
  }
  return { client, address, home: homeIn(await client.sendIgnoringError('PWD')), canTellTimes: features.has('MDTM') }
}

/** What each line about `AUTH` names: one or several mechanisms, or nothing. */
async function mechanismsOf(client: Client): Promise<string[]> {
  const { code, message } = await client.sendIgnoringError('FEAT')
  if (code >= 400) return []
  return Array.from(message.matchAll(/^(?:\d{3}-)?[ \t]*AUTH\b(.*)$/gim), ([, named]) => named!.trim())
}

/** Names of features in upper case (RFC 2389: any case is valid). */
async function featuresOf(client: Client): Promise<ReadonlyMap<string, string>> {
  return new Map([...(await client.features())].map(([name, value]) => [name.toUpperCase(), value]))
}

/** Whether the server answered with an error code, rather than that something failed. */
const isRefusal = (error: unknown): boolean => typeof (error as { code?: unknown }).code === 'number'

/** Whether the server doesn't know a command, or not with this parameter. */
const isUnknownCommand = (error: unknown): boolean => [500, 502, 504].includes((error as { code?: number }).code ?? 0)

/** Encoded as UTF-8. Refuses characters that can't be sent in a line. */
function credentialsOf(secret: Secret | null): { user: string; password: string } {
  const { user = 'anonymous', password = secret === null ? 'erace@' : '' } = secret ?? {}
  if (/[\r\n\0]/.test(user + password)) throw new AppError('sign-in-failed', 'the credentials have line breaks')
  return { user: bytesText(user), password: bytesText(password) }
}

const bytesText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** `257 "/home/a ""quoted"" name" is the current directory`; some servers don't quote it. */
function homeIn({ code, message }: FTPResponse): string {
  const [, quoted, bare] = (code === 257 && /"((?:[^"]|"")*)"|^257[ -](\/[^\s"]*)/.exec(message)) || []
  const path = quoted?.replaceAll('""', '"') ?? bare
  return path?.startsWith('/') ? path.replace(/\/+$/, '') : ''
}

type TlsOptions = TLSSocketOptions & { servername?: string; host?: string }

/** `host` is the address to connect to; the certificate must match `servername`. */
function tlsOptions(url: FtpUrl, address: string, { ca }: FtpOptions): TlsOptions {
  return { ...serverName(url), host: address, ...(ca === undefined ? {} : { ca }) }
}

/** Omitted for IP addresses, which aren't names. */
function serverName({ host }: FtpUrl): { servername?: string } {
  return isIP(bareHost(host)) === 0 ? { servername: host } : {}
}
