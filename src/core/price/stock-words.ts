import type { Availability } from './offer.ts'

/** Longer texts don't describe a single product. */
const maxLength = 500

const out =
  /\b(?:out of stock|sold out|not (?:in stock|available)|unavailable|no longer available|currently unavailable|ausverkauft|nicht (?:verfügbar|lieferbar|auf lager)|vergriffen|épuisé|rupture de stock|indisponible|agotado|no disponible|sin stock|esaurito|non disponibile|uitverkocht|niet (?:op voorraad|leverbaar)|esgotado|indisponível|wyprzedan[ye]|niedostępny|vyprodáno|нет в наличии|распродано)(?!\p{L})/iu
const limited =
  /\b(?:only \d{1,3} left|last (?:one|items?|\d{1,2})|few left|low stock|nur noch \d{1,3}|wenige (?:verfügbar|auf lager)|plus que \d{1,3}|solo quedan? \d{1,3})(?!\p{L})/iu
const preorder = /\b(?:pre-?order|vorbestell\p{L}*|précommande|back-?order)/iu
const inStock =
  /(?<!\p{L})(?:in stock|available(?: now)?|add to (?:cart|basket|bag)|buy now|auf lager|lieferbar|verfügbar|in den warenkorb|en stock|disponible|ajouter au panier|añadir al carrito|disponibile|op voorraad|em stock|disponível|dostępny|skladem|в наличии)(?!\p{L})/iu

/** The availability that a text states, in several languages. */
export function availabilityInText(text: string): Availability {
  const short = text.slice(0, maxLength)
  if (out.test(short)) return 'out-of-stock'
  if (limited.test(short)) return 'limited'
  if (preorder.test(short)) return 'preorder'
  return inStock.test(short) ? 'in-stock' : 'unknown'
}
