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

/** Adds a preparation of the third version of Snowball, where that is all that is new. Words of which `isStem` holds are left as they are. */
function before(
  prepare: (word: string) => string,
  name: string,
  isStem: (word: string) => boolean = () => false,
): Stemmer {
  const stem = packaged(name)
  return (word) => {
    const prepared = prepare(word)
    return isStem(prepared) ? prepared : stem(prepared)
  }
}

/** Elided articles and the like are not part of the word. */
const frenchElision = /^(?:qu|[cdjlmnstz])'(?=.)/
const italianElision = /^(?:[dlmstv]|un|gl|d?all|dell|nell|sull|que(?:ll|st)|tutt)'(?=.)/

/** l’eau and eau; bijoux and bijou; française and français. */
function prepareFrench(word: string): string {
  return word
    .replace(frenchElision, '')
    .replace(/(?<=[bhjlnp])oux$/, 'ou')
    .replace(/aises?$/, 'ais')
}

/** mauvais, palais: not forms of a verb. */
const keepsAis = /(?:auv|épl|^.al)ais$/

/** In these `ers` isn't an ending: vers, østers. */
const keepsErs =
  /(?:^.{0,2}|^[^aeêioòóôuyæåø]*[aeêioòóôuyæåø]*|amm|ast|ind|(?<!s)kap|kk|lt|nk|omm|pp|(?<!gi|ha)v|øst)ers$/

/** The package would remove the `er` of such words, too: kompiuteriai. */
const lithuanianEr = /er(?=(?:s|iai|į|imi|ia|yje|ie|ys|ų|ims|yse)$)/

function createLithuanian(): Stemmer {
  // It doesn't know capital letters.
  const stem = before((word) => word.replace(lithuanianEr, 'eR'), 'lithuanian')
  return (word) => stem(word).toLowerCase()
}

/** dell’acqua and acqua; a divano is no diva. */
function prepareItalian(word: string): string {
  return word.replace(italianElision, '').replace(/^divan[oi]$/, 'divan')
}

const loaders: ReadonlyMap<string, () => Stemmer> = new Map<string, () => Stemmer>([
  ['ar', () => packaged('arabic')],
  ['bg', () => packaged('bulgarian')],
  ['cs', () => stemCzech],
  ['da', () => packaged('danish')],
  ['de', () => stemGerman],
  ['el', () => packaged('greek')],
  ['en', () => stemEnglish],
  // Often written without the accent.
  ['es', () => before((word) => word.replace(/(?<=[au]c)ion$/, 'ión'), 'spanish')],
  ['fi', () => packaged('finnish')],
  ['fr', () => before(prepareFrench, 'french', (word) => keepsAis.test(word))],
  ['hu', () => packaged('hungarian')],
  ['id', () => packaged('indonesian')],
  ['it', () => before(prepareItalian, 'italian')],
  ['lt', createLithuanian],
  ['nl', () => stemDutch],
  [
    'no',
    () =>
      before(
        (word) => word.replace(/[êòóô]/g, foldTerm),
        'norwegian',
        (word) => keepsErs.test(word),
      ),
  ],
  ['pl', () => stemPolish],
  ['pt', () => packaged('portuguese')],
  // Letters with a comma below are often written with a cedilla, the form that the package knows.
  ['ro', () => before((word) => word.replaceAll('ș', 'ş').replaceAll('ț', 'ţ'), 'romanian')],
  ['ru', () => packaged('russian')],
  ['sv', () => stemSwedish],
  // Endings of names follow an apostrophe; in o’connor a name does.
  ['tr', () => before((word) => word.replace(/^'+/, '').replace(/(?<=..)'.*$/, ''), 'turkish')],
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
