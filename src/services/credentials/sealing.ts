import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import type { CredentialsKey } from './credentials-key.ts'

/**
 * AES-256-GCM with a random nonce: a format byte, the nonce, the tag, and the values as JSON. Id, owner and name are authenticated as
 * well, so that sealed values can't be swapped with others.
 */
export type SealedFor = { id: string; owner: string; name: string }

export type SecretValues = Readonly<Record<string, string>>

const FORM = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

const contextOf = ({ id, owner, name }: SealedFor): Buffer => Buffer.from(JSON.stringify([id, owner, name]))

export function seal(key: CredentialsKey, whose: SealedFor, values: SecretValues): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key.read(), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(contextOf(whose))
  const text = Buffer.concat([cipher.update(JSON.stringify(values), 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(FORM), nonce, cipher.getAuthTag(), text])
}

/** Throws `credentials-locked` if they were sealed with another key. */
export function unseal(key: CredentialsKey, whose: SealedFor, sealed: Buffer): SecretValues {
  const bytes = key.read()
  const start = 1 + NONCE_BYTES + TAG_BYTES
  if (sealed.length < start || sealed[0] !== FORM) throw unreadable(whose.name)
  const decipher = createDecipheriv('aes-256-gcm', bytes, sealed.subarray(1, 1 + NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(contextOf(whose))
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, start))
  let text: string
  try {
    text = decipher.update(sealed.subarray(start), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    throw unreadable(whose.name)
  }
  return JSON.parse(text) as SecretValues
}

const unreadable = (name: string): AppError =>
  new AppError(
    'credentials-locked',
    `the credentials ${JSON.stringify(name)} can't be read with the key of this server; enter them again, or bring back the key they were stored with`,
  )
