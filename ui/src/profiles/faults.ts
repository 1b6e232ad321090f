import { createContext, useContext } from 'react'
import type { Fault } from './draft.ts'

export const FaultContext = createContext<readonly Fault[]>([])

/** What the server says about one field, as `sources[0].uri`. */
export function useFault(place: string): string | undefined {
  const fault = useContext(FaultContext).find((each) => each.place === place)
  return fault === undefined ? undefined : sentenceOf(fault.message)
}

/** All that is said about the lines of a field, as `ignore[2]`, and about the field itself. */
export function useLineFaults(place: string): string | undefined {
  const lines = useContext(FaultContext).flatMap((fault) => {
    if (fault.place === place) return [sentenceOf(fault.message)]
    const line = fault.place.startsWith(`${place}[`) ? Number.parseInt(fault.place.slice(place.length + 1), 10) : -1
    return line < 0 ? [] : [`Line ${line + 1}: ${fault.message}`]
  })
  return lines.length === 0 ? undefined : lines.join('. ')
}

/** Faults whose place is none of the fields on the form. */
export function useOtherFaults(known: RegExp): readonly Fault[] {
  return useContext(FaultContext).filter(({ place }) => !known.test(place))
}

export function sentenceOf(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
