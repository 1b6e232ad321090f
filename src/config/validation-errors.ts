import { AppError, type ErrorCode } from '../core/errors.ts'

/** One thing that is wrong with what a person wrote, and where: a key in a file, an environment name, an option. */
export type Fault = { place: string; message: string }

/** A seed list with a million wrong lines shall not fill the terminal. */
const MAX_LISTED = 50

/** Several faults that are reported together, so that nobody has to mend them one run at a time. */
export class FaultsError extends AppError {
  readonly faults: readonly Fault[]

  constructor(code: ErrorCode, faults: readonly Fault[]) {
    super(code, describeFaults(faults))
    this.name = 'FaultsError'
    this.faults = faults.slice(0, MAX_LISTED)
  }
}

export function describeFaults(faults: readonly Fault[]): string {
  const lines = faults.slice(0, MAX_LISTED).map(({ place, message }) => `${place}: ${message}`)
  if (faults.length > MAX_LISTED) lines.push(`and ${faults.length - MAX_LISTED} more`)
  return lines.join('\n')
}
