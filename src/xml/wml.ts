import { escapeReadable } from './xml-text.ts'

/** WML 1.1, for phones with a few lines of text. */

export const WML_TYPE = 'text/vnd.wap.wml; charset=utf-8'

/** Maximum size of a deck on such a phone. */
export const DECK_BYTES = 1400

const head =
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  '<!DOCTYPE wml PUBLIC "-//WAPFORUM//DTD WML 1.1//EN" "http://www.wapforum.org/DTD/wml_1.1.xml">\n'

/** A deck of one card. `title` is escaped already, `inner` is markup. With `isFresh` the phone forgets what was typed before. */
export function wmlCard(id: string, title: string, inner: string, isFresh = false): string {
  const context = isFresh ? ' newcontext="true"' : ''
  return `${head}<wml>\n<card id="${id}" title="${title}"${context}>\n${inner}</card>\n</wml>\n`
}

export const wmlDo = (label: string, href: string): string =>
  `<do type="accept" label="${label}"><go href="${wmlText(href)}"/></do>\n`

/** `label` is escaped already. */
export const wmlLink = (label: string, href: string): string => `<p><a href="${wmlText(href)}">${label}</a></p>\n`

export type WmlPost = { href: string; fields: Readonly<Record<string, string>> }

/** State changes are sent by POST, as phones and gateways prefetch links. */
export function wmlPost({ href, fields }: WmlPost): string {
  const own = Object.entries(fields).map(([name, value]) => `<postfield name="${name}" value="${wmlText(value)}"/>`)
  return `<go href="${wmlText(href)}" method="post">${own.join('')}</go>`
}

/** In WML a dollar sign starts a variable; two make a literal one. */
export function wmlText(text: string): string {
  return escapeReadable(text).replaceAll('$', '$$$$')
}
