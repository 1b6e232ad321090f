import { stemEnglish } from './english.ts'
import { createLightStemmer } from './light.ts'
import { endings } from './endings.ts'

/** Gives words of one root one spelling, mostly. It takes words as they are compared: without case and accents. */
export type Stemmer = (word: string) => string

const MAX_CACHED = 50_000

const stemmers = new Map<string, Stemmer>([['en', cached(stemEnglish)]])
for (const [language, list] of Object.entries(endings)) stemmers.set(language, cached(createLightStemmer(list)))

/** Languages by their two letters, in the order of the alphabet. */
export const stemmedLanguages: readonly string[] = [...stemmers.keys()].sort()

export function findStemmer(language: string): Stemmer | undefined {
  return stemmers.get(language)
}

/** Documents repeat each other's words. */
function cached(stem: Stemmer): Stemmer {
  const known = new Map<string, string>()
  return (word) => {
    const before = known.get(word)
    if (before !== undefined) return before
    if (known.size >= MAX_CACHED) known.clear()
    const stemmed = stem(word)
    known.set(word, stemmed)
    return stemmed
  }
}
