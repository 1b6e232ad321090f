import { stemmedLanguages } from './stem/stemmers.ts'

/** Kinds of terms in a shared table: the same letters may be a word, a stem, a prefix, a host. */
export const WORDS = 0
export const PREFIXES = 200
export const SITES = 201
/** Two adjacent characters, in scripts without spaces. */
export const PAIRS = 202
/** Stems in the language of each document. */
export const OWN_STEMS = 199
/** Interests with this stemming are compared by the stems of the document's own language. */
export const AUTO = 'auto'

/** The space of words for a language without stemmer, as its words are compared as spelled. */
export function spaceOfStems(stemming: string): number {
  if (stemming === AUTO) return OWN_STEMS
  return stemmedLanguages.indexOf(stemming) + 1
}

export function stemmingOfSpace(space: number): string {
  if (space === OWN_STEMS) return AUTO
  return stemmedLanguages[space - 1] ?? ''
}
