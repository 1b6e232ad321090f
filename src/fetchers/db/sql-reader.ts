import type { Socket } from 'node:net'
import { AppError, type ErrorCode } from '../../core/errors.ts'
import { connectFailure } from '../../crawl/fetch/failure.ts'
import type { Place } from '../../crawl/fetch/protocol.ts'
import type { Cell } from './rows.ts'

/** What a query gives. */
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
  /** Of all cells together; rows behind it are left out. */
  maxBytes: number
  /** For the whole query. */
  timeoutMs: number
}

/** How long a server that was told to stop is waited for, before the line is cut. */
export const graceMs = 1000
/** What protocol and encoding may add to the cells. */
const overhead = 2
/** Until the server is asked: its greeting, its certificates and its settings. */
const maxSignInBytes = 1024 * 1024
const watchMs = 50

/** Ends the line to a server when it takes too long, sends too much, or the visit is over. Drivers have none of these limits. */
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

  function cut(code: ErrorCode, message: string): void {
    failure ??= new AppError(code, message)
    socket.destroy(failure)
  }
  const onAbort = (): void => cut('query-timeout', 'the time for the visit was over')
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })

  return {
    /** Why the line was cut; null where it wasn't. */
    failure: () => failure,
    /** After an answer that came at once. Throws where it was too long. */
    check(): void {
      checkBytes()
      if (failure !== null) throw failure
    },
    /** From connecting to asking. */
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

/** Between a client and its server: refused, reset, not trusted. */
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
  // Drivers quote what they were given; the message is ours.
  const messages: Partial<Record<ErrorCode, string>> = {
    'connect-refused': 'the database refused the connection',
    'connect-timeout': 'the database did not answer in time',
  }
  return new AppError(known.code, messages[known.code] ?? 'the connection to the database failed or was closed')
}

/** What a server says, without what must not be repeated. */
export function serverWords(message: string, secrets: readonly string[]): string {
  let words = message.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  for (const secret of secrets) if (secret !== '') words = words.replaceAll(secret, '…')
  return words.slice(0, 300).toWellFormed()
}
