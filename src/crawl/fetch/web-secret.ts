import { AppError } from '../../core/errors.ts'
import type { Secret } from './protocol.ts'

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Octets allowed in a header value. */
const value = /^[\t\x20-\x7e\x80-\xff]*$/
/** Headers that frame a message, name its receiver, or say what is requested: none of them can be a secret. */
const framing =
  /^(?:host|connection|content-.*|transfer-encoding|expect|upgrade|keep-alive|te|trailer|proxy-.*|accept-encoding|if-.*|range)$/i

export const isHeaderName = (name: string): boolean => token.test(name)

/** Whether a header may be used to sign in. */
export const mayCarrySecret = (name: string): boolean => isHeaderName(name) && !framing.test(name)

/**
 * The headers that sign in to a web site, by the kind of the secret: `basic` (user, password), `bearer` (token), `header` (name, value)
 * or `cookie`. Throws `sign-in-failed` if a value can't be sent; the message doesn't contain it.
 */
export function headersOfSecret(secret: Secret): Record<string, string> {
  switch (secret.kind) {
    case 'password':
    case 'basic': {
      const { user = '', password = '' } = secret
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      if (user.includes(':') || /[\0-\x1f\x7f]/.test(user + password))
        throw unfit('the user has a colon, or one of them a control character')
      return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
    }
    case 'bearer':
      if (!/^[\x21-\x7e]+$/.test(secret.token ?? '')) throw unfit('the token is empty, or has spaces or line breaks')
      return { authorization: `Bearer ${secret.token}` }
    case 'header': {
      const { name = '' } = secret
      if (!mayCarrySecret(name)) throw unfit('that is not the name of a header for signing in')
      return { [name.toLowerCase()]: octets(secret.value) }
    }
    case 'cookie':
      return { cookie: octets(secret.cookie) }
    default:
      throw unfit('use basic, bearer, header or cookie')
  }
}

/** Encodes a value as header octets: one character per byte of its UTF-8. */
function octets(text = ''): string {
  const bytes = Buffer.from(text.trim()).toString('latin1')
  if (bytes === '' || !value.test(bytes)) throw unfit('the value is empty or has line breaks')
  return bytes
}

const unfit = (why: string): AppError => new AppError('sign-in-failed', `the sign-in can't be used: ${why}`)
