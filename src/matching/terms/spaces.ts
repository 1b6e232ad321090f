import { stemmedLanguages } from './stem/stemmers.ts'

/** What a term of a shared table is: the same letters may be a word, a stem, a beginning, a host. */
export const WORDS = 0
export const PREFIXES = 200
export const SITES = 201
/** Two characters behind each other, in scripts without spaces. */
export const PAIRS = 202
/** Stems of the language that each document is in. */
export const OWN_STEMS = 199
/** Interests with this stemming are compared by the stems of the document's own language. */
export const AUTO = 'auto'

/** That of words for a language that has no stemmer, as there words are compared as they are spelled. */
export function spaceOfStems(stemming: string): number {
  if (stemming === AUTO) return OWN_STEMS
  return stemmedLanguages.indexOf(stemming) + 1
}

export function stemmingOfSpace(space: number): string {
  if (space === OWN_STEMS) return AUTO
  return stemmedLanguages[space - 1] ?? ''
}
