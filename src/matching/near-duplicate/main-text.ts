import { rotatingPart } from '../../core/change/noise/hints.ts'

/** A block of a page or of a change: its text, and the elements around it (`main/div.offer/p`; '' where there are none). */
export type PlacedText = { readonly text: string; readonly place: string }

/** Menus, footers, boxes beside the text, dialogs and forms, by element or by what pages name them; and the title, which names the site. */
const aroundText =
  /^title$|(?:^|\/)(?:nav|footer|aside|dialog|form|menu)(?=[#./]|$)|[#.](?:nav|navbar|navigation|navheader|navfooter|menu|sidebar|breadcrumbs?|footer|masthead|toolbar|pagination|share|social|newsletter|comments?|disclaimer|legal|copyright)(?=[#./]|$)/i

/** Sentences that sites have in common whatever they write about: consent, privacy, terms, rights, subscriptions. */
const formula =
  /(?<!\p{L})(?:cookies?|gdpr|dsgvo|rgpd|ccpa|newsletters?|unsubscribe|privacy (?:policy|notice|settings)|terms (?:of (?:use|service)|and conditions)|all rights reserved|datenschutz\p{L}*|alle rechte vorbehalten|geschäftsbedingungen|politique de confidentialité|tous droits réservés|política de privacidad|todos los derechos reservados|informativa sulla privacy|tutti i diritti riservati|privacybeleid|куки|файлы cookie|политик\p{L} конфиденциальности)(?!\p{L})|クッキー|プライバシーポリシー|쿠키|隐私政策|隱私權政策/iu

/** Formulas are short; a longer text that has such words is about them. */
const MAX_FORMULA_CHARS = 1_500

/** Whether a block can be what a page is about, by its place and its words. What is left may still be on every page of the host. */
export function isMainText({ text, place }: PlacedText): boolean {
  if (aroundText.test(place) || rotatingPart(place) !== null) return false
  return text.length > MAX_FORMULA_CHARS || !formula.test(text)
}
