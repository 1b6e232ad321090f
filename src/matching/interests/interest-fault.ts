import type { ValidationError } from '../../config/validation-errors.ts'
import { interestLimits } from './interest-limits.ts'

/** `at` is the place in the text, counted from 0; null where the whole value is meant. */
export type InterestFault = ValidationError & { readonly at: number | null }

export type FaultList = {
  readonly faults: InterestFault[]
  add(place: string, message: string, at?: number): void
}

/** Ten thousand wrong keywords are told by the first hundred. */
export function createFaultList(): FaultList {
  const faults: InterestFault[] = []
  return {
    faults,
    add(place, message, at) {
      if (faults.length < interestLimits.faults) faults.push({ place, message, at: at ?? null })
    },
  }
}
