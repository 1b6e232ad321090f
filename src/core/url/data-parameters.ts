import { AppError } from '../errors.ts'

const placeholder = /\{keywords\}|%7Bkeywords%7D/gi
const ofWeb = /^(?:query\+)?https?:/i
const maxCharacters = 500

/**
 * Replaces `{keywords}` by the profile's keywords, in the query of a web address and in the body of a web query (`#body=…`). SQL queries
 * are left alone: text must not become part of a statement. Throws `url-invalid` if there are no keywords to insert.
 */
export function expandParameters(uri: string, { keywords }: { keywords: readonly string[] }): string {
  if (!ofWeb.test(uri) || uri.search(placeholder) === -1) return uri
  const hash = uri.indexOf('#')
  const [front, fragment] = hash === -1 ? [uri, ''] : [uri.slice(0, hash), uri.slice(hash)]
  const question = front.indexOf('?')
  const query = question === -1 ? '' : front.slice(question)
  const isQuery = /^query\+/i.test(uri)
  const isUsed = query.search(placeholder) !== -1 || (isQuery && bodyOf(fragment).search(placeholder) !== -1)
  if (!isUsed) return uri
  const text = joined(keywords)
  if (text === '') throw new AppError('url-invalid', 'the address has {keywords}, but the profile has no keywords')
  const asked = query.replace(placeholder, () => encodeURIComponent(text))
  return (question === -1 ? front : front.slice(0, question) + asked) + (isQuery ? withBody(fragment, text) : fragment)
}

const body = /(?<=[#&]body=)[^&]*/
const bodyOf = (fragment: string): string => body.exec(fragment)?.[0] ?? ''

/** Encodes the text for a form or for JSON, and then as part of the URL. */
function withBody(fragment: string, text: string): string {
  const isJson =
    /[#&]type=json(?:&|$)/.test(fragment) || /^(?:\{(?!keywords\})|\[|%7B(?!keywords%7D)|%5B)/i.test(bodyOf(fragment))
  const inner = isJson ? JSON.stringify(text).slice(1, -1) : encodeURIComponent(text)
  return fragment.replace(body, (given) => given.replace(placeholder, () => encodeURIComponent(inner)))
}

/** Joins as many keywords as fit into a search. */
function joined(keywords: readonly string[]): string {
  let text = ''
  for (const keyword of keywords) {
    const next = `${text} ${keyword.toWellFormed().replace(/[\p{Cc}\s]+/gu, ' ')}`.trim()
    if (next.length > maxCharacters) break
    text = next
  }
  return text
}
