/**
 * Snowball's German stemmer. Umlauts may be written as `ae`, `oe`, `ue`: Mueller is Müller. R1 is what follows the first consonant after
 * a vowel, but starts after the third letter at the earliest; R2 is what follows the next one. `U` and `Y` are consonants.
 */
const vowel = 'aeiouyäöü'
const respelled: ReadonlyMap<string, string> = new Map(Object.entries({ ß: 'ss', ae: 'ä', oe: 'ö', ue: 'ü', qu: 'qu' }))
const plain: ReadonlyMap<string, string> = new Map(Object.entries({ ä: 'a', ö: 'o', ü: 'u', U: 'u', Y: 'y' }))
const step1 = /(?:erinnen|erin|ern|em|er|en|es|e|lns|ln|s)$/
const step2 = /(?:est|st|en|er|et)$/
const step3 = /(?:isch|lich|heit|keit|end|ung|ig|ik)$/
const keptBeforeEt = /(?:geordn|intern|plan|tick|tr)$/

export function stemGerman(word: string): string {
  let stem = word
    .replace(/(?<=[aeiouyäöü])[uy](?=[aeiouyäöü])/g, (letter) => letter.toUpperCase())
    .replace(/ß|ae|oe|ue|qu/g, (letters) => respelled.get(letters)!)
  const after = regionAfter(stem, 0)
  const r1 = Math.max(3, after)
  const r2 = regionAfter(stem, after)
  stem = endInR1(stem, r1)
  stem = secondEndInR1(stem, r1)
  stem = endInR2(stem, r1, r2)
  return stem.replace(/[äöüUY]/g, (letter) => plain.get(letter)!)
}

function regionAfter(word: string, from: number): number {
  let at = from
  while (at < word.length && !vowel.includes(word[at]!)) at++
  while (at < word.length && vowel.includes(word[at]!)) at++
  return Math.min(word.length, at + 1)
}

function cut(word: string, ending: string): string {
  return word.slice(0, word.length - ending.length)
}

function endInR1(word: string, r1: number): string {
  const ending = step1.exec(word)?.[0] ?? ''
  const rest = cut(word, ending)
  if (ending === '' || rest.length < r1) return word
  switch (ending) {
    case 'em':
      return rest.endsWith('syst') ? word : rest
    case 'e':
    case 'en':
    case 'es':
      return rest.endsWith('niss') ? rest.slice(0, -1) : rest
    case 's':
      return /[bdfghklmnrt]$/.test(rest) ? rest : word
    case 'ln':
    case 'lns':
      return `${rest}l`
    default:
      return rest
  }
}

function secondEndInR1(word: string, r1: number): string {
  const ending = step2.exec(word)?.[0] ?? ''
  const rest = cut(word, ending)
  if (ending === '' || rest.length < r1) return word
  if (ending === 'st') return rest.length >= 4 && /[bdfghklmnt]$/.test(rest) ? rest : word
  if (ending === 'et') return /[Udfgklmnrstzä]$/.test(rest) && !keptBeforeEt.test(rest) ? rest : word
  return rest
}

function endInR2(word: string, r1: number, r2: number): string {
  const ending = step3.exec(word)?.[0] ?? ''
  const rest = cut(word, ending)
  if (ending === '' || rest.length < r2) return word
  switch (ending) {
    case 'end':
    case 'ung':
      return /(?<!e)ig$/.test(rest) && rest.length - 2 >= r2 ? rest.slice(0, -2) : rest
    case 'ig':
    case 'ik':
    case 'isch':
      return rest.endsWith('e') ? word : rest
    case 'lich':
    case 'heit':
      return /e[rn]$/.test(rest) && rest.length - 2 >= r1 ? rest.slice(0, -2) : rest
    default: {
      const further = /(?:lich|ig)$/.exec(rest)?.[0] ?? ''
      return rest.length - further.length >= r2 ? cut(rest, further) : rest
    }
  }
}
