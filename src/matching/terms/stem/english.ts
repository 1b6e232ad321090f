/**
 * The second version of Porter's stemmer, as Snowball's third version defines it.
 * R1 is what follows the first consonant after a vowel, R2 what follows the next one. `Y` is a consonant.
 */
const exceptions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    skis: 'ski',
    skies: 'sky',
    idly: 'idl',
    gently: 'gentl',
    ugly: 'ugli',
    early: 'earli',
    only: 'onli',
    singly: 'singl',
  }),
)
const invariant = new Set(['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'])
const invariantLater = new Set([
  'inning',
  'outing',
  'canning',
  'herring',
  'earring',
  'evening',
  'proceed',
  'exceed',
  'succeed',
])
/** Words that begin like these are different words: organ and organic, past and paste. */
const prefixes = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/

const step2 = rules(
  'tional>tion enci>ence anci>ance abli>able entli>ent izer>ize ization>ize ational>ate ation>ate ator>ate alism>al aliti>al alli>al fulness>ful ousli>ous ousness>ous iveness>ive iviti>ive biliti>ble bli>ble ogist>og ogi>og fulli>ful lessli>less li>',
)
const step3 = rules('tional>tion ational>ate alize>al icate>ic iciti>ic ical>ic ful> ness> ative>')
const step4 = rules('al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> ism> ate> iti> ous> ive> ize> ion>')

type Rule = { suffix: string; by: string }

function rules(text: string): Rule[] {
  const list = text.split(' ').map((entry) => {
    const [suffix = '', by = ''] = entry.split('>')
    return { suffix, by }
  })
  return list.sort((a, b) => b.suffix.length - a.suffix.length)
}

const onlyAscii = /^[a-z]+$/

export function stemEnglish(written: string): string {
  const given = withoutApostrophes(written)
  if (given.length <= 2 || !onlyAscii.test(given) || invariant.has(given)) return given
  const exception = exceptions.get(given)
  if (exception !== undefined) return exception
  const marked = given.replace(/^y|(?<=[aeiouy])y/g, 'Y')
  const r1 = regionOne(marked)
  const r2 = regionAfter(marked, r1)
  let word = removePlural(marked)
  if (invariantLater.has(word)) return word
  word = removeParticiple(word, r1)
  if (/^.+[^aeiouy][yY]$/.test(word)) word = `${word.slice(0, -1)}i`
  word = applyStep2(word, r1)
  word = applyStep3(word, r1, r2)
  word = applyStep4(word, r2)
  return removeLastLetter(word, r1, r2).toLowerCase()
}

/** 'quoted', today's, parents' */
function withoutApostrophes(word: string): string {
  return word.length > 2 && word.includes("'") ? word.replace(/^'/, '').replace(/'(?:s'?)?$/, '') : word
}

function regionOne(word: string): number {
  const prefix = prefixes.exec(word)
  return prefix === null ? regionAfter(word, 0) : prefix[0].length
}

function regionAfter(word: string, from: number): number {
  const found = /[aeiouy][^aeiouy]/.exec(word.slice(from))
  return found === null ? word.length : from + found.index + 2
}

function removePlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (word.endsWith('ied') || word.endsWith('ies')) return word.slice(0, word.length > 4 ? -2 : -1)
  if (word.endsWith('us') || word.endsWith('ss') || !word.endsWith('s')) return word
  return /[aeiouy].+s$/.test(word) ? word.slice(0, -1) : word
}

function removeParticiple(word: string, r1: number): string {
  const found = /(?:eedly|eed|edly|ed|ingly|ing)$/.exec(word)
  if (found === null) return word
  const [suffix] = found
  const stem = word.slice(0, found.index)
  if (suffix.startsWith('eed')) return found.index >= r1 ? `${stem}ee` : word
  // dying, tying
  if (suffix === 'ing' && /^[^aeiouy]y$/.test(stem)) return `${stem.slice(0, -1)}ie`
  if (!/[aeiouy]/.test(stem)) return word
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(stem)) return /^[aeo]..$/.test(stem) ? stem : stem.slice(0, -1)
  return stem.length <= r1 && endsShort(stem) ? `${stem}e` : stem
}

function endsShort(stem: string): boolean {
  return /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy]|past)$/.test(stem)
}

function longest(word: string, list: readonly Rule[]): Rule | undefined {
  return list.find(({ suffix }) => word.endsWith(suffix))
}

function applyStep2(word: string, r1: number): string {
  const rule = longest(word, step2)
  if (rule === undefined) return word
  const stem = word.slice(0, word.length - rule.suffix.length)
  if (stem.length < r1) return word
  if (rule.suffix === 'ogi' && !stem.endsWith('l')) return word
  if (rule.suffix === 'li' && !/[cdeghkmnrt]$/.test(stem)) return word
  return stem + rule.by
}

function applyStep3(word: string, r1: number, r2: number): string {
  const rule = longest(word, step3)
  if (rule === undefined) return word
  const stem = word.slice(0, word.length - rule.suffix.length)
  return stem.length < (rule.suffix === 'ative' ? r2 : r1) ? word : stem + rule.by
}

function applyStep4(word: string, r2: number): string {
  const rule = longest(word, step4)
  if (rule === undefined) return word
  const stem = word.slice(0, word.length - rule.suffix.length)
  if (stem.length < r2 || (rule.suffix === 'ion' && !/[st]$/.test(stem))) return word
  return stem
}

function removeLastLetter(word: string, r1: number, r2: number): string {
  const stem = word.slice(0, -1)
  if (word.endsWith('e')) return stem.length >= r2 || (stem.length >= r1 && !endsShort(stem)) ? stem : word
  return word.endsWith('ll') && stem.length >= r2 ? stem : word
}
