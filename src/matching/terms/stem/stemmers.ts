import { createRequire } from 'node:module'
import { foldTerm } from '../words.ts'
import { stemCzech } from './czech.ts'
import { stemDutch } from './dutch.ts'
import { stemEnglish } from './english.ts'
import { stemGerman } from './german.ts'
import { stemPolish } from './polish.ts'
import { stemSwedish } from './swedish.ts'

/** Gives words of one root one spelling, mostly. It takes words in lower case with their accents, and its result has none. */
export type Stemmer = (word: string) => string

const load = createRequire(import.meta.url)

/** A stemmer of the package, which follows Snowball's second version; read from disk when the first document needs it. */
function packaged(name: string): Stemmer {
  return (load(`@orama/stemmers/${name}`) as { stemmer: Stemmer }).stemmer
}

/** What the third version of Snowball does before it begins, where that is all that is new. */
function before(prepare: (word: string) => string, name: string): Stemmer {
  const stem = packaged(name)
  return (word) => stem(prepare(word))
}

const loaders: ReadonlyMap<string, () => Stemmer> = new Map<string, () => Stemmer>([
  ['ar', () => packaged('arabic')],
  ['bg', () => packaged('bulgarian')],
  ['cs', () => stemCzech],
  ['da', () => packaged('danish')],
  ['de', () => stemGerman],
  ['el', () => packaged('greek')],
  ['en', () => stemEnglish],
  ['es', () => packaged('spanish')],
  ['fi', () => packaged('finnish')],
  // l’eau, d’un, qu’il: the article and its like are no part of the word.
  ['fr', () => before((word) => word.replace(/^(?:qu|[cdjlmnst])'(?=.)/, ''), 'french')],
  ['hu', () => packaged('hungarian')],
  ['id', () => packaged('indonesian')],
  ['it', () => packaged('italian')],
  ['lt', () => packaged('lithuanian')],
  ['nl', () => stemDutch],
  ['no', () => before((word) => word.replace(/[àáéêòóôü]/g, foldTerm), 'norwegian')],
  ['pl', () => stemPolish],
  ['pt', () => packaged('portuguese')],
  // Letters with a comma below are often written with a cedilla, which is the form that the package knows.
  ['ro', () => before((word) => word.replaceAll('ș', 'ş').replaceAll('ț', 'ţ'), 'romanian')],
  ['ru', () => packaged('russian')],
  ['sv', () => stemSwedish],
  // Endings of names stand behind an apostrophe.
  ['tr', () => before((word) => word.replace(/(?<=.)'.*$/, ''), 'turkish')],
  ['uk', () => packaged('ukrainian')],
  ['zh', () => createSimplifier()],
])

/** Not a stem, but in the same place: traditional characters are read as simplified ones. */
function createSimplifier(): Stemmer {
  const { Converter } = load('opencc-js/t2cn') as {
    Converter(options: { from: string; to: string }): (text: string) => string
  }
  return Converter({ from: 't', to: 'cn' })
}

/** Languages by their two letters, in the order of the alphabet. */
export const stemmedLanguages: readonly string[] = [...loaders.keys()]

const scripts: [script: RegExp, languages: readonly string[]][] = [
  [/\p{Script=Greek}/u, ['el']],
  [/\p{Script=Cyrillic}/u, ['bg', 'ru', 'uk']],
  [/\p{Script=Arabic}/u, ['ar']],
  [/\p{Script=Han}/u, ['zh']],
]
const otherScripts = new Set(scripts.flatMap(([, languages]) => languages))

/** The languages that have stems for words of a text, by its letters. */
export function languagesOfScripts(text: string): string[] {
  const found = /\p{Script=Latin}/u.test(text) ? stemmedLanguages.filter((language) => !otherScripts.has(language)) : []
  for (const [script, languages] of scripts) if (script.test(text)) found.push(...languages)
  return found
}

const loaded = new Map<string, Stemmer>()

export function findStemmer(language: string): Stemmer | undefined {
  const known = loaded.get(language)
  if (known !== undefined) return known
  const stem = loaders.get(language)?.()
  if (stem === undefined) return undefined
  // A word of which nothing is left is its own stem.
  const stemmer: Stemmer = (word) => foldTerm(stem(word) || word) || word
  loaded.set(language, stemmer)
  return stemmer
}
