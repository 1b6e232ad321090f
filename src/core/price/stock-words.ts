import type { Availability } from './offer.ts'

/** Characters before a statement that may deny it. */
const maxDenial = 40
/** Longer texts don't describe a single product. */
const maxLength = 500

const out =
  /(?<!\p{L})(?:out[- ]of[- ]stock|sold[- ]out|not in stock|unavailable|discontinued|ausverkauft|vergriffen|nicht vorrätig|épuisée?s?|rupture de stock|indisponible|agotad[oa]s?|sin stock|no hay stock|esaurit[oa]|uitverkocht|esgotad[oa]|indisponível|slutsåld|slut i lager|udsolgt|utsolgt|wyprzedan[yea]|niedostępn[yea]|brak w magazynie|vyprodáno|nedostupn[éý]|elfogyott|нет в наличии|нет на складе|распродан[оаы]?|немає в наявності|tükendi|stokta yok|loppu)(?!\p{L})|售罄|缺货|缺貨|无货|無貨|売り切れ|売切|在庫切れ|在庫なし|在庫無し|入荷待ち|품절|재고 ?없음|غير متوفر|נגמר|אזל/iu
/** What denies the words of `inStock` after it, with up to two words in between. */
const denial =
  /(?<!\p{L})(?:not|no longer|isn[’']t|aren[’']t|nicht|kein|pas|plus|non|no|ya no|più|não|niet|inte|ikke|ikkje|ei|nie|není|nejsou|nem|не|нет|değil)(?:\s\p{L}+){0,2}\s$/iu
const limited =
  /(?<!\p{L})(?:only \d{1,3} left|last (?:one|items?|\d{1,2})|few left|low stock|nur noch \d{1,3}|wenige (?:verfügbar|auf lager)|plus que \d{1,3}|solo quedan? \d{1,3})(?!\p{L})|残り\s?\d|仅剩\s?\d|僅剩\s?\d/iu
const preorder = /(?<!\p{L})(?:pre-?order|vorbestell\p{L}*|précommande|back-?order)|予約受付|预售|預購/iu
const inStock =
  /(?<!\p{L})(?:in stock|available(?: now)?|add to (?:cart|basket|bag)|buy now|auf lager|vorrätig|lieferbar|verfügbar|in den warenkorb|en stock|disponibles?|ajouter au panier|añadir al carrito|disponibil[ei]|op voorraad|leverbaar|em stock|disponível|i lager|på lager|varastossa|dostępn[yea]|skladem|raktáron|в наличии|в наявності|stokta)(?!\p{L})|有货|有貨|现货|現貨|在庫あり|在庫有り|재고 ?있음/iu

/** Says the same after any words: “No fees. Buy now”. */
const button = /^(?:add|buy|in den|ajouter|añadir)/i

/** The availability that a text states, in several languages. */
export function availabilityInText(text: string): Availability {
  const short = text.slice(0, maxLength)
  if (out.test(short)) return 'out-of-stock'
  if (limited.test(short)) return 'limited'
  if (preorder.test(short)) return 'preorder'
  const found = inStock.exec(short)
  if (found === null) return 'unknown'
  const before = short.slice(Math.max(0, found.index - maxDenial), found.index)
  return denial.test(before) && !button.test(found[0]) ? 'out-of-stock' : 'in-stock'
}
