/**
 * Snowball's Polish stemmer: removes one ending of a verb, adjective or noun, leaving at least two letters. Endings of nouns are short,
 * so they must be in R1: what follows the first consonant after a vowel.
 */
const vowel = 'aąeęioóuy'

/** Removed. */
const verbs =
  'asz esz isz amy emy imy acie ecie icie ają eść aść ać ieć ić ąć ając ąc ałem iałem iłem ałam iałam iłam am ałeś iałeś iłeś ałaś iałaś iłaś ał iał ił ała iała iła ało iało iło aliśmy ieliśmy iliśmy ałyśmy iałyśmy iłyśmy aliście ieliście iliście ałyście iałyście iłyście ali ieli ili ały iały iły aj ajcie cie ę'
const participles = 'ająca ąca iejsza sza ającą ącą iejszą ające ące iejsze sze'
/** Replaced by one letter. */
const toS = 'szę sząca szącą szące'
/** być, żyć: only one letter would be left. */
const toL = 'łeś łaś liśmy łyśmy liście łyście'
/** Before these, an adjective can have the ending of a participle or a comparative. */
const adjectives = 'y ego iego emu iemu ym im ej iej ych ich ymi imi'
const nouns = 'a o i u ia owi iowi ą ią em iem e iu ie ów om iom ami iami ach iach'

type Ending = { by: string; isAdjective?: boolean; isNoun?: boolean }

const endings: ReadonlyMap<string, Ending> = new Map([
  ...each(`${verbs} ${participles}`, { by: '' }),
  ...each(toS, { by: 's' }),
  ...each(toL, { by: 'ł' }),
  ...each(adjectives, { by: '', isAdjective: true }),
  ...each(nouns, { by: '', isNoun: true }),
  ...each('szą', { by: 's' }),
])
const LONGEST = Math.max(...[...endings.keys()].map((ending) => ending.length))

function each(list: string, ending: Ending): [string, Ending][] {
  return list.split(' ').map((text) => [text, ending])
}

export function stemPolish(word: string): string {
  const r1 = regionOne(word)
  const base = word.slice(0, r1) + word.slice(r1).replace(/by(?:m|ś|śmy|ście)?$/, '')
  return withoutEnding(base, r1) ?? withoutAccent(base)
}

function regionOne(word: string): number {
  let at = 0
  while (at < word.length && !vowel.includes(word[at]!)) at++
  while (at < word.length && vowel.includes(word[at]!)) at++
  return Math.min(word.length, at + 1)
}

function withoutEnding(word: string, r1: number): string | null {
  for (let at = Math.max(2, word.length - LONGEST); at < word.length; at++) {
    const text = word.slice(at)
    const ending = endings.get(text)
    if (ending === undefined || (ending.isNoun && at < r1)) continue
    const rest = word.slice(0, at)
    // lepszą is a comparative, noszą a verb.
    if (text === 'szą') return at >= r1 ? rest : `${rest}s`
    const stem = ending.isAdjective ? withoutParticiple(rest) : rest + ending.by
    return stem.length > 2 && stem.endsWith("'") ? stem.slice(0, -1) : stem
  }
  return null
}

function withoutParticiple(word: string): string {
  const tail = word.slice(2)
  if (tail.endsWith('sząc')) return word.slice(0, -3)
  return word.slice(0, 2) + tail.replace(/(?:ając|ąc|iejsz|sz)$/, '')
}

/** Most other cases are written without the accent: słoń, słonia. */
function withoutAccent(word: string): string {
  return word.length < 2 ? word : word.replace(/[ćńśź]$/, (letter) => plain.get(letter)!)
}

const plain: ReadonlyMap<string, string> = new Map(Object.entries({ ć: 'c', ń: 'n', ś: 's', ź: 'z' }))
