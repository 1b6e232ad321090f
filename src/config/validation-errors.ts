import { AppError, type ErrorCode } from '../core/errors.ts'

/** One thing that is wrong with what a person wrote, and where: a key in a file, an environment name, an option. */
export type ValidationError = { place: string; message: string }

/** A seed list with a million wrong lines shall not fill the terminal. */
const MAX_LISTED = 50

/** Several faults that are reported together, so that nobody has to mend them one run at a time. */
export class InvalidInputError extends AppError {
  readonly errors: readonly ValidationError[]

  constructor(code: ErrorCode, errors: readonly ValidationError[]) {
    super(code, describeErrors(errors))
    this.name = 'InvalidInputError'
    this.errors = errors.slice(0, MAX_LISTED)
  }
}

export function describeErrors(errors: readonly ValidationError[]): string {
  const lines = errors.slice(0, MAX_LISTED).map(({ place, message }) => `${place}: ${message}`)
  if (errors.length > MAX_LISTED) lines.push(`and ${errors.length - MAX_LISTED} more`)
  return lines.join('\n')
}
