import type { ValidationError } from '../../config/validation-errors.ts'
import { EXPECTED_EMAIL, emailOf } from '../../services/accounts/account-text.ts'
import type { OptionValues } from '../command.ts'

/** The value of a numeric option; null when it is missing, or invalid with an error added. */
export function wholeNumber(
  options: OptionValues,
  name: string,
  [min, max]: readonly [min: number, max?: number],
  errors: ValidationError[],
): number | null {
  const text = options.text(name)
  if (text === undefined) return null
  const largest = max ?? 999_999_999
  if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= largest) return Number(text)
  const shown = JSON.stringify(text.slice(0, 40))
  errors.push({ place: `--${name}`, message: `expected a whole number from ${min} to ${largest}, not ${shown}` })
  return null
}

/** One of a few words; null when it is missing, or invalid with an error added. */
export function choice<T extends string>(
  options: OptionValues,
  name: string,
  choices: readonly T[],
  errors: ValidationError[],
): T | null {
  const given = options.text(name)
  if (given === undefined) return null
  const found = choices.find((each) => each === given)
  if (found === undefined) errors.push({ place: `--${name}`, message: `expected one of ${choices.join(', ')}` })
  return found ?? null
}

/** An email address in lower case; null, with an error added, when it is not one. */
export function emailAddress(text: string, place: string, errors: ValidationError[]): string | null {
  const email = emailOf(text)
  if (email === null) errors.push({ place, message: EXPECTED_EMAIL })
  return email
}

/** The account named by `--owner`; null when it is missing, or invalid with an error added. */
export function readOwner(options: OptionValues, errors: ValidationError[]): string | null {
  const owner = options.text('owner')
  return owner === undefined ? null : emailAddress(owner, '--owner', errors)
}

/** Adds an error for each surplus word of the command line. */
export function refuseWords(words: readonly string[], message: string, errors: ValidationError[]): void {
  for (const word of words) errors.push({ place: word.slice(0, 60), message })
}

export const missingUrl = 'the document URL is missing'
