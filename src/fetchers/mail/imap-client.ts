import type { FetchMessageObject, FetchQueryObject, ImapFlow, MailboxObject, SearchObject } from 'imapflow'
import { AppError } from '../../core/errors.ts'
import { withinLimit } from '../../core/work/race.ts'
import type { Place } from '../../crawl/fetch/protocol.ts'
import { abortFailure, connectionFailure } from './mail-failure.ts'
import { credentialsOf, type MailOptions, mayBePlain, tlsOptions } from './mail-options.ts'
import type { MailTarget } from './mail-url.ts'

/** A signed-in connection. All its failures are AppErrors. */
export type ImapClient = {
  readonly address: string
  /** For its events and capabilities. */
  readonly flow: ImapFlow
  /** Opens it read-only: nothing is marked as read. */
  openMailbox(): Promise<MailboxObject>
  search(query: SearchObject): Promise<number[]>
  /** In the server's order; at most one message per uid. */
  fetch(uids: readonly number[], query: FetchQueryObject): Promise<FetchMessageObject[]>
  /** Runs any other command. */
  run<T>(task: (flow: ImapFlow) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const megabyte = 1024 * 1024
/** All ids of a mailbox are sent in one line. */
const maxLineBytes = 16 * megabyte
const minLiteralBytes = 4 * megabyte
const minFetchBytes = 32 * megabyte
/** Limit for messages that a server sends unasked. */
const maxUnasked = 100
const goodbyeMs = 1000
/** Response codes of servers that can't answer now, for example whether the password is right. */
const forNow = new Set(['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'CONTACTADMIN', 'ALERT'])

export async function connectImap(place: Place, target: MailTarget, options: MailOptions): Promise<ImapClient> {
  const { host, port, isSecure, mailbox } = target
  const { limits, signal } = place
  const { user, password } = credentialsOf(place)
  const address = await place.resolve(host)
  const isPlainAllowed = mayBePlain(address, options)
  const { ImapFlow } = await import('imapflow')
  const maxLiteralBytes = Math.max(limits.maxBodyBytes, minLiteralBytes) + 1
  const maxFetchBytes = Math.max(minFetchBytes, 2 * maxLiteralBytes)
  const { servername, ...tls } = tlsOptions(host, options)
  const flow = new ImapFlow({
    host: address,
    port,
    secure: isSecure,
    ...(servername === undefined ? {} : { servername }),
    // Undefined: TLS if offered. True: TLS required.
    doSTARTTLS: isSecure || isPlainAllowed ? undefined : true,
    auth: { user, pass: password },
    tls,
    logger: false,
    clientInfo: { name: 'eRACE', version: false, vendor: false, 'support-url': false },
    disableAutoIdle: true,
    disableCompression: true,
    disableBinary: true,
    maxLockHoldTime: false,
    connectionTimeout: limits.connectTimeoutMs,
    greetingTimeout: limits.connectTimeoutMs,
    socketTimeout: limits.stallTimeoutMs,
    maxIdleTime: 9 * 60_000,
    maxLineLength: maxLineBytes,
    maxLiteralSize: maxLiteralBytes,
    maxResponseSize: maxLiteralBytes + maxLineBytes,
  })
  let lost: unknown
  flow.on('error', (error: unknown) => {
    lost ??= error
  })
  const abort = (): void => flow.close()
  signal.addEventListener('abort', abort)

  async function run<T>(task: (flow: ImapFlow) => Promise<T>): Promise<T> {
    if (signal.aborted) throw abortFailure(host)
    try {
      return await task(flow)
    } catch (error) {
      if (signal.aborted) throw abortFailure(host)
      // A failed command only says that the connection is gone; the error of the connection says why.
      throw error instanceof AppError ? error : imapFailure(isConnectionGone(error) ? (lost ?? error) : error, host)
    }
  }

  async function close(): Promise<void> {
    signal.removeEventListener('abort', abort)
    if (flow.usable)
      await withinLimit(
        flow.logout().catch(() => {}),
        goodbyeMs,
        () => {},
      )
    flow.close()
  }

  try {
    await run(() => flow.connect())
  } catch (error) {
    await close()
    throw error
  }
  return {
    address,
    flow,
    run,
    close,
    openMailbox: () =>
      run(async () => {
        try {
          return await flow.mailboxOpen(mailbox, { readOnly: true })
        } catch (error) {
          if (statusOf(error) !== 'NO' || forNow.has(fieldOf(error, 'serverResponseCode'))) throw error
          throw new AppError('not-found', `There is no mailbox "${mailbox}" on ${host}, or it is closed to this user.`)
        }
      }),
    search: (query) =>
      run(async () => {
        const found = await flow.search(query, { uid: true })
        if (!Array.isArray(found))
          throw lost ?? new AppError('protocol-failed', `${host} could not search the mailbox.`)
        return found.sort((a, b) => a - b)
      }),
    fetch: (uids, query) =>
      run(async () => {
        const wanted = new Set(uids)
        const found: FetchMessageObject[] = []
        let unasked = 0
        let bytes = 0
        if (uids.length === 0) return found
        for await (const message of flow.fetch([...uids], { uid: true, ...query }, { uid: true })) {
          bytes += (message.source?.length ?? 0) + (message.headers?.length ?? 0)
          if (wanted.delete(message.uid)) found.push(message)
          else unasked++
          if (unasked > maxUnasked || bytes > maxFetchBytes) {
            flow.close()
            throw new AppError('protocol-failed', `${host} sends more than was asked for.`)
          }
        }
        return found
      }),
  }
}

function imapFailure(error: unknown, host: string): AppError {
  const isSignIn = fieldOf(error, 'authenticationFailed') === 'true' && statusOf(error) === 'NO'
  if (isSignIn && forNow.has(fieldOf(error, 'serverResponseCode')))
    return new AppError('connect-failed', `${host} takes no sign-in at the moment.`)
  if (isSignIn) return new AppError('sign-in-failed', `${host} refused the user name or the password.`)
  if (fieldOf(error, 'tlsFailed') === 'true' && fieldOf(error, 'code') === '')
    return new AppError('tls-failed', `${host} offers no secure connection, and passwords are not sent without one.`)
  return connectionFailure(error, host)
}

const isConnectionGone = (error: unknown): boolean => fieldOf(error, 'code') === 'NoConnection'
const statusOf = (error: unknown): string => fieldOf(error, 'responseStatus')

function fieldOf(error: unknown, name: string): string {
  return error instanceof Error && Object.hasOwn(error, name) ? String((error as never)[name]) : ''
}
