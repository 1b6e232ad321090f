import { AppError } from '../../core/errors.ts'
import { codeOf } from '../../crawl/fetch/failure.ts'

const timeouts = new Set(['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT', 'ETIMEDOUT'])
const ofConnection = /^(?:E[A-Z]+|NoConnection|ClosedAfterConnect\w+|EConnectionClosed)$/
const ofCertificate = /CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|UNABLE_TO|^HOSTNAME_MISMATCH$|STARTTLS_INJECTION/

/**
 * Why a connection failed, in our own words: messages of libraries and servers may quote what was sent to them, such as a password. For
 * the same reason there is no `cause`.
 */
export function connectionFailure(error: unknown, host: string): AppError {
  if (error instanceof AppError) return error
  const code = codeOf(error)
  if (ofCertificate.test(code)) return new AppError('tls-failed', `No secure connection to ${host}: ${code}.`)
  if (code === 'ECONNREFUSED') return new AppError('connect-refused', `${host} refused the connection.`)
  if (timeouts.has(code)) return new AppError('connect-timeout', `${host} did not answer in time.`)
  if (code === 'ETIMEOUT') return new AppError('body-timeout', `${host} stopped answering.`)
  if (ofConnection.test(code)) return new AppError('connect-failed', `The connection to ${host} was lost.`)
  return new AppError('protocol-failed', `${host} gave an answer that can't be used${code === '' ? '' : `: ${code}`}.`)
}

export const abortFailure = (host: string): AppError =>
  new AppError('total-timeout', `The visit of ${host} was ended before it was done.`)
