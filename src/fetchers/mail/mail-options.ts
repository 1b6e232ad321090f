import { isIP } from 'node:net'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import { AppError } from '../../core/errors.ts'
import type { Place } from '../../crawl/fetch/protocol.ts'

export type MailOptions = {
  /** Number of messages read on the first check of a mailbox; older ones are ignored. */
  newestMessages?: number
  /** Allow sending passwords without TLS if a server offers none. To this machine, that is always allowed. */
  allowPlain?: boolean
  /** CA certificate that is trusted in addition to the default ones, as PEM. */
  ca?: string
}

export const newestMessagesOf = ({ newestMessages = 500 }: MailOptions): number => newestMessages

/** The certificate must match the host name, not the address. */
export function tlsOptions(host: string, { ca }: MailOptions): ConnectionOptions & { servername?: string } {
  return {
    rejectUnauthorized: true,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca: [...getCACertificates(), ca] }),
  }
}

export function mayBePlain(address: string, { allowPlain = false }: MailOptions): boolean {
  return allowPlain || address === '::1' || /^(?:::ffff:)?127\./.test(address)
}

export function credentialsOf({ secret }: Place): { user: string; password: string } {
  const { user, password } = { user: secret?.user ?? '', password: secret?.password ?? '' }
  if (user === '' || password === '')
    throw new AppError('sign-in-failed', 'A mailbox needs a user name and a password.')
  if (/[\0\r\n]/.test(user + password))
    throw new AppError('sign-in-failed', 'The user name and the password must be a single line each.')
  return { user, password }
}
