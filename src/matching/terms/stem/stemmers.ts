import { stemEnglish } from './english.ts'

const words = (text: string): string[] => text.split(' ')

/** Endings of inflection, without accents; the text after `>` replaces them. */
const endings: Record<string, Endings> = {
  // An s is an ending only behind some letters: Autos but not Preis.
  de: {
    minStem: 3,
    steps: [words('ern em er en es e bs>b ds>d fs>f gs>g hs>h ks>k ls>l ms>m ns>n os>o rs>r ts>t'), words('innen in')],
  },
  fr: {
    minStem: 3,
    steps: [
      words('aux>al eux>eu s x'),
      words(
        'issement issant ement ment euse>eu trice>teur ation>at ateur>at ante ant ees ee er ez ait aient ions ons ent ir',
      ),
      words('e'),
    ],
  },
  es: {
    minStem: 3,
    steps: [
      words('es s'),
      words('amiento imiento mente aciones>ac acion>ac idades>idad ando iendo aron ieron aba ado ido ada ida ar er ir'),
      words('o a e'),
    ],
  },
  it: {
    minStem: 3,
    steps: [
      words(
        'amento imento mente azioni>az azione>az ando endo ato ito uto ata ita uta ati iti uti ate ite ute are ere ire',
      ),
      words('i o a e'),
    ],
  },
  pt: {
    minStem: 3,
    steps: [
      words('oes>ao aes>ao ais>al eis>el es s'),
      words('amento imento mente acao>ac ando endo indo aram eram iram ado ido ada ida ar er ir'),
      words('o a e'),
    ],
  },
  nl: { minStem: 4, steps: [words('heden>heid en s e'), words('ingen>ing eren lijk ig')] },
  sv: { minStem: 4, steps: [words('arnas ernas ornas arna erna orna aren heten ande ade ar er or en et s a e')] },
  da: { minStem: 4, steps: [words('erne ene ers er en et es s e')] },
  no: { minStem: 4, steps: [words('ene ane ers er en et es s a e')] },
  ru: {
    minStem: 3,
    steps: [
      words('ость ости остью'),
      words(
        'иями ями ами иях ях ах ого его ому ему ыми ими ой ей ый ий ая яя ое ее ые ие ую юю ом ем ам ям ов ев ать ять ить еть ает яет ют ут ат ят ал ил ла ли ло а я о е ы и у ю ь',
      ),
    ],
  },
}

/** Gives words of one root one spelling, mostly. It takes words as they are compared: without case and accents. */
export type Stemmer = (word: string) => string

const stemmers = new Map<string, Stemmer>([['en', stemEnglish]])
for (const [language, list] of Object.entries(endings)) stemmers.set(language, createLightStemmer(list))

/** Languages by their two letters, in the order of the alphabet. */
export const stemmedLanguages: readonly string[] = [...stemmers.keys()].sort()

export function findStemmer(language: string): Stemmer | undefined {
  return stemmers.get(language)
}

type Endings = {
  /** The least that must be left of a word. */
  minStem: number
  /** In each step the longest ending that fits is removed, if any. An entry is `ending` or `ending>replacement`. */
  steps: readonly (readonly string[])[]
}

/**
 * Takes common endings of nouns, adjectives and verbs off. It knows no exceptions and no roots: it errs towards leaving a
 * word as it is.
 */
function createLightStemmer({ minStem, steps }: Endings): (word: string) => string {
  const prepared = steps.map((step) =>
    step
      .map((entry) => {
        const [ending = '', by = ''] = entry.split('>')
        return { ending, by }
      })
      .sort((a, b) => b.ending.length - a.ending.length),
  )
  return (word) => {
    let stem = word
    for (const step of prepared) {
      const found = step.find(({ ending }) => stem.length - ending.length >= minStem && stem.endsWith(ending))
      if (found !== undefined) stem = stem.slice(0, stem.length - found.ending.length) + found.by
    }
    return stem
  }
}
