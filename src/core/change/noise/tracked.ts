import { parsePrice } from '../../price/parse-price.ts'
import { availabilityInText } from '../../price/stock-words.ts'
import type { Change } from '../change.ts'

/** Length searched for prices and states; what people follow is short, or at the beginning. */
const MAX_TEXT = 2_000
const MAX_PRICE_TEXT = 200

const money =
  /\p{Sc}\s?\d|\d\s?\p{Sc}|\d[.,][-–—](?!\d)|\d\s?(?:kr|kč|zł|lei|ft|fr|руб|р|грн|rs|euros?|dollars?|pounds|cents?|pence|franken|kronen|kroner|kronor|yen)(?!\p{L})|(?<![\p{L}\d])(?:kr|rs|fr|ca\$)\.?\s?\d|(?<![\p{L}\d])(?:EUR|USD|GBP|CHF|JPY|CNY|INR|PLN|SEK|NOK|DKK|CZK|CAD|AUD|BRL)(?![\p{L}\d])/u
const version =
  /(?<![\p{L}\d.])v?\d{1,5}\.\d{1,5}\.\d{1,8}(?!\d)|(?<!\p{L})(?:version|release|releases|versión|versão|versione|versie|версия|版本|バージョン|버전|v)\.?:?\s?(?!\d*[a-f][\da-f]{5,})\d[\d.]*|(?<!\p{L})(?:download|get|install|firmware|kernel|driver|latest(?: stable)?(?: \p{L}+)?|stable|lts|what[’']s new in|new in|upgrade to|update to)(?:\s\p{L}[\p{L}-]*)?:?\s\d+\.\d+/giu
const score =
  /(?<![\d:])\d{1,3}\s?:\s?\d(?![\d:])|(?<!\p{L})(?:score|scores|goals?|tore|endstand|halbzeit|half-time|full-time|final score|marcador|punkte|points(?! by)|pts|rank|ranking|seed|odds)(?!\p{L})/iu
const phone =
  /(?<!\d)\+\d{1,3}[\s\d()/-]{5,20}|(?<![\d-])\(\d{2,5}\)\s?\d{2,5}[\s-]\d{2,6}|(?<![\d-])\d{3}[-.]\d{3}[-.]\d{4}(?!\d)|(?<!\p{L})(?:phone|tel|telephone|telefon|téléphone|teléfono|fax|hotline|call)(?!\p{L})/iu
/** Ranges of time: opening hours, times of events. */
const hours =
  /\d{1,2}(?::\d{2})?\s?(?:[ap]\.?m\.?|uhr|h)?\s?(?:[–—-]|to|bis|until)\s?\d{1,2}(?::\d{2}|\s?[ap]\.?m)|(?<!\p{L})(?:opening hours|öffnungszeiten|horaires|horario|orari)(?!\p{L})/iu
/** When something opens, departs or begins. */
const times =
  /(?<!\p{L})(?:at|um|à|às|alle|om|kl|tide|open|opens|close|closes|doors|until|till|from|departure|departs|leaves|arrival|arrives|starts?|begins?|kick-?off|boarding|check-?in|check-?out|last (?:entry|admission)|geöffnet|öffnet|schließt|bis|ab|abfahrt|ankunft|beginn|beginnt|einlass|ouvre|ferme|départ|arrivée|début|abre|cierra|salida|llegada|inicio|apre|chiude|partenza|arrivo|inizio|sluit|vertrek|aankomst)(?!\p{L})[^\d.]{0,20}\d{1,2}(?::\d{2}(?!:)|\s?(?:[ap]\.?m|uhr|h)(?!\p{L}))/iu
/** Numbers that are set, not counted: limits, rates, levels, places, paragraphs. */
const settings =
  /(?<!\p{L})(?:max|min|maximum|minimum|at (?:least|most)|up to|no more than|limit|limited to|age|aged|rate|rates|interest|tax|vat|tariff|quota|allowance|height|weight limit|speed limit|höchstens|mindestens|maximal|minimal|limite|mindestalter|zinssatz|zinsen|taux|tasa|tasso|aliquota)(?!\p{L})[^\d]{0,25}\d|(?<!\p{L})(?:level|stage|phase|category|tier|grade|step|gate|platform|track|terminal|room|hall|floor|article|section|paragraph|clause|chapter|page|episode|season|stufe|warnstufe|kategorie|gleis|bahnsteig|raum|saal|etage|artikel|absatz|kapitel|folge|niveau|quai|voie|salle|étage|nivel|andén|sala|piso|livello|binario|piano)\.?\s?(?:no\.?\s?|nr\.?\s?)?[a-z]?\d|§+\s?\d/iu
const delivery =
  /(?<!\p{L})(?:deliver(?:y|ed|s)|ships?|shipping|dispatch(?:ed|es)?|lead time|lieferzeit|lieferung|livraison|livré|entrega|envío|consegna|spedizione|levering)(?!\p{L})[^\d]{0,25}\d{1,3}(?:\s?[–-]\s?\d{1,3})?\s?(?:working |business )?(?:days?|weeks?|hours?|months?|tage?n?|wochen?|werktage?n?|jours?|semaines?|días?|semanas?|giorni|settimane|dagen|weken)/iu
const street =
  /\d{1,5}[a-z]?,?\s(?:\p{Lu}[\p{L}'’.-]*\s){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Square|Boulevard|Blvd|Way|Court|Place|Terrace)(?!\p{L})|(?:straße|strasse|str\.|weg|platz|allee|gasse|ring|damm|ufer|laan|straat|gatan|vägen)\s\d{1,4}|(?<!\p{L})(?:rue|avenue|boulevard|calle|avenida|via|viale|piazza|rua|ulica|ul\.)\s[^\d]{2,40}\d{1,4}|\d{1,4}(?:\s?bis)?,?\s(?:rue|avenue|boulevard|place)\s/u
/** Limited supply. */
const supply =
  /(?<!\p{L})(?:left|remaining|available|vacanc(?:y|ies)|seats?|places?|spots?|slots?|rooms?|stock|tickets?|units|positions|openings|deadline|due|übrig|verfügbar|frei|freie|plätze|karten|places|restantes?|restants?|disponibles?|plazas|entradas|posti|biglietti|vagas|plaatsen|platser|мест|билетов|miejsc|míst|kaldı)(?!\p{L})|席|残り|剩|좌석/iu
const state =
  /^(?:open|opened|reopened|closed|closes|closing|available|unavailable|cancell?ed|postponed|delayed|departed|arrived|boarding|operational|outage|degraded|disrupted|disruption|maintenance|resolved|incident|investigating|monitoring|offline|passed|passing|failed|failing|approved|rejected|denied|granted|pending|accepted|expired|inactive|enabled|disabled|suspended|blocked|sold|stock|warning|alert|recall|recalled|emergency|evacuat\p{L}*|danger|unsafe|geöffnet|geschlossen|offen|verfügbar|abgesagt|verschoben|verspätet|pünktlich|störung|behoben|belegt|ausgebucht|ausverkauft|warnung|ouvert|ouverte|fermé|fermée|annulé|reporté|retardé|disponible|complet|abierto|cerrado|cancelado|retrasado|aplazado|completo|agotado|aperto|chiuso|annullato|rinviato|aberto|fechado|geopend|gesloten|geannuleerd|öppet|stängt|åpent|stengt|открыто|закрыто|отменён|otwarte|zamknięte|otevřeno|zavřeno|açık|kapalı)$/u
/** Words that express a state in very short texts. */
const shortState =
  /^(?:yes|no|on|off|up|down|full|active|safe|high|low|medium|moderate|severe|red|amber|orange|yellow|green|busy|free|ready|live|ok|error|frei|ja|nein|zu|auf|oui|non|sí|да|нет|tak|nie)$/u
const stateCharacters = /营业|关闭|已满|有货|缺货|営業中|休業|運休|中止|在庫|영업|휴업|매진/

const MAX_STATE_TEXT = 200
const MAX_SHORT = 40

const followed = [score, phone, supply, hours, times, settings, delivery, street]

/**
 * Whether a change touches what people watch pages for: a price, stock, a version, a score, a telephone number, a limit, whether something
 * is open or works. Such a block is never considered noise because of how often it changes.
 */
export function isTracked(change: Change): boolean {
  const { before = '', after = '' } = change
  if (hasTrackedName(change)) return true
  for (const text of [before, after]) {
    if (holdsPrice(text)) return true
    if (text.length <= MAX_STATE_TEXT && followed.some((words) => words.test(text))) return true
  }
  return (
    saysOther(version, before, after) ||
    isOtherYear(before, after) ||
    saysState(before, after) ||
    saysState(after, before)
  )
}

/** Whether the version itself changed, and not only another number beside it. */
function saysOther(pattern: RegExp, before: string, after: string): boolean {
  const [old, next] = [before, after].map((text) => text.slice(0, MAX_STATE_TEXT).match(pattern)?.join(' ') ?? '')
  return old !== next
}

const year = /(?<![\d.,:/#-])(?:19|20)\d\d(?![\d.,:/%-]|\s?\p{L})/gu

/** "Report 2025" and "Report 2026", with everything else the same. */
function isOtherYear(before: string, after: string): boolean {
  if (before.length > MAX_TEXT || after.length > MAX_TEXT) return false
  const [old, next] = [before.match(year) ?? [], after.match(year) ?? []]
  if (old.length === 0 || before.replace(year, '#') !== after.replace(year, '#')) return false
  return old.every((each, n) => Math.abs(Number(each) - Number(next[n])) <= 2)
}

const alarm =
  /(?<!\p{L})(?:recall(?:ed)?|warning|alert|emergency|evacuat\p{L}*|outage|closed|cancell?ed|suspended|danger|rückruf|warnung|notfall|gesperrt|abgesagt|rappel|alerte|urgence|fermé|annulé|aviso|alerta|emergencia|cerrado|cancelado|richiamo|allerta|chiuso)(?!\p{L})/iu

/** Alarms are reported even inside advertisements. */
export function saysAlarm({ before = '', after = '' }: Change): boolean {
  return [before, after].some((text) => text.length <= MAX_STATE_TEXT && alarm.test(text))
}

/** Whether a word that only this text has describes a state. */
function saysState(text: string, other: string): boolean {
  if (text.length > MAX_STATE_TEXT) return false
  if (stateCharacters.test(text)) return true
  const known = new Set(wordsOf(other))
  const differing = wordsOf(text).filter((word) => !known.has(word))
  return differing.some((word) => state.test(word) || (text.length <= MAX_SHORT && shortState.test(word)))
}

/** Whether one state became another: `open → closed`, `operational → partial outage`, `up → down`, `In stock → Sold out`. */
export function isOtherState(before: string, after: string): boolean {
  const [old, next] = [wordsOf(before), wordsOf(after)]
  const isState = (word: string): boolean => state.test(word)
  if (
    old.some((word) => isState(word) && !next.includes(word)) ||
    next.some((word) => isState(word) && !old.includes(word))
  )
    return true
  // Words like "on" and "up" are a state only if the other text has one, too.
  const isEither = (word: string): boolean => shortState.test(word) || isState(word)
  if (old.some(isEither) && next.some(isEither)) return true
  const [one, other] = [availabilityInText(before), availabilityInText(after)]
  return one !== other && one !== 'unknown' && other !== 'unknown'
}

function wordsOf(text: string): string[] {
  return (
    text
      .slice(0, MAX_TEXT)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  )
}

export function holdsPrice(text: string): boolean {
  return holdsMoney(text) || (text.length <= MAX_PRICE_TEXT && availabilityInText(text) !== 'unknown')
}

/** An amount with its currency. */
export function holdsMoney(text: string): boolean {
  if (money.test(text.slice(0, MAX_TEXT))) return true
  if (text.length > MAX_PRICE_TEXT) return false
  const { amount, currency, code } = parsePrice(text)
  // A single letter may also be a unit: "5 m" are manats, or minutes.
  return amount !== null && code !== '' && !/^[a-z]$/i.test(currency ?? '')
}

/** Names in a path, an id or a class that show what a value is. */
const trackedName =
  /(?:^|[^a-z])(?:price|prices|cost|amount|offer|stock|inventory|availability|available|in-?stock|quantity|qty|version|release|score|status|state|deadline|due|rate|limit|max|min|level|event|events|appointment|termin|preis|prix|precio|prezzo|kurs|bestand)(?:[^a-z]|$)/

function hasTrackedName({ key, place, path, block }: Change): boolean {
  const heading = block === 'value' ? '' : (path.split(' › ').at(-1) ?? '')
  const name = /([\p{L}_][\p{L}\d_-]*)[^\p{L}]*$/u.exec(key.slice(-60))?.[1] ?? ''
  const names = [
    name,
    block === 'value' ? '' : place.slice(place.lastIndexOf('/') + 1),
    heading.length <= MAX_SHORT ? heading : '',
  ]
  // The remaining requests of a rate limit are counted, not set.
  if (/rate-?limit/i.test(name.replace(/_/g, '-'))) return false
  return trackedName.test(
    names
      .join(' ')
      .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1-')
      .toLowerCase(),
  )
}
