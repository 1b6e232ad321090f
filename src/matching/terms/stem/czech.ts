/**
 * Snowball's Czech stemmer: case endings, then those of possessive adjectives. R1 is what follows the first consonant after a vowel,
 * but starts after the third letter at the earliest; `l` and `r` between consonants are vowels.
 */
const vowel = 'aeiouyáěéíóúůý'
const syllabic = `${vowel}lr`

const endings = new RegExp(
  `(?:${[
    'atech ětem etem atům ách ých ové ými ata aty ama ami ovi ech emi ěmi ěte ěti ete eti ého ému ťmi ích ího ími ímu',
    'at ám us ům ým mi ou ém ěm em eb ec ek ěk eň et ev ím u y ů a o á é ý ě e ť i í',
  ]
    .join(' ')
    .split(' ')
    .join('|')})$`,
)

export function stemCzech(word: string): string {
  if (word.length < 3) return word
  const r1 = regionOne(word)
  const stem = withoutCase(word, r1)
  const possessive = /(?:ov|ův|in)$/.exec(stem)
  if (possessive === null || possessive.index < r1) return stem
  const rest = stem.slice(0, -2)
  return possessive[0] === 'in' ? hardBeforeI(rest) : rest
}

function regionOne(word: string): number {
  let at = 0
  if (!vowel.includes(word[0]!)) {
    at = 1
    while (at < word.length && !syllabic.includes(word[at]!)) at++
  }
  at++
  while (at < word.length && vowel.includes(word[at]!)) at++
  return Math.min(word.length, Math.max(3, at + 1))
}

function withoutCase(word: string, r1: number): string {
  const ending = endings.exec(word.slice(r1))?.[0] ?? ''
  const rest = word.slice(0, word.length - ending.length)
  switch (ending) {
    case 'e':
    case 'ech':
    case 'em':
    case 'emi':
      return hardBeforeE(rest)
    case 'i':
    case 'í':
    case 'ích':
    case 'ího':
    case 'ím':
    case 'ími':
    case 'ímu':
      return hardBeforeI(rest)
    case 'ete':
    case 'eti':
    case 'etem':
      // Neuter nouns with a stem in -t: zvířete, but deseti.
      return /[člřsž]$/.test(rest) && !/(?:eč|tl|es)$/.test(rest) ? rest : `${rest}et`
    case 'ť':
    case 'ťmi':
      return `${rest}t`
    case 'eb':
    case 'ec':
    case 'ek':
    case 'ěk':
    case 'eň':
    case 'et':
    case 'ev':
      return withoutMovingE(word, rest, ending)
    default:
      return rest
  }
}

/** Removes an e that occurs only if no ending follows: článek, článku. */
function withoutMovingE(word: string, rest: string, ending: string): string {
  const isBehindConsonant = rest !== '' && !vowel.includes(rest.at(-1)!)
  switch (ending) {
    case 'eb':
      return isBehindConsonant && !rest.endsWith('tř') ? `${rest}b` : word
    case 'ec':
      return isBehindConsonant ? hardBeforeE(`${rest}c`) : word
    case 'ek':
      return isBehindConsonant && !/(?:dot|obl|sn)$/.test(rest) ? `${rest}k` : word
    case 'ěk':
      return rest.endsWith('n') ? `${rest.slice(0, -1)}ňk` : word
    case 'eň':
      return /[bcčdhkprsštvzž]$/.test(rest) ? `${rest}n` : word
    case 'et':
      return /(?:uc|č|h|ok|kar)$/.test(rest) ? `${rest}t` : word
    default:
      return /[hknrtz]$/.test(rest) ? `${rest}v` : word
  }
}

/** Before e and i, k has become c: vesnice and vesnik-, but finance. */
function hardBeforeE(word: string): string {
  return word.endsWith('ínc') || (word.endsWith('c') && !/(?:n|av|ov)c$/.test(word)) ? `${word.slice(0, -1)}k` : word
}

/** Before i, sk has also become št, and ck čt: čeština. */
function hardBeforeI(word: string): string {
  if (word.endsWith('čt')) return `${word.slice(0, -2)}ck`
  if (word.endsWith('št')) return /(?:á|de|i|í|le|pou)št$/.test(word) ? word : `${word.slice(0, -2)}sk`
  return hardBeforeE(word)
}
