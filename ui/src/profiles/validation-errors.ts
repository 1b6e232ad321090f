import { createContext, useContext } from 'react'
import { sentenceOf } from '../kit/strings.ts'
import type { ValidationError } from './draft.ts'
import { strings } from './strings.ts'

export const ValidationContext = createContext<readonly ValidationError[]>([])

/** The server's message about one field, e.g. `sources[0].uri`. */
export function useFieldError(place: string): string | undefined {
  const error = useContext(ValidationContext).find((each) => each.place === place)
  return error === undefined ? undefined : sentenceOf(error.message)
}

/** All errors of a field and of its lines, e.g. `ignore[2]`. */
export function useLineErrors(place: string): string | undefined {
  const lines = useContext(ValidationContext).flatMap((error) => {
    if (error.place === place) return [sentenceOf(error.message)]
    const line = error.place.startsWith(`${place}[`) ? Number.parseInt(error.place.slice(place.length + 1), 10) : -1
    return line < 0 ? [] : [strings.editor.line(line + 1, error.message)]
  })
  return lines.length === 0 ? undefined : lines.join('. ')
}

/** All errors of a field and its elements, for a field that shows them together. */
export function useErrorsUnder(place: string): string | undefined {
  const messages = useContext(ValidationContext)
    .filter((error) => error.place === place || error.place.startsWith(`${place}[`))
    .map(({ message }) => sentenceOf(message))
  return messages.length === 0 ? undefined : messages.join('. ')
}

export function useHasErrorIn(places: RegExp): boolean {
  return useContext(ValidationContext).some(({ place }) => places.test(place))
}

/** Errors of fields that are not on the form. */
export function useOtherErrors(known: RegExp): readonly ValidationError[] {
  return useContext(ValidationContext).filter(({ place }) => !known.test(place))
}
