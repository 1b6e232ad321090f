import { AppError, type ErrorCode, isAppError } from '../../core/errors.ts'

/** SQLSTATE classes and codes that a caller can act on; all else is store-failed. */
const codes: readonly (readonly [beginning: string, code: ErrorCode])[] = [
  ['ERL', 'lease-lost'], // raised by our own fence
  ['28', 'store-refused'], // wrong password, no such role
  ['3D', 'store-refused'], // no such database
  ['42501', 'store-refused'], // rights are missing
  ['25006', 'store-unreachable'], // read-only: a standby that was not promoted yet
  ['53100', 'store-full'],
  ['53200', 'store-failed'],
  ['53300', 'store-unreachable'], // too many connections
  ['57P', 'store-unreachable'], // the server goes down, or starts
  ['08', 'store-unreachable'],
  ['40', 'store-failed'], // serialization, deadlock
  ['55P03', 'store-failed'], // lock timeout
  ['57014', 'store-failed'], // statement timeout
]

const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'])

/** What the driver says when a connection went away without an SQLSTATE. */
const cutOff =
  /Connection terminated|connection timeout|timeout exceeded when trying to connect|Client has encountered a connection error/i

export function postgresError(error: unknown): AppError {
  if (isAppError(error)) return error
  const { code = '', message = String(error) } = error as { code?: string; message?: string }
  return new AppError(codeOf(code, message), `PostgreSQL: ${message}`, { cause: error })
}

function codeOf(state: string, message: string): ErrorCode {
  if (unreachable.has(state) || cutOff.test(message)) return 'store-unreachable'
  if (/^[0-9A-Z]{5}$/.test(state))
    return codes.find(([beginning]) => state.startsWith(beginning))?.[1] ?? 'store-failed'
  return 'internal'
}
