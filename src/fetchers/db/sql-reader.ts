import type { Socket } from 'node:net'
import { AppError, type ErrorCode } from '../../core/errors.ts'
import { connectFailure } from '../../crawl/fetch/failure.ts'
import type { Place } from '../../crawl/fetch/protocol.ts'
import type { Cell } from './rows.ts'

/** The result of a query. */
export type Table = { names: string[]; rows: Cell[][]; isCapped: boolean }

/** An open database. Every failure is an AppError. */
export type SqlReader = {
  readonly address: string
  read(query: string, limits: ReadLimits): Promise<Table>
  /** Never rejects. */
  close(): Promise<void>
}

export type ReadLimits = {
  maxRows: number
  /** Maximum size of all cells together; further rows are left out. */
  maxBytes: number
  /** For the whole query. */
  timeoutMs: number
}

/** Grace period for a server to stop by itself before the connection is closed. */
export const graceMs = 1000
/** Factor that protocol and encoding may add to the size of the cells. */
const overhead = 2
/** Limit before the first query: greeting, certificates and settings of the server. */
const maxSignInBytes = 1024 * 1024
const watchMs = 50

/** Closes the connection when the server takes too long or sends too much, or the visit is over. Drivers have none of these limits. */
export function guardSocket(socket: Socket, { signal, limits }: Pick<Place, 'signal' | 'limits'>) {
  let failure: AppError | null = null
  let deadline = setTimeout(
    () => cut('connect-timeout', `no connection within ${limits.connectTimeoutMs} ms`),
    limits.connectTimeoutMs,
  )
  let maxBytes = maxSignInBytes
  const watch = setInterval(checkBytes, watchMs)

  function checkBytes(): void {
    if (socket.bytesRead > maxBytes)
      cut('query-refused', `the server sent more than ${maxBytes} bytes; choose fewer columns or rows`)
  }

  const cut = (code: ErrorCode, message: string): void => refuse(new AppError(code, message))

  function refuse(error: AppError): void {
    failure ??= error
    socket.destroy(failure)
  }
  const onAbort = (): void => cut('query-timeout', 'the time for the visit was over')
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })

  return {
    /** Why the connection was closed; null if it wasn't. */
    failure: () => failure,
    /** Closes the connection. */
    refuse,
    /** Checks the size now, for responses that arrived between two timer ticks. Throws if it is exceeded. */
    check(): void {
      checkBytes()
      if (failure !== null) throw failure
    },
    /** Switches from the limits for connecting to those for a query. */
    allow(read: Pick<ReadLimits, 'maxBytes' | 'timeoutMs'>): void {
      clearTimeout(deadline)
      deadline = setTimeout(() => cut('query-timeout', tookTooLong(read.timeoutMs)), read.timeoutMs + graceMs)
      maxBytes = socket.bytesRead + overhead * read.maxBytes + limits.maxBodyBytes
    },
    end(): void {
      clearTimeout(deadline)
      clearInterval(watch)
      signal.removeEventListener('abort', onAbort)
    },
  }
}

export const tookTooLong = (timeoutMs: number): string => `the query took longer than ${timeoutMs / 1000} s`

/** Connection failures: refused, reset, not trusted. */
export function lineFailure(error: unknown): AppError {
  if (error instanceof AppError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const isOfTls = /SSL|TLS|CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|HANDSHAKE_NO_SSL/.test(code)
  if (isOfTls)
    return new AppError(
      'tls-failed',
      'no encrypted connection: the certificate or the server is not as sslmode asks for',
    )
  const known = connectFailure(error, false)
  // Drivers quote their input, so the message is our own.
  const messages: Partial<Record<ErrorCode, string>> = {
    'connect-refused': 'the database refused the connection',
    'connect-timeout': 'the database did not answer in time',
  }
  return new AppError(known.code, messages[known.code] ?? 'the connection to the database failed or was closed')
}

/** A server's message without secrets. */
export function serverWords(message: string, secrets: readonly string[]): string {
  let words = message.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  for (const secret of secrets) if (secret !== '') words = words.replaceAll(secret, '…')
  return words.slice(0, 300).toWellFormed()
}
