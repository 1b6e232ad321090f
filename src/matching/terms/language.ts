import type { DocumentTerms } from './document-terms.ts'
import { stopWords } from './stop-words.ts'
import { hashText } from './term-hash.ts'
import type { Word } from './term-view.ts'

const lists = Object.entries(stopWords).map(([language, text]) => ({
  language,
  words: text.split(' ').map((word): Word => ({ text: word, hash: hashText(word) })),
}))

/** Scripts that belong to one language, or are told apart by others. Kana comes first: Japanese has both. */
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
const SAMPLED_TERMS = 3_000
const ENOUGH_STOP_WORDS = 0.05

/**
 * The language of a document by its two letters; '' where it cannot be told. What the page says of itself counts as
 * long as it is a language at all; otherwise its most common words do.
 */
export function detectLanguage(document: DocumentTerms, said?: string): string {
  const tag = /^\s*([a-z]{2})(?:[-_]|\s*$)/i.exec(said ?? '')
  if (tag !== null) return tag[1]!.toLowerCase()
  return languageByScript(document) ?? languageByStopWords(document)
}

function languageByScript({ plain }: DocumentTerms): string | null {
  const { table } = plain
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

function languageByStopWords({ plain }: DocumentTerms): string {
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
