import { createContext, useContext } from 'react'
import type { Fault } from './draft.ts'

export const FaultContext = createContext<readonly Fault[]>([])

/** What the server says about one field, as `sources[0].uri`. */
export function useFault(place: string): string | undefined {
  const fault = useContext(FaultContext).find((each) => each.place === place)
  return fault === undefined ? undefined : sentenceOf(fault.message)
}

/** Faults whose place is none of the fields on the form. */
export function useOtherFaults(known: RegExp): readonly Fault[] {
  return useContext(FaultContext).filter(({ place }) => !known.test(place))
}

export function sentenceOf(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
