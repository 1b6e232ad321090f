import type { Prefill } from './draft.ts'

const MAX_NAME = 200
const webAddress = /https?:\/\/[^\s<>"']+/i

/**
 * A new profile, prefilled from the query of a link: our own, the bookmarklet's, or from the Share menu of a phone. Apps that share a
 * page put its address into `url`, or somewhere into `text` or `title`.
 */
export function prefillOf(query: URLSearchParams): Required<Prefill> {
  const given = (name: string): string => query.get(name)?.trim() ?? ''
  const title = given('title')
  const uri = given('url') || (addressIn(given('text')) ?? addressIn(title) ?? '')
  const name = given('name') || (addressIn(title) === null ? title : '')
  return { uri, name: name.slice(0, MAX_NAME).toWellFormed(), expression: given('expression') || given('q') }
}

/** The first web address in a text, without the punctuation of the sentence around it; null if there is none. */
function addressIn(text: string): string | null {
  const found = webAddress.exec(text)?.[0].replace(/[.,;:!?…]+$/, '')
  if (found === undefined) return null
  return found.endsWith(')') && !found.includes('(') ? found.slice(0, -1) : found
}
