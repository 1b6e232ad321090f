import type { ValidationError } from '../../config/validation-errors.ts'
import type { OptionValues } from '../command.ts'

/** The value of an option that counts something; null where it was not given, or is wrong, which is noted. */
export function wholeNumber(
  options: OptionValues,
  name: string,
  min: number,
  errors: ValidationError[],
): number | null {
  const text = options.text(name)
  if (text === undefined) return null
  if (/^\d{1,9}$/.test(text) && Number(text) >= min) return Number(text)
  errors.push({
    place: `--${name}`,
    message: `expected a whole number from ${min} to 999999999, not ${JSON.stringify(text)}`,
  })
  return null
}
