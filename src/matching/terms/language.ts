import { hashText } from './term-hash.ts'
import type { TermView, Word } from './term-view.ts'

/** Words that identify a language, without accents: few, common, and rarely shared with the others. */
const stopWords: Record<string, string> = {
  en: 'the of and to in is that for it with as was are be this from by not have which you at an been they were has',
  de: 'der die und das den von zu mit sich des auf fur ist im dem nicht ein eine als auch wird sind nach bei oder werden',
  fr: 'le les des et en du une est que dans pour qui sur pas au par avec ce plus sont aux cette ses mais nous',
  es: 'el los las y en del una que se por con para es su al como mas pero fue este ha son entre esta',
  it: 'il di che e la per un una non con del della sono si dei nel alla piu anche gli le dal delle come questo',
  pt: 'o os as e em do da dos das um uma que nao para com por mais ao como foi pela pelo sao sua',
  nl: 'de het een van en in is dat op te zijn met voor niet aan er om ook als bij door maar naar werd',
  sv: 'och att det som en pa ar av for den med till inte har om ett var jag kan fran eller vid',
  da: 'og det at er en til af pa som med den for ikke de har der et var fra blev om han',
  no: 'og det er som en pa til av for med at ikke den har de et var fra ble om han hun',
  ru: 'и в не на что с по как это к но из у за от для о его она так был же все',
  uk: 'і в не на що з та до у як це за від про його для але вона був',
  pl: 'i w na z do nie sie to ze jest o jak po ale przez od dla co tym oraz byl',
  cs: 'a v na se je ze s z do o to i jako ale pro by za byl jeho podle ktere',
  tr: 've bir bu da de icin ile olarak gibi daha cok olan ne en var kadar sonra ancak',
  ro: 'si in de la cu pe o un nu este din care pentru mai sa ca au fost prin sau',
  fi: 'ja on ei se oli hanen mutta ovat kun joka myos kuin han etta tai ole sen',
  hu: 'a az es hogy nem egy is volt de meg csak mint ez vagy el ki mar',
}

const lists = Object.entries(stopWords).map(([language, text]) => ({
  language,
  words: text.split(' ').map((word): Word => ({ text: word, hash: hashText(word) })),
}))

/** Scripts that identify a language. Kana comes first: Japanese has both. */
const scripts: [language: string, first: number, last: number][] = [
  ['ja', 0x3040, 0x30ff],
  ['ko', 0x1100, 0x11ff],
  ['zh', 0x4e00, 0x9fff],
  ['th', 0x0e00, 0x0e7f],
  ['el', 0x0370, 0x03ff],
  ['he', 0x0590, 0x05ff],
  ['ar', 0x0600, 0x06ff],
  ['hi', 0x0900, 0x097f],
]
/** Maps the written forms of Norwegian. */
const written: ReadonlyMap<string, string> = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
])
const SAMPLED_TERMS = 3_000
const ENOUGH_STOP_WORDS = 0.05

/**
 * The language of a document as a two-letter code; '' if unknown. The language that the page declares counts if it is a language at
 * all; otherwise script and most common words decide.
 */
export function detectLanguage(plain: TermView, said?: string): string {
  const tag = /^\s*([a-z]{2})(?:[-_]|\s*$)/i.exec(said ?? '')
  if (tag !== null) return written.get(tag[1]!.toLowerCase()) ?? tag[1]!.toLowerCase()
  return languageByScript(plain) ?? languageByStopWords(plain)
}

function languageByScript({ table }: TermView): string | null {
  const found = new Map<string, number>()
  const terms = Math.min(table.limit, SAMPLED_TERMS)
  for (let term = 0; term < terms; term++) {
    const unit = table.units[table.offsets[term]!]!
    if (unit < 0x370) continue
    const script = scripts.find(([, first, last]) => unit >= first && unit <= last)
    if (script !== undefined) found.set(script[0], (found.get(script[0]) ?? 0) + 1)
  }
  const kana = found.get('ja') ?? 0
  // Japanese pages have more Chinese characters than kana, Chinese pages next to no kana.
  if (kana > 0 && kana * 10 > (found.get('zh') ?? 0)) found.set('ja', kana + (found.get('zh') ?? 0))
  const [best] = [...found].sort((a, b) => b[1] - a[1])
  return best !== undefined && best[1] * 3 > terms ? best[0] : null
}

function languageByStopWords(plain: TermView): string {
  let best = ''
  let bestCount = plain.tokens * ENOUGH_STOP_WORDS
  for (const { language, words } of lists) {
    let count = 0
    for (const word of words) {
      const term = plain.find(word)
      if (term !== -1) count += plain.counts[term]!
    }
    if (count > bestCount) {
      best = language
      bestCount = count
    }
  }
  return best
}
