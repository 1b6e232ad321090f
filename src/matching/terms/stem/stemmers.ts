import { createRequire } from 'node:module'
import { foldTerm } from '../words.ts'
import { stemCzech } from './czech.ts'
import { stemDutch } from './dutch.ts'
import { stemEnglish } from './english.ts'
import { stemGerman } from './german.ts'
import { stemPolish } from './polish.ts'
import { stemSwedish } from './swedish.ts'

/** Gives most words of one root the same spelling. Takes words in lower case with accents; its result has none. */
export type Stemmer = (word: string) => string

const load = createRequire(import.meta.url)

/** A stemmer of the package, which follows Snowball's second version; loaded when the first document needs it. */
function packaged(name: string): Stemmer {
  return (load(`@orama/stemmers/${name}`) as { stemmer: Stemmer }).stemmer
}

/** Adds a preparation of the third version of Snowball, where that is all that is new. */
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
  // l’eau, d’un, qu’il: elided articles and the like are not part of the word.
  ['fr', () => before((word) => word.replace(/^(?:qu|[cdjlmnst])'(?=.)/, ''), 'french')],
  ['hu', () => packaged('hungarian')],
  ['id', () => packaged('indonesian')],
  ['it', () => packaged('italian')],
  ['lt', () => packaged('lithuanian')],
  ['nl', () => stemDutch],
  ['no', () => before((word) => word.replace(/[àáéêòóôü]/g, foldTerm), 'norwegian')],
  ['pl', () => stemPolish],
  ['pt', () => packaged('portuguese')],
  // Letters with a comma below are often written with a cedilla, the form that the package knows.
  ['ro', () => before((word) => word.replaceAll('ș', 'ş').replaceAll('ț', 'ţ'), 'romanian')],
  ['ru', () => packaged('russian')],
  ['sv', () => stemSwedish],
  // Endings of names follow an apostrophe.
  ['tr', () => before((word) => word.replace(/(?<=.)'.*$/, ''), 'turkish')],
  ['uk', () => packaged('ukrainian')],
  ['zh', () => createSimplifier()],
])

/** Not a stemmer, but used as one: converts traditional to simplified characters. */
function createSimplifier(): Stemmer {
  const { Converter } = load('opencc-js/t2cn') as {
    Converter(options: { from: string; to: string }): (text: string) => string
  }
  return Converter({ from: 't', to: 'cn' })
}

/** Two-letter language codes, in alphabetical order. */
export const stemmedLanguages: readonly string[] = [...loaders.keys()]

const scripts: [script: RegExp, languages: readonly string[]][] = [
  [/\p{Script=Greek}/u, ['el']],
  [/\p{Script=Cyrillic}/u, ['bg', 'ru', 'uk']],
  [/\p{Script=Arabic}/u, ['ar']],
  [/\p{Script=Han}/u, ['zh']],
]
const otherScripts = new Set(scripts.flatMap(([, languages]) => languages))

/** Languages with a stemmer that the words of a text may be in, by its script. */
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
  // A word that would be left empty is its own stem.
  const stemmer: Stemmer = (word) => foldTerm(stem(word) || word) || word
  loaded.set(language, stemmer)
  return stemmer
}
