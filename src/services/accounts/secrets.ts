import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** For sessions, tokens and the set-up link: too long to guess, so a fast hash is enough for the store. */
const SECRET_BYTES = 32

/** Makes tokens recognisable to people and secret scanners. */
export const TOKEN_PREFIX = 'erace_'

export function createSecret(prefix = ''): string {
  return prefix + randomBytes(SECRET_BYTES).toString('base64url')
}

/** The form in which the store keeps a secret. */
export function hashOfSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}

export function isSecretOf(hash: Uint8Array, secret: string): boolean {
  const own = hashOfSecret(secret)
  return own.byteLength === hash.byteLength && timingSafeEqual(own, hash)
}
