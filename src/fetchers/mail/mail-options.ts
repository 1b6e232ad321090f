import { isIP } from 'node:net'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import { AppError } from '../../core/errors.ts'
import type { Place } from '../../crawl/fetch/protocol.ts'

export type MailOptions = {
  /** Messages of a mailbox that are read at first; older ones are left alone. */
  newestMessages?: number
  /** Passwords may be sent without TLS, where a server offers none. To this machine they always may. */
  allowPlain?: boolean
  /** Trusted besides the usual authorities, as PEM. */
  ca?: string
}

export const newestMessagesOf = ({ newestMessages = 500 }: MailOptions): number => newestMessages

/** Name and certificate are those of the host, whatever address it has. */
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
