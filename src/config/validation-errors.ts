import { AppError, type ErrorCode } from '../core/errors.ts'

/** An error in the input, and its place: a key in a file, an environment name, an option. */
export type ValidationError = { place: string; message: string }

/** A seed list with a million invalid lines must not flood the terminal. */
const MAX_LISTED = 50

/** Validation errors reported together, so that users can fix them all at once. */
export class InvalidInputError extends AppError {
  readonly errors: readonly ValidationError[]

  constructor(code: ErrorCode, errors: readonly ValidationError[]) {
    super(code, describeErrors(errors))
    this.name = 'InvalidInputError'
    this.errors = errors.slice(0, MAX_LISTED)
  }
}

function describeErrors(errors: readonly ValidationError[]): string {
  const lines = errors.slice(0, MAX_LISTED).map(({ place, message }) => `${place}: ${message}`)
  if (errors.length > MAX_LISTED) lines.push(`and ${errors.length - MAX_LISTED} more`)
  return lines.join('\n')
}
