import { AppError } from '../../core/errors.ts'
import type { Secret } from './protocol.ts'

const illegal = /[^\t\x20-\x7e\x80-\xff]/

/** The header fields by which a web server is asked with credentials. Throws `sign-in-failed` for what no header can hold. */
export function headersOfSecret(secret: Secret): Record<string, string> {
  const fields = fieldsOf(secret)
  for (const [name, value] of Object.entries(fields)) {
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) || illegal.test(value))
      throw new AppError('sign-in-failed', 'these credentials hold characters that a request must not hold')
  }
  return fields
}

function fieldsOf(secret: Secret): Record<string, string> {
  const value = (name: string): string => (Object.hasOwn(secret, name) ? secret[name]! : '')
  switch (value('kind')) {
    case 'bearer':
      return { authorization: `Bearer ${value('token')}` }
    case 'header':
      return { [value('name')]: value('value') }
    case 'cookie':
      return { cookie: value('cookie') }
    default: {
      const user = `${value('user')}:${value('password')}`
      return { authorization: `Basic ${Buffer.from(user, 'utf8').toString('base64')}` }
    }
  }
}
