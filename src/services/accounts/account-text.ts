import { AppError } from '../../core/errors.ts'

export const MIN_PASSWORD = 8
export const MAX_PASSWORD = 1000
const MAX_EMAIL = 254
const MAX_NAME = 200

/** The address in the form used by accounts, profiles and annotations. */
export function checkedEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length > MAX_EMAIL || !/^[^\s@,\p{C}]+@[^\s@,\p{C}]+$/u.test(email))
    throw new AppError('request-invalid', 'expected an email address')
  return email
}

export function checkedPassword(text: string): string {
  if (text.length < MIN_PASSWORD)
    throw new AppError('request-invalid', `a password needs at least ${MIN_PASSWORD} characters`)
  if (text.length > MAX_PASSWORD)
    throw new AppError('request-invalid', `a password can have at most ${MAX_PASSWORD} characters`)
  return text
}

/** Without characters that move a terminal's cursor or break a line, and short enough for a list. */
export function cleanText(text: string, maxLength = MAX_NAME): string {
  return text
    .slice(0, maxLength)
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, ' ')
    .trim()
}
