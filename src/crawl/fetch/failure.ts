import { AppError, type ErrorCode } from '../../core/errors.ts'

/** How far an exchange had come when an error ended it. */
export type Progress = 'connecting' | 'header' | 'body'

const cutCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ENOTCONN'])

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** The connection was lost, which says nothing about the server's answer. */
export function isCut(error: unknown): boolean {
  return isOfConnection(codeOf(error))
}

/** Maps errors of the response and the socket to our codes. */
export function exchangeFailure(error: unknown, progress: Progress): { code: ErrorCode; message: string } {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof AppError) return { code: error.code, message }
  if (isOfConnection(codeOf(error))) return { code: progress === 'body' ? 'body-short' : 'connect-failed', message }
  return { code: 'internal', message }
}

/** Maps errors of connecting, which has its own codes. `securing`: TCP was connected and TLS was not. */
export function connectFailure(error: unknown, securing: boolean): AppError {
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : String(error)
  const options = { cause: error }
  if (code === 'ECONNREFUSED') return new AppError('connect-refused', message, options)
  if (code === 'ETIMEDOUT') return new AppError('connect-timeout', message, options)
  const ofNetwork = cutCodes.has(code) || /^E[A-Z]+$/.test(code)
  if (securing && (!ofNetwork || code === 'EPROTO')) return new AppError('tls-failed', message, options)
  return new AppError('connect-failed', message, options)
}

/** Errors of the socket, the operating system (`EHOSTUNREACH`) or TLS (`ERR_SSL_…`). */
function isOfConnection(code: string): boolean {
  return cutCodes.has(code) || /^E[A-Z]+$/.test(code) || code.startsWith('ERR_SSL_')
}
