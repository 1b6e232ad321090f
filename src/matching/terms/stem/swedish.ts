/** Snowball's Swedish stemmer. R1 is what follows the first consonant after a vowel, but starts after the third letter at the earliest. */
const vowel = 'aeiouyäåö'
const main = new RegExp(
  `(?:${'heterna hetens arnas ernas ornas andes andet arens anden heten heter arna erna orna ande arne aste aren ades erns ade are ern ens ets het ast ad en ar er or as es at et a e s'
    .split(' ')
    .join('|')})$`,
)
/** After these, `et` belongs to the word. */
const keptBeforeEt = /(?:h|iet|uit|fab|cit|dit|alit|ilit|mit|nit|pit|rit|sit|tit|ivit|kvit|xit|kom|rak|pak|stak)$/

export function stemSwedish(word: string): string {
  const r1 = Math.max(3, regionAfter(word))
  let stem = mainEnding(word, r1)
  if (/(?:dd|gd|nn|dt|gt|kt|tt)$/.test(stem.slice(r1))) stem = stem.slice(0, -1)
  const ending = /(?:lig|ig|els|fullt|öst)$/.exec(stem.slice(r1))?.[0] ?? ''
  const rest = stem.slice(0, stem.length - ending.length)
  if (ending === '') return stem
  if (ending === 'fullt') return stem.slice(0, -1)
  if (ending === 'öst') return /[iklnprtuv]$/.test(rest) ? stem.slice(0, -1) : stem
  return rest
}

function mainEnding(word: string, r1: number): string {
  const ending = main.exec(word.slice(r1))?.[0] ?? ''
  const rest = word.slice(0, word.length - ending.length)
  if (ending === '') return word
  if (ending === 's') return /[bcdfghjklmnoprtvy]$/.test(rest) ? rest : word
  if (ending !== 'et' && ending !== 'ets') return rest
  if (/[aeiouyäåö][^aeiouyäåö]$/.test(rest) && !keptBeforeEt.test(rest)) return rest
  return ending === 'ets' ? `${rest}et` : word
}

function regionAfter(word: string): number {
  let at = 0
  while (at < word.length && !vowel.includes(word[at]!)) at++
  while (at < word.length && vowel.includes(word[at]!)) at++
  return Math.min(word.length, at + 1)
}
