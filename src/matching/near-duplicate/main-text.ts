import { rotatingPart } from '../../core/change/noise/hints.ts'

/** A block of a page or of a change: its text, and the elements around it (`main/div.offer/p`; '' if there are none). */
export type PlacedText = { readonly text: string; readonly place: string }

/** Menus, footers, sidebars, dialogs and forms, by element or by common names; and the title, which names the site. */
const aroundText =
  /^title$|(?:^|\/)(?:nav|footer|aside|dialog|form|menu)(?=[#./]|$)|[#.](?:nav|navbar|navigation|navheader|navfooter|menu|sidebar|breadcrumbs?|footer|masthead|toolbar|pagination|share|social|newsletter|comments?|disclaimer|legal|copyright)(?=[#./]|$)/i

/** Boilerplate of sites on any subject: consent, privacy, terms, rights, subscriptions. */
const formula =
  /(?<!\p{L})(?:cookies?|gdpr|dsgvo|rgpd|ccpa|newsletters?|unsubscribe|privacy (?:policy|notice|settings)|terms (?:of (?:use|service)|and conditions)|all rights reserved|datenschutz\p{L}*|alle rechte vorbehalten|geschäftsbedingungen|politique de confidentialité|tous droits réservés|política de privacidad|todos los derechos reservados|informativa sulla privacy|tutti i diritti riservati|privacybeleid|куки|файлы cookie|политик\p{L} конфиденциальности)(?!\p{L})|クッキー|プライバシーポリシー|쿠키|隐私政策|隱私權政策/iu

/** Such formulas are short; a longer text with these words is about them. */
const MAX_FORMULA_CHARS = 1_500

/** Each formula contains one of these. Most blocks contain none, which is faster to find out. */
const stems =
  'cookie gdpr dsgvo rgpd ccpa newsletter unsubscribe privacy terms rights datenschutz rechte geschäftsbedingungen confidentialité droits privacidad derechos diritti privacybeleid куки политик クッキー プライバシー 쿠키 隐私 隱私'.split(
    ' ',
  )

/**
 * Whether a block can be part of the main text, by its place and its words. It may still occur on every page of the host. Results are
 * cached by place, as the blocks of a page have few different places.
 */
export function createMainText(): (block: PlacedText) => boolean {
  const places = new Map<string, boolean>()
  return ({ text, place }) => {
    let isAround = places.get(place)
    if (isAround === undefined) {
      isAround = aroundText.test(place) || rotatingPart(place) !== null
      places.set(place, isAround)
    }
    return !isAround && !isFormula(text)
  }
}

function isFormula(text: string): boolean {
  if (text.length > MAX_FORMULA_CHARS) return false
  const lower = text.toLowerCase()
  return stems.some((stem) => lower.includes(stem)) && formula.test(text)
}
