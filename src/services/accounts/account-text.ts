import { AppError } from '../../core/errors.ts'

export const MIN_PASSWORD = 8
export const MAX_PASSWORD = 1000
const MAX_EMAIL = 254
const MAX_NAME = 200

/** The address in the form that accounts, profiles and annotations know it by. */
export function checkedEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length > MAX_EMAIL || !/^[^\s@,\p{C}]+@[^\s@,\p{C}]+$/u.test(email))
    throw new AppError('request-invalid', 'expected an e-mail address')
  return email
}

export function checkedPassword(text: string): string {
  if (text.length < MIN_PASSWORD)
    throw new AppError('request-invalid', `a password has ${MIN_PASSWORD} letters or more`)
  if (text.length > MAX_PASSWORD)
    throw new AppError('request-invalid', `a password has at most ${MAX_PASSWORD} letters`)
  return text
}

/** Nothing that would move a terminal's cursor or break a line, and no more than fits into a list. */
export function cleanText(text: string, maxLength = MAX_NAME): string {
  return text
    .slice(0, maxLength)
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, ' ')
    .trim()
}
