import { endings } from './endings.ts'
import { stemEnglish } from './english.ts'
import { createLightStemmer } from './light.ts'

/** Gives words of one root one spelling, mostly. It takes words as they are compared: without case and accents. */
export type Stemmer = (word: string) => string

const stemmers = new Map<string, Stemmer>([['en', stemEnglish]])
for (const [language, list] of Object.entries(endings)) stemmers.set(language, createLightStemmer(list))

/** Languages by their two letters, in the order of the alphabet. */
export const stemmedLanguages: readonly string[] = [...stemmers.keys()].sort()

export function findStemmer(language: string): Stemmer | undefined {
  return stemmers.get(language)
}
