import { AppError, type ErrorCode } from '../../core/errors.ts'

/** How far an exchange had come when an error ended it. */
export type Progress = 'connecting' | 'header' | 'body'

const cutCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET', 'ENOTCONN'])

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** The connection was lost, which says nothing about the server's answer. */
export function isCut(error: unknown): boolean {
  return isOfConnection(codeOf(error)) && !isBadResponse(error)
}

/** Maps errors of undici and the socket to our codes. */
export function exchangeFailure(error: unknown, progress: Progress): { code: ErrorCode; message: string } {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof AppError) return { code: error.code, message }
  const code = codeOf(error)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return { code: 'header-too-large', message }
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' || isEarlyEnd(error)) {
    // The same error reports a truncated header: then no body had begun that could be short.
    return { code: progress === 'body' ? 'body-short' : 'http-malformed', message }
  }
  if (isParserError(error) || isBadResponse(error)) return { code: 'http-malformed', message }
  if (isOfConnection(code)) return { code: progress === 'body' ? 'body-short' : 'connect-failed', message }
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return { code: 'connect-failed', message }
  }
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

function isParserError(error: unknown): boolean {
  return error instanceof Error && error.name === 'HTTPParserError'
}

/** The parser gives this error no code of its own, only a message. */
function isEarlyEnd(error: unknown): boolean {
  return error instanceof Error && isParserError(error) && error.message.includes('EOF')
}

/** undici reports a valid but unacceptable reply (an unrequested upgrade) as a socket error. */
function isBadResponse(error: unknown): boolean {
  return error instanceof Error && (error.message === 'bad response' || error.message === 'bad upgrade')
}
