import { parsePrice } from '../../price/parse-price.ts'
import { availabilityInText } from '../../price/stock-words.ts'
import type { Change } from '../change.ts'

/** Looked at for prices and states; what people follow is short, or at the beginning. */
const MAX_TEXT = 2_000
const MAX_PRICE_TEXT = 200

const money =
  /\p{Sc}\s?\d|\d\s?\p{Sc}|(?<![\p{L}\d])(?:EUR|USD|GBP|CHF|JPY|CNY|INR|PLN|SEK|NOK|DKK|CZK|CAD|AUD|BRL)(?![\p{L}\d])/u
const version =
  /(?<![\p{L}\d.])v?\d{1,5}\.\d{1,5}\.\d{1,8}(?!\d)|(?<!\p{L})(?:version|release|releases|versión|versão|versione|versie|версия|版本|バージョン|버전|v)\.?:?\s?\d/iu
const score =
  /(?<![\d:])\d{1,3}\s?:\s?\d(?![\d:])|(?<!\p{L})(?:score|scores|goals?|tore|endstand|halbzeit|half-time|full-time|final score|marcador|punkte|points|pts|rank|ranking|seed|odds)(?!\p{L})/iu
const phone =
  /(?<!\d)\+\d{1,3}[\s\d()/-]{5,20}|(?<!\p{L})(?:phone|tel|telephone|telefon|téléphone|teléfono|fax|hotline|call)(?!\p{L})/iu
/** From when to when: opening hours, times of events. */
const hours =
  /\d{1,2}(?::\d{2})?\s?(?:[ap]\.?m\.?|uhr|h)?\s?(?:[–—-]|to|bis|until)\s?\d{1,2}(?::\d{2}|\s?[ap]\.?m)|(?<!\p{L})(?:opening hours|öffnungszeiten|horaires|horario|orari)(?!\p{L})/iu
/** Of what there are only so many. */
const supply =
  /(?<!\p{L})(?:left|remaining|available|vacanc(?:y|ies)|seats?|places?|spots?|slots?|rooms?|stock|tickets?|units|deadline|due|übrig|verfügbar|frei|freie|plätze|karten|places|restantes?|restants?|disponibles?|plazas|entradas|posti|biglietti|vagas|plaatsen|platser|мест|билетов|miejsc|míst|kaldı)(?!\p{L})|席|残り|剩|좌석/iu
const state =
  /^(?:open|opened|reopened|closed|closes|closing|available|unavailable|cancell?ed|postponed|delayed|departed|arrived|boarding|operational|outage|degraded|disrupted|disruption|maintenance|resolved|incident|investigating|monitoring|offline|passed|passing|failed|failing|approved|rejected|denied|granted|pending|accepted|expired|inactive|enabled|disabled|suspended|blocked|sold|stock|warning|alert|recall|recalled|emergency|evacuat\p{L}*|danger|unsafe|geöffnet|geschlossen|offen|verfügbar|abgesagt|verschoben|verspätet|pünktlich|störung|behoben|belegt|ausgebucht|ausverkauft|warnung|ouvert|ouverte|fermé|fermée|annulé|reporté|retardé|disponible|complet|abierto|cerrado|cancelado|retrasado|aplazado|completo|agotado|aperto|chiuso|annullato|rinviato|aberto|fechado|geopend|gesloten|geannuleerd|öppet|stängt|åpent|stengt|открыто|закрыто|отменён|otwarte|zamknięte|otevřeno|zavřeno|açık|kapalı)$/u
/** Words that say as much where there is little else. */
const shortState =
  /^(?:yes|no|on|off|up|down|full|active|safe|high|low|medium|moderate|severe|red|amber|orange|yellow|green|busy|free|ready|live|ok|error|frei|ja|nein|zu|auf|oui|non|sí|да|нет|tak|nie)$/u
const stateCharacters = /营业|关闭|已满|有货|缺货|営業中|休業|運休|中止|在庫|영업|휴업|매진/

const MAX_STATE_TEXT = 200
const MAX_SHORT = 40

/**
 * Whether a change touches what people watch pages for: a price, stock, a version, a score, a telephone number, whether something is
 * open or works. Such a block is never taken for noise because of how often it changes.
 */
export function isTracked(change: Change): boolean {
  const { before = '', after = '' } = change
  if (hasTrackedName(change)) return true
  for (const text of [before, after]) {
    if (holdsPrice(text)) return true
    if (text.length <= MAX_STATE_TEXT && [version, score, phone, supply, hours].some((words) => words.test(text)))
      return true
  }
  return saysState(before, after) || saysState(after, before)
}

const alarm =
  /(?<!\p{L})(?:recall(?:ed)?|warning|alert|emergency|evacuat\p{L}*|outage|closed|cancell?ed|suspended|danger|rückruf|warnung|notfall|gesperrt|abgesagt|rappel|alerte|urgence|fermé|annulé|aviso|alerta|emergencia|cerrado|cancelado|richiamo|allerta|chiuso)(?!\p{L})/iu

/** What must be told even where advertisements are. */
export function saysAlarm({ before = '', after = '' }: Change): boolean {
  return [before, after].some((text) => text.length <= MAX_STATE_TEXT && alarm.test(text))
}

/** A word of one text that the other doesn't have says how something is. */
function saysState(text: string, other: string): boolean {
  if (text.length > MAX_STATE_TEXT) return false
  if (stateCharacters.test(text)) return true
  const known = new Set(wordsOf(other))
  const differing = wordsOf(text).filter((word) => !known.has(word))
  return differing.some((word) => state.test(word) || (text.length <= MAX_SHORT && shortState.test(word)))
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
  if (money.test(text.slice(0, MAX_TEXT))) return true
  if (text.length > MAX_PRICE_TEXT) return false
  const { amount, code } = parsePrice(text)
  return (amount !== null && code !== '') || availabilityInText(text) !== 'unknown'
}

/** In a path, an id or a class: what a value is. */
const trackedName =
  /(?:^|[^a-z])(?:price|prices|cost|amount|offer|stock|inventory|availability|available|in-?stock|quantity|qty|version|release|score|status|state|deadline|due|rate|preis|prix|precio|prezzo|kurs|bestand)(?:[^a-z]|$)/

function hasTrackedName({ key, place, path, block }: Change): boolean {
  const heading = block === 'value' ? '' : (path.split(' › ').at(-1) ?? '')
  const name = /([\p{L}_][\p{L}\d_-]*)[^\p{L}]*$/u.exec(key.slice(-60))?.[1] ?? ''
  const names = [
    name,
    block === 'value' ? '' : place.slice(place.lastIndexOf('/') + 1),
    heading.length <= MAX_SHORT ? heading : '',
  ]
  return trackedName.test(
    names
      .join(' ')
      .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1-')
      .toLowerCase(),
  )
}
