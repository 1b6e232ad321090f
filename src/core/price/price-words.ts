/** Words beside prices, in several languages. They are tested against the text before a number, without its signs at the end. */

/** The current price. */
const present = beforeNumber(
  'now|only|jetzt|nur|maintenant|ahora|oggi|ora|nu|nå',
  '(?:sale|our|special|current) price|(?:aktueller|neuer) preis|sonderpreis|angebotspreis',
  'prix (?:actuel|réduit|promotionnel)|precio (?:actual|de oferta)|prezzo (?:attuale|scontato)|preço (?:atual|promocional)',
  'huidige prijs|aanbiedingsprijs|aktualna cena|aktuální cena|nuvarande priset|новая цена',
)
/** `De R$ 199 por R$ 149` */
const presentFor = /(?<!\p{L})(?:por|voor)(?: \p{L}{1,3})?$/iu
/** A former or recommended price, a discount, or what is added. */
const other = beforeNumber(
  'was|rrp|msrp|mrp|uvp|reg|statt|zzgl|rabatt|remise|au lieu de|antes|prima|før|instead of',
  '(?:you )?save|(?:sie )?sparen|économisez|ahorra',
  '(?:list|regular|original|old) price|(?:alter|regulärer|ursprünglicher) preis|normalpreis',
  'prix (?:normal|habituel|initial|conseillé)|precio (?:normal|habitual|original)|prezzo (?:di listino|originale)|preço (?:normal|original)',
  '(?:normale|oorspronkelijke) prijs|adviesprijs|(?:pierwotna|regularna|původní) cena|cena regularna',
  '(?:ursprungliga|ordinarie) priset|ord\\. pris|старая цена|定価|通常価格|原价|原價',
  // By European law the lowest price of the last month is shown beside a reduced one.
  '30[- ](?:dni|dní|tage|days|derniers jours|dagen|días|giorni)',
)

/** One of these, then at most one short word and the letters of a mark: `Original price was US$`. */
function beforeNumber(...labels: string[]): RegExp {
  const gap = '[^\\p{L}\\d]{1,3}'
  return new RegExp(`(?<!\\p{L})(?:${labels.join('|')})(?!\\p{L})(?:${gap}\\p{L}{1,9})?(?:${gap}\\p{L}{1,3})?$`, 'iu')
}

/** `1 kg = 4,98 €`: the price of a unit. */
const unit = /(?<!\p{L})(?:kg|g|l|ml|cl|m|liter|litre|stk|stück)\.? ?= ?\p{Sc}? ?$/iu
const discount = /^ ?\p{Sc}? ?(?:off|rabatt|discount|de réduction)(?!\p{L})/iu

/** Labels are short and directly before the number. */
const maxLead = 60

/** The text before a number, without signs at its end. */
function lead(text: string, start: number): string {
  return text
    .slice(Math.max(0, start - maxLead), start)
    .replace(/[^\p{L}\d]+$/u, ' ')
    .trimEnd()
}

export function isPresentPrice(text: string, start: number): boolean {
  const before = lead(text, start)
  return present.test(before) || presentFor.test(before)
}

/** Not what the buyer pays: a former price, a discount, the price of a kilogramme. */
export function isOtherPrice(text: string, start: number, end: number): boolean {
  return (
    other.test(lead(text, start)) ||
    unit.test(text.slice(Math.max(0, start - maxLead), start)) ||
    discount.test(text.slice(end, end + 20))
  )
}

const between = /^(?: ?[-–—~～] ?| (?:to|and|bis|und|à|et|a|y|e|tot|en|do|до|till|til) )$/iu
const beforeRange =
  /(?:^|(?<!\p{L})(?:price|from|between|preis|von|ab|zwischen|prix|de|entre|precio|desde|prezzo|da|tra|prijs|van|tussen|cena|od|цена|от|från|fra))[^\p{L}\d]*$/iu

/** Whether the text between two numbers, and before them, makes them a range of prices. */
export function isRange(before: string, inside: string): boolean {
  return between.test(inside) && beforeRange.test(before)
}

const thousand = /^ ?(?:thousand|тыс|tys)(?!\p{L})\.?/iu
const lakh = /^ ?la(?:kh|c)s?(?!\p{L})/iu
const million = /^ ?(?:millions?|millionen|mio|mln|млн)(?!\p{L})\.?/iu
const crore = /^ ?crores?(?!\p{L})/iu
const billion = /^ ?(?:billions?|bn|milliarden|mrd|mld|млрд)(?!\p{L})\.?/iu
const words: readonly (readonly [RegExp, number])[] = [
  [thousand, 1e3],
  [lakh, 1e5],
  [million, 1e6],
  [crore, 1e7],
  [billion, 1e9],
]
/** Only after a sign: `$250k`, `€1.2M`. */
const letters: readonly (readonly [RegExp, number])[] = [
  [/^k(?!\p{L})/iu, 1e3],
  [/^ ?cr(?!\p{L})/iu, 1e7],
  [/^m(?!\p{L})/iu, 1e6],
  [/^b(?!\p{L})/iu, 1e9],
]

/** What a number is multiplied by, and the length of the word that says so: `1.5 million`. */
export function multiplierAfter(text: string, start: number, end: number): { factor: number; length: number } {
  const rest = text.slice(end, end + 20)
  if (/^ ?\p{L}/u.test(rest)) {
    const isAfterSign = /\p{Sc} ?$/u.test(text.slice(Math.max(0, start - 2), start))
    for (const [pattern, factor] of isAfterSign ? [...words, ...letters] : words) {
      const found = pattern.exec(rest)
      if (found !== null) return { factor, length: found[0].length }
    }
  }
  return { factor: 1, length: 0 }
}

const free =
  /^[^\p{L}\p{N}]*(?:free|gratis|kostenlos|umsonst|gratuite?|gratuit[oa]|grátis|zdarma|bezpłatn[iy]e?|za darmo|ingyenes|ilmainen|ücretsiz|бесплатно|безкоштовно|безплатно|δωρεάν|miễn phí|مجاني|مجانا|رایگان|חינם|無料|免费|免費|무료|ฟรี)[^\p{L}\p{N}]*$/iu

export function isFree(text: string): boolean {
  return free.test(text)
}
