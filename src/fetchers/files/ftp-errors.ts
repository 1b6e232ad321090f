import { AppError, type ErrorCode, isAppError } from '../../core/errors.ts'

/**
 * FTP failures in our own words. Neither the server's text nor the library's error is passed on: a server may echo anything that it was
 * sent, including a password.
 */
export function ftpError(error: unknown, doing: string): AppError {
  if (isAppError(error)) return error
  const { code, message = '' } = error as { code?: number | string; message?: string }
  if (typeof code === 'number') return replyError(code, doing)
  if (message.includes('returned another host'))
    return new AppError('address-refused', 'the server sends the data connection to another host, which is refused')
  if (message.includes('Timeout')) return new AppError('body-timeout', `the server stopped answering (${doing})`)
  if (isTlsError(code, message)) return new AppError('tls-failed', `TLS with the server failed (${shortCode(code)})`)
  if (code === 'ECONNREFUSED') return new AppError('connect-refused', 'the server refused the connection')
  if (code === 'ETIMEDOUT') return new AppError('connect-timeout', 'the connection timed out')
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code))
    return new AppError('connect-failed', `the connection failed (${code}, ${doing})`)
  if (/FIN packet|closed|Socket closed/.test(message))
    return new AppError('connect-failed', `the server closed the connection (${doing})`)
  return new AppError('protocol-failed', `the server's answer is not valid FTP (${doing})`)
}

/** Maps the reply codes of RFC 959 and RFC 4217. */
function replyError(code: number, doing: string): AppError {
  const said = `the server answered with ${code} (${doing})`
  const known = byReply.get(code)
  if (known !== undefined) return new AppError(known, said)
  return new AppError('protocol-failed', said, { retry: code >= 500 ? 'never' : 'later' })
}

const byReply: ReadonlyMap<number, ErrorCode> = new Map([
  [332, 'sign-in-failed'],
  [430, 'sign-in-failed'],
  [530, 'sign-in-failed'],
  [532, 'sign-in-failed'],
  [550, 'not-found'],
  [551, 'not-found'],
  [553, 'not-found'],
  [421, 'connect-failed'],
  [425, 'connect-failed'],
  [426, 'connect-failed'],
  [522, 'tls-failed'],
  [533, 'tls-failed'],
  [534, 'tls-failed'],
  [535, 'tls-failed'],
  [536, 'tls-failed'],
  [537, 'tls-failed'],
])

function isTlsError(code: string | undefined, message: string): boolean {
  return (
    /^(?:ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_OSSL|EPROTO)/.test(code ?? '') ||
    /certificate/i.test(message)
  )
}

const shortCode = (code: string | undefined): string => (code === undefined || code.length > 60 ? 'certificate' : code)
