import type { Change } from '../change.ts'

/** Ids, classes and roles of rotating content: advertisements, suggestions, teasers. */
const names = new Set(
  `ad ads adv advert adverts advertisement advertisements advertising adsense adslot adunit adbox sponsor sponsors sponsored promo promos promotion promotions
  promoted banner banners related similar recommended recommendation recommendations recommends suggested suggestions suggestion trending popular mostread mostviewed
  featured carousel slider slideshow teaser teasers upsell crosssell taboola outbrain testimonial testimonials quote quotes tip tips random rotator rotating rotate
  shuffle spotlight morelikethis alsobought alsolike recentlyviewed partner partners affiliate dfp gpt doubleclick anzeige anzeigen werbung reklame publicite pub
  anuncio anuncios publicidad pubblicita reklama reklam adsbygoogle cookie cookies consent gdpr ccpa onetrust cookiebot weather wetter meteo meteo clima ticker marquee
  captcha recaptcha poll tweets twitter facebook instagram mastodon tiktok whosonline onlineusers`.split(/\s+/),
)
/** "adcontainer", "adWrapper2". */
const adPart =
  /^ads?(?:slots?|units?|box|container|wrapper|wrap|space|zone|block|frame|holder|content|area|place|placeholder|spot|label|sense)$/
/** Names of two words. */
const pairs = new Set(
  `most-read most-viewed most-popular also-like also-bought also-viewed cross-sell up-sell recently-viewed more-stories read-next read-more-on you-may might-like people-also
  top-picks picked-for for-you more-like did-you recent-comments latest-comments recent-tweets latest-tweets who-online whos-online users-online online-users
  currently-online currently-viewing live-visitors shout-box word-of quote-of fact-of photo-of joke-of`.split(/\s+/),
)
const headings =
  /(?<!\p{L})(?:advertisements?|sponsored|promoted|related|recommended|recommendations|suggested|similar (?:products|articles|items|posts)|trending|popular|most (?:read|viewed|popular|shared)|you (?:may|might) (?:also )?(?:like|enjoy|be interested)|(?:customers|people) (?:who|also)|also (?:bought|viewed|read|like)|more (?:stories|like this|from the web|from around)|around the web|from our partners|our partners|picked for you|for you|recently viewed|did you know|(?:quote|tip|fact|word|joke|photo|picture|image|thought|proverb) of the (?:day|week|moment)|quote of|tip of|testimonials?|weather|recent comments|latest comments|latest tweets|recent tweets|who[’']?s online|who is online|wetter|météo|el tiempo|meteo|neueste kommentare|what our customers say|anzeigen?|werbung|ähnliche|verwandte|empfohlen\p{L}*|empfehlungen|meistgelesen\p{L}*|beliebt\p{L}*|das könnte|auch interessant|wussten sie|publicité|à lire aussi|les plus lus|articles (?:similaires|liés)|vous aimerez|recommandés?|populaires|publicidad|anuncios?|relacionad[oa]s|recomendad[oa]s|lo más (?:leído|visto)|más leíd[oa]s|te puede interesar|también te|pubblicità|correlati|consigliati|i più letti|potrebbe interessarti|publicidade|mais lid[oa]s|você também|gerelateerd|aanbevolen|meest gelezen|annons|relaterade|mest lest|mest läst|реклама|похожие|популярн\p{L}*|рекомендуем|читайте также|reklama|polecane|najczęściej czytane|podobne|reklam|benzer|önerilen|çok okunanlar)(?!\p{L})|广告|廣告|推荐|推薦|相关|相關|热门|熱門|猜你喜欢|広告|関連|おすすめ|人気|ランキング|광고|추천|관련|인기/iu

/** Ids and classes of consent banners, as the usual scripts name them. A cookie policy is none. */
const consentBanner =
  /[.#](?:js-)?(?:(?:eu-?)?cookie-?(?:law-?)?(?:banner|consent|bar|pop-?up|modal|overlay|dialog|wall|layer|alert)s?|(?:gdpr|ccpa|consent)-?(?:banner|bar|pop-?up|modal|overlay|dialog|layer|manager|wall)|cc-(?:banner|window)|onetrust-(?:consent-sdk|banner-sdk|pc-sdk)|cybot-?cookiebot-?dialog|didomi-(?:host|popup|notice)|usercentrics-(?:root|cmp-ui)|borlabs-?cookie(?:box)?|klaro|cmplz-cookiebanner-container|qc-cmp2-container|cmpbox|iubenda-cs-banner|osano-cm-window|truste-consent-track|cookieconsent)(?![a-z])|#cookie-?(?:notice|info|message|hint|disclaimer)(?![a-z])/i

/** Elements that contain a whole page, regardless of their names. */
const wholePage = /^(?:html|body|main|article)(?![\p{L}\d])/u

/** Labels at the beginning of a block's own text. */
const labels =
  /^(?:(?:today[’']s |our |daily )?(?:(?:tip|quote|joke|fact|word|thought|proverb) of the (?:day|week|moment)|tip|quote|joke|fun fact|trivia)|(?:users |members |guests |who[’']?s |who is |currently |now )?online(?: now| users| members)?|did you know|ad|ads|advert|advertisement|sponsored|promoted|promotion|anzeige|werbung|tipp(?: des tages)?|zitat(?: des tages)?|witz(?: des tages)?|wussten sie schon|publicité|citation(?: du jour)?|le saviez-vous|publicidad|frase del día|sabías que|pubblicità|lo sapevi|registered users|last (?:ordered|bought|purchased|booked)|zuletzt (?:bestellt|gekauft)|type the (?:word|words|characters|code|letters)|enter the (?:word|words|characters|code|letters)|captcha|security (?:question|code))(?:\s?[:?–—-]|\s(?=\d))|(?<!\p{L})(?:just|recently|hat gerade|vient d[e’']) ?(?:bought|purchased|ordered|booked|signed up|subscribed|joined|gekauft|bestellt|acheter|commander)/iu

/** The rotating part of the page that a change belongs to, recognised by ids, classes or headings. Null if there is none. */
export function hintOf(change: Pick<Change, 'place' | 'path' | 'before' | 'after'>): string | null {
  const { place, path } = change
  const part = rotatingPart(place)
  if (part !== null) return part
  const trail = path.slice(0, 1_000).split(' › ')
  const heading = trail.findIndex((title, n) =>
    n > 0 ? headings.test(title) : trail.length === 1 && headings.test(title),
  )
  if (heading >= 0) return `${place}|${trail.slice(0, heading + 1).join('|')}`
  const label = labelOf(change.after) ?? labelOf(change.before)
  return label === null ? null : `${place}|${label}`
}

/** The outermost part around a place whose id or class marks it as rotating; null if there is none. */
export function rotatingPart(place: string): string | null {
  const segments = place.slice(0, 2_000).split('/')
  for (const [n, segment] of segments.entries())
    if (!wholePage.test(segment) && isHint(segment)) return segments.slice(0, n + 1).join('/')
  return null
}

/** Whether a place is in a consent banner. */
export function isConsentBanner(place: string): boolean {
  const segments = place.split('/')
  return segments.some((segment) => !wholePage.test(segment) && consentBanner.test(camelCut(segment)))
}

function camelCut(segment: string): string {
  return segment.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1-')
}

function labelOf(text: string | undefined): string | null {
  return text === undefined ? null : (labels.exec(text.slice(0, 80))?.[0].toLowerCase() ?? null)
}

function isHint(segment: string): boolean {
  const words = camelCut(segment)
    .toLowerCase()
    .split(/[^\p{L}]+/u)
  return words.some(
    (word, n) => n > 0 && (names.has(word) || adPart.test(word) || pairs.has(`${word}-${words[n + 1] ?? ''}`)),
  )
}
