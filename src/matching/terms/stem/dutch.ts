/**
 * Kraaij and Pohlmann's Dutch stemmer, as in Snowball's third version. R1 is what follows the first consonant after a vowel, R2 what
 * follows the next one; `ij` is a vowel. It removes endings and the `ge` of participles, in front (gewerkt) and after a prefix
 * (overgedragen), and doubles the vowel of a formerly open syllable again (benen, been).
 */
const A = 'aäáàâ'
const E = 'eëéèê'
const I = 'iïíìî'
const O = 'oöóòô'
const U = 'uüúùû'
const AIOU = A + I + O + U
const AEIOU = AIOU + E
const vowels = `${AEIOU}y`

const step1 = /(?:ies|aus|nde|'s|es|és|en|s)$/
const step2 = /(?:lijke|ische|ieve|ene|je|ge|de|te|se|re|le)$/
const step3 = /(?:iteit|atie|heid|ster|rder|isme|erij|arij|sel|ing|fie|gie|tst|dst)$/
const step4 = /(?:achtiger|achtigst|ioneel|lijker|lijkst|achtig|eriger|erigst|atief|baar|naar|laar|raar|tant|erig|end)$/

/** Regions measured before any ending is removed; all endings are judged by them. */
type Regions = { r1: number; r2: number }

export function stemDutch(word: string): string {
  let regions = measure(word)
  let stem = word
  for (const step of [singular, withoutE, withoutNounEnding, withoutAdjectiveEnding]) stem = step(stem, regions) ?? stem
  let isStemmed = stem !== word
  for (const from of [0, 1]) {
    const rest = withoutGe(stem, from)
    if (rest === null) continue
    isStemmed = true
    regions = measure(rest)
    stem = withoutParticipleEnding(rest, regions)
  }
  const bare = stem.replace(/(?<=[kfp])t$/, '')
  isStemmed ||= bare !== stem
  return isStemmed ? hardened(bare) : bare
}

function measure(word: string): Regions {
  const r1 = regionAfter(word, 0)
  return { r1, r2: regionAfter(word, r1) }
}

function regionAfter(word: string, from: number): number {
  const end = afterVowels(word, from)
  return end < word.length ? end + 1 : word.length
}

/** The index after the next vowels; the end of the word if there are none. */
function afterVowels(word: string, from: number): number {
  let at = from
  while (at < word.length && !isVowel(word[at])) at++
  while (isVowel(word[at]) || (word[at] === 'j' && word[at - 1] === 'i' && at > from)) at++
  return at
}

function isVowel(letter: string | undefined): boolean {
  return letter !== undefined && vowels.includes(letter)
}

const endsInVowel = (word: string): boolean => isVowel(word.at(-1)) || word.endsWith('ij')
const endsInConsonant = (word: string): boolean => word !== '' && !endsInVowel(word)

function endingOf(word: string, endings: RegExp): { ending: string; rest: string } | null {
  const found = endings.exec(word)
  return found === null ? null : { ending: found[0], rest: word.slice(0, found.index) }
}

/** Every step returns null if it doesn't apply. */
function singular(word: string, { r1 }: Regions): string | null {
  const found = endingOf(word, step1)
  if (found === null) return null
  const { ending, rest } = found
  const inR1 = rest.length >= r1
  switch (ending) {
    case "'s":
      return rest
    case 's':
      return inR1 && !(rest.endsWith('t') && rest.length > r1) && endsInConsonant(rest) ? rest : null
    case 'ies':
    case 'és':
      return inR1 ? word.slice(0, -1) : null
    case 'aus':
      return inR1 && endsInVowel(rest) ? word.slice(0, -1) : null
    case 'nde':
      return word.slice(0, -1)
    case 'es': {
      const before = /[ae]r$/.test(rest) ? rest.slice(0, -2) : ''
      if (before.length >= r1 && endsInConsonant(before)) return rest.endsWith('ar') ? lengthened(rest) : rest
      return inR1 && endsInConsonant(rest) ? `${rest}e` : null
    }
    default:
      return withoutEn(rest, r1)
  }
}

function withoutEn(rest: string, r1: number): string | null {
  if (rest.endsWith('hed') && rest.length - 3 >= r1) return `${rest.slice(0, -3)}heid`
  if (rest.endsWith('nd')) return rest
  const before = rest.slice(0, -1)
  if (rest.endsWith('d') && before.length >= r1 && endsInConsonant(before)) return before
  if (/[ij]$/.test(rest) && endsInVowel(before)) return rest
  return rest.length >= r1 && endsInConsonant(rest) ? lengthened(rest) : null
}

function withoutE(word: string, { r1 }: Regions): string | null {
  const found = endingOf(word, step2)
  if (found === null) return null
  const { ending, rest } = found
  if (ending === 'je') return withoutDiminutive(rest, r1)
  if (rest.length < r1) return null
  const isBehindConsonant = endsInConsonant(rest)
  switch (ending) {
    case 'de':
      return isBehindConsonant ? rest : null
    case 'le':
      return lengthened(`${rest}l`)
    case 'ene':
      return isBehindConsonant ? lengthened(`${rest}en`) : null
    case 'ieve':
      return isBehindConsonant ? `${rest}ief` : null
    default:
      return word.slice(0, -1)
  }
}

function withoutDiminutive(rest: string, r1: number): string | null {
  const cut = (letters: number): string => rest.slice(0, rest.length - letters)
  if (rest.endsWith("'t")) return cut(2)
  if (rest.endsWith('et') && rest.length - 2 >= r1 && endsInConsonant(cut(2))) return cut(2)
  if (rest.endsWith('rnt')) return cut(1)
  if (rest.endsWith('t') && rest.length - 1 >= r1 && endsInVowel(cut(2))) return cut(1)
  if (rest.endsWith('ink')) return `${cut(1)}g`
  if (rest.endsWith('mp')) return cut(1)
  if (rest.endsWith("'") && rest.length - 1 >= r1) return cut(1)
  return rest.length >= r1 && endsInConsonant(rest) ? rest : null
}

function withoutNounEnding(word: string, { r1, r2 }: Regions): string | null {
  const found = endingOf(word, step3)
  if (found === null) return null
  const { ending, rest } = found
  if (ending === 'rder') return `${rest}r`
  // A schilderij is a painting, and a schild a shield.
  if (/^(?:ing|isme|erij)$/.test(ending) && rest.endsWith('ild')) return `${rest}er`
  if (rest.length < (ending === 'fie' || ending === 'gie' ? r2 : r1)) return null
  switch (ending) {
    case 'atie':
      return `${rest}eer`
    case 'iteit':
    case 'ing':
    case 'isme':
    case 'erij':
      return lengthened(rest)
    case 'arij':
      return endsInConsonant(rest) ? `${rest}aar` : null
    case 'fie':
    case 'gie':
      return lengthened(rest + ending[0])
    case 'tst':
    case 'dst':
      return endsInConsonant(rest) ? rest + ending[0] : null
    default:
      return rest
  }
}

function withoutAdjectiveEnding(word: string, { r1 }: Regions): string | null {
  const found = endingOf(word, step4)
  const longer = found === null || found.rest.length < r1 ? null : adjective(found.ending, found.rest)
  if (longer !== null) return longer
  const rest = word.replace(/ig(?:er|st)?$/, '')
  // Innig is not in.
  if (rest === word || rest.length < r1 || rest === 'inn' || !endsInConsonant(rest)) return null
  return lengthened(rest)
}

function adjective(ending: string, rest: string): string | null {
  switch (ending) {
    case 'ioneel':
      return `${rest}ie`
    case 'atief':
      return `${rest}eer`
    case 'naar':
    case 'laar':
    case 'raar':
      return endsInVowel(rest) ? rest + ending[0] : null
    case 'tant':
      return `${rest}teer`
    case 'lijker':
    case 'lijkst':
      return `${rest}lijk`
    case 'eriger':
    case 'erigst':
    case 'erig':
    case 'end':
      return endsInConsonant(rest) ? lengthened(rest) : null
    default:
      return rest
  }
}

/** Doubles a single vowel before the last consonant if it is long in a closed syllable. */
function lengthened(word: string): string {
  const last = word.at(-1)
  if (last === undefined || vowels.includes(last) || last === 'w' || last === 'x') return word
  const before = word.slice(0, -1)
  if (before.endsWith('eë')) return `${before}e${last}`
  if (before.endsWith('ië')) return `${before.slice(0, -1)}ee${last}`
  const vowel = before.at(-1)
  if (vowel === undefined || vowel === 'ë') return word
  const front = before.slice(0, -1)
  const isAlone = front === '' || !AEIOU.includes(front.at(-1)!)
  if (!isAlone) return word
  if ((A + O + U).includes(vowel)) return `${front}${vowel}${vowel}${last}`
  return E.includes(vowel) && isLongE(front.slice(0, -1)) ? `${front}${vowel}${vowel}${last}` : word
}

/** Decided by what precedes the consonant before the `e`. */
function isLongE(front: string): boolean {
  const last = front.at(-1)
  if (last === undefined) return true
  if (AIOU.includes(last) || (front.length === 1 && E.includes(last))) return false
  return !(front.length >= 3 && AIOU.includes(front.at(-2)!) && !AEIOU.includes(front.at(-3)!))
}

/** Removes the first `ge` at or after an index; null if what follows is too short to be a word. */
function withoutGe(word: string, from: number): string | null {
  const at = from === 0 ? (word.startsWith('ge') ? 0 : -1) : word.indexOf('ge', from)
  if (at === -1) return null
  const rest = word.slice(at + 2)
  if (rest.length < 3 || afterVowels(rest, 0) >= rest.length) return null
  // Geeft, geval and gevaar are not participles.
  if (at === 0 && /^(?:eft|val(?!i)|vaa|vare)/.test(rest)) return null
  return word.slice(0, at) + rest.replace(/^ë/, 'e').replace(/^ï/, 'i')
}

function withoutParticipleEnding(word: string, { r1 }: Regions): string {
  const rest = word.slice(0, -1)
  if (!/[dt]$/.test(word) || rest.length < r1 || !endsInConsonant(rest)) return word
  const isInR1 = rest.length - 1 >= r1
  if (word.endsWith('d')) {
    if (rest.endsWith('n') && isInR1) return word
    return rest === 'in' ? 'inn' : rest
  }
  return (rest.endsWith('h') && isInR1) || rest === 'en' ? word : rest
}

function hardened(word: string): string {
  if (word === 'inn') return word
  if (/([bcdfghjklmnpqrstvwxz])\1$/.test(word)) return word.slice(0, -1)
  return word.replace(/v$/, 'f').replace(/z$/, 's')
}
