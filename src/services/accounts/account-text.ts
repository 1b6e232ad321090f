import { AppError } from '../../core/errors.ts'

export const MIN_PASSWORD = 8
export const MAX_PASSWORD = 1000
const MAX_EMAIL = 254
const MAX_NAME = 200

/** Normalises an address as used by accounts, profiles and annotations. Throws if it is invalid. */
export function checkedEmail(text: string): string {
  const email = emailOf(text)
  if (email === null) throw new AppError('request-invalid', EXPECTED_EMAIL)
  return email
}

export const EXPECTED_EMAIL = 'expected an email address'

/** The same, but null for an invalid address. */
export function emailOf(text: string): string | null {
  const email = text.trim().toLowerCase()
  return email.length <= MAX_EMAIL && /^[^\s@,\p{C}]+@[^\s@,\p{C}]+$/u.test(email) ? email : null
}

export function checkedPassword(text: string): string {
  if (text.length < MIN_PASSWORD)
    throw new AppError('request-invalid', `a password needs at least ${MIN_PASSWORD} characters`)
  if (text.length > MAX_PASSWORD)
    throw new AppError('request-invalid', `a password can have at most ${MAX_PASSWORD} characters`)
  return text
}

/** Removes characters that move a terminal's cursor or break a line, and shortens the text for lists. */
export function cleanText(text: string, maxLength = MAX_NAME): string {
  return text
    .slice(0, maxLength)
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, ' ')
    .trim()
}
