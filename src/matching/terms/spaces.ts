import { stemmedLanguages } from './stem/stemmers.ts'

/** What a term of a shared table is: the same letters may be a word, a stem, a beginning, a host. */
export const WORDS = 0
export const PREFIXES = 200
export const SITES = 201

/** That of words for a language that has no stemmer, as there words are compared as they are spelled. */
export function spaceOfStems(stemming: string): number {
  return stemmedLanguages.indexOf(stemming) + 1
}

export function stemmingOfSpace(space: number): string {
  return stemmedLanguages[space - 1] ?? ''
}
