import type { Block, Blocks } from '../change/change.ts'

/** Why we see something else of a page than its visitors do. */
export type BlindSpotKind = 'script' | 'consent' | 'captcha' | 'sign-in' | 'empty'

export type BlindSpot = {
  readonly kind: BlindSpotKind
  /** Message for users. */
  readonly text: string
}

export type BlindSpotSource = {
  readonly body: Uint8Array
  /** After all redirects. */
  readonly url?: string | undefined
}

const texts: Record<BlindSpotKind, string> = {
  script: 'This page needs JavaScript to show its content, so little or nothing of it can be watched.',
  consent: 'This page shows a cookie notice instead of its content.',
  captcha: 'This site shows a captcha instead of the page.',
  'sign-in': 'This page asks visitors to sign in, so its content can’t be watched.',
  empty: 'This page has no text to watch.',
}

/** Pages with more text than this have content, regardless of what else is on them. */
const maxCaptchaCharacters = 1500
const maxScriptCharacters = 600
const maxMountCharacters = 200
const maxConsentCharacters = 6000
/** Maximum text on a wall that isn't about the wall: the name of the site, a slogan, a footer. */
const maxOtherCharacters = 300
const maxMarkupBytes = 1024 * 1024

/** Returns why a page hides its content from us; null if it doesn't, and for feeds, JSON and XML. */
export function blindSpot(blocks: Blocks, source: BlindSpotSource): BlindSpot | null {
  if (blocks.kind === 'feed' || blocks.kind === 'json' || blocks.kind === 'xml') return null
  const kind = blocks.kind === 'html' ? pageKind(blocks, source) : blocks.blocks.length === 0 ? 'empty' : null
  return kind === null ? null : { kind, text: texts[kind] }
}

type Page = {
  readonly title: string
  /** All blocks but the title. */
  readonly blocks: readonly Block[]
  /** Total length of their text. */
  readonly size: number
  /** The beginning of the source as Latin-1, one character per byte. */
  readonly markup: string
  readonly url: string
}

function pageKind(blocks: Blocks, { body, url }: BlindSpotSource): BlindSpotKind | null {
  const seen = blocks.blocks.filter(({ kind }) => kind !== 'title')
  const size = seen.reduce((sum, { text }) => sum + text.length, 0)
  if (size > maxConsentCharacters || blocks.isCut) return null
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, maxMarkupBytes))
  const page = { title: blocks.title, blocks: seen, size, markup: start.toString('latin1'), url: url ?? '' }
  if (isCaptcha(page)) return 'captcha'
  if (isSignIn(page)) return 'sign-in'
  if (isConsent(page)) return 'consent'
  if (needsScript(page)) return 'script'
  return size === 0 ? 'empty' : null
}

const captchaTitle =
  /^(?:just a moment|attention required|access (?:to this page )?(?:has been )?denied|robot check|pardon our interruption|human verification|security check|are you (?:a )?(?:human|robot)|bot (?:check|verification)|captcha|ddos-guard|einen moment|un instant)\b/i
const captchaText =
  /verif(?:y|ying)(?: that)? you(?:'|’| a)re(?: not a (?:ro)?bot| (?:a )?human)|(?:i am|i['’]m|you['’]re|you are) not a (?:ro)?bot|prove (?:that )?you(?:'|’| a)re (?:a )?human|checking (?:if the site connection is secure|your browser)|(?:complete|solve) the (?:captcha|security check|challenge)|unusual traffic from your|type the characters you see|press (?:&|and) hold to confirm|needs to review the security of your connection|kein roboter|pas un robot|no (?:eres|soy) un robot|non sono un robot|не робот/i
/** Scripts that are only found on captcha pages. */
const captchaMarkup =
  /_cf_chl_opt|captcha-delivery\.com|px-captcha|_Incapsula_Resource|awsWafCookieDomainList|sec-if-cpt-container|geo\.captcha|\/sorry\/index/

function isCaptcha({ title, blocks, size, markup }: Page): boolean {
  if (size > maxCaptchaCharacters) return false
  if (size <= maxScriptCharacters && captchaMarkup.test(markup)) return true
  const says = blocks.some(({ text }) => captchaText.test(text))
  const hasWidget = /g-recaptcha|h-captcha|hcaptcha\.com|cf-turnstile|geetest|arkoselabs|smartcaptcha/i.test(markup)
  if (captchaTitle.test(title)) return says || hasWidget || size <= maxScriptCharacters
  return says && (hasWidget || size <= maxScriptCharacters)
}

const signInName =
  /\b(?:log ?in|log ?on|sign ?in|anmeld(?:en|ung)|einloggen|connexion|(?:se |vous )?connecter|inicia(?:r)? sesi[oó]n|iniciar sess[aã]o|entrar|accedi|inloggen|logga in|log ind|logg inn|zaloguj|logowanie|single sign-on|authentication required)\b|вход|войти|ログイン|登录|登入|로그인/i
const signInNeed =
  /(?:please|must|need to|have to|required to) (?:first )?(?:be )?(?:log(?:ged)? ?in|sign(?:ed)? ?in)|(?:log|sign) ?in to (?:continue|view|see|read|access)|(?:melden sie sich|bitte) (?:an|anmelden|einloggen)|(?:veuillez|connectez)[- ]vous/i
const signInPath = /\/(?:log-?in|sign-?in|sso|oauth2?|authori[sz]e|wp-login\.php|users\/sign_in|auth)(?:[/?#.]|$)/i
const signInWords =
  /\b(?:log ?in|sign ?in|log ?on|sign ?up|register|registr\w*|password|passwort|kennwort|mot de passe|contraseña|senha|e-?mail|username|user name|benutzername|account|konto|remember me|forgot|vergessen|oublié|continue with|single sign-on|sso|or|oder|ou|terms|privacy|cookies?|imprint|impressum|help|language|english|deutsch|français|español)\b|©/i
const passwordField = /<input\b[^<>]{0,500}?\btype\s{0,20}=\s{0,20}["']?password/i

function isSignIn(page: Page): boolean {
  const { title, blocks, markup, url } = page
  const isAsked = blocks.some(({ text }) => text.length <= 300 && signInNeed.test(text))
  if (!isAsked && !passwordField.test(markup)) return false
  if (!isAsked && !signInName.test(title) && !signInPath.test(url) && !blocks.some(isSignInHeading)) return false
  return (
    otherCharacters(page, (text) => text.length <= 200 && (signInWords.test(text) || signInNeed.test(text))) <=
    maxOtherCharacters
  )
}

function isSignInHeading({ kind, text }: Block): boolean {
  return kind === 'heading' && text.length <= 60 && signInName.test(text)
}

const consentText =
  /before you continue|we (?:value|respect|care about) your privacy|(?:we|and our) (?:and our )?(?:\d+ )?partners|(?:use|uses|using) cookies|cookie[- ](?:notice|consent|settings|preferences|einstellungen)|(?:manage|your) (?:privacy|consent|cookie)|bevor sie fortfahren|ihre (?:privatsphäre|zustimmung|einwilligung|datenschutz)|verwenden (?:wir )?cookies|nous respectons votre vie privée|(?:utilisons|utilise) des cookies|usamos cookies|utilizziamo (?:i )?cookie|gebruiken cookies|använder cookies|bruger cookies/i
const consentButton =
  /^(?:(?:i )?accept(?: all)?(?: cookies)?|(?:i )?agree(?: to all)?|agree and (?:close|continue)|accept (?:and|&) (?:close|continue)|allow(?: all)?(?: cookies)?|got it|alle(?:s)? akzeptieren|(?:alle )?(?:cookies )?akzeptieren|zustimmen(?: und weiter)?|einverstanden|(?:tout )?accepter(?: et (?:fermer|continuer))?|tout accepter|j['’]accepte|aceptar(?: todo)?(?: y continuar)?|accetta(?: tutto)?|accepteren|alles accepteren|godkänn alla|godta alle|accepter alle|reject all|alle(?:s)? ablehnen)$/i
const consentWords =
  /cookie|consent|privacy|partner|personal(?:i[sz]ed)? (?:data|ads|content)|accept|reject|agree|preferences|advertis|tracking|legitimate interest|vendors|datenschutz|zustimm|einwillig|werbung|akzeptier|ablehnen|confidentialité|accepter|refuser|publicité|privacidad|aceptar|rechazar|imprint|impressum|terms|language|english|sign in|©/i

function isConsent(page: Page): boolean {
  const { blocks } = page
  const isConsentHost = /^https?:\/\/(?:consent|guce|cookie-?consent)\./i.test(page.url)
  if (!isConsentHost && !blocks.some(({ text }) => consentText.test(text))) return false
  if (!blocks.some(({ text }) => text.length <= 40 && consentButton.test(text))) return false
  return otherCharacters(page, (text) => consentWords.test(text)) <= maxOtherCharacters
}

/** Length of the text that isn't part of the wall. */
function otherCharacters({ blocks }: Page, isOfWall: (text: string) => boolean): number {
  return blocks.reduce((sum, { text }) => (isOfWall(text) ? sum : sum + text.length), 0)
}

const scriptText =
  /(?:enable|activate|turn on|allow|requires?|needs?|without|supports?) (?:your browser['’]?s? )?java ?script|java ?script (?:is|must be|has to be|needs to be|seems to be|to be) (?:currently )?(?:required|disabled|enabled|turned on|not (?:enabled|available|supported|active))|java ?script (?:aktivieren|einschalten|erforderlich|deaktiviert)|activer java ?script|habilit(?:ar|e) (?:o )?java ?script|abilita(?:re)? java ?script/i
const waiting =
  /^(?:loading|please wait|redirecting|laden|wird geladen|bitte warten|chargement|cargando|caricamento|carregando)\b[\s.…]*$/i
/** Empty elements that scripts render the page into. */
const mountPoint =
  /<(?:div|main|section)\b[^<>]{0,300}?\bid\s{0,20}=\s{0,20}["']?(?:root|app|__next|__nuxt|react-root|app-root|main-app|application|svelte|gatsby|___gatsby|ember\d{0,9}|mount)["']?(?:\s[^<>]{0,300})?>\s{0,200}(?:<!--[^<>]{0,200}-->\s{0,200})?<\/|<(?:app-root|my-app|ember-app)\b[^<>]{0,300}>\s{0,200}<\//i

function needsScript({ blocks, size, markup }: Page): boolean {
  if (size > maxScriptCharacters || !/<script\b/i.test(markup))
    return blocks.length > 0 && size <= maxScriptCharacters && saysScript(blocks)
  if (size === 0 || saysScript(blocks) || blocks.every(({ text }) => waiting.test(text))) return true
  if (size > maxMountCharacters) return false
  return mountPoint.test(markup) || noscripts(markup).some((text) => scriptText.test(text))
}

/** A wall says little else. */
function saysScript(blocks: readonly Block[]): boolean {
  return blocks.some(({ text }) => scriptText.test(text))
}

function noscripts(markup: string): string[] {
  return markup
    .split(/<noscript\b/i)
    .slice(1, 20)
    .map((part) => part.slice(0, part.search(/<\/noscript/i) + 1 || 2000))
}
