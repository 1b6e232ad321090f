import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Of sessions, tokens and the set-up link: so long that guessing is hopeless, so a fast hash is enough for the store. */
const SECRET_BYTES = 32

/** Tells people, and programs that look for forgotten secrets, what a token is. */
export const TOKEN_PREFIX = 'erace_'

export function createSecret(prefix = ''): string {
  return prefix + randomBytes(SECRET_BYTES).toString('base64url')
}

/** What the store knows of a secret. */
export function hashOfSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}

export function isSecretOf(hash: Uint8Array, secret: string): boolean {
  const own = hashOfSecret(secret)
  return own.byteLength === hash.byteLength && timingSafeEqual(own, hash)
}
