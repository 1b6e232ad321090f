import { unsettledPercent } from './percent-encoding.ts'
import type { QueryRules } from './query-parameters.ts'

/** Anything in a path that makes its key differ from it, or ends it. */
const doubtfulPath = new RegExp(`[^A-Za-z0-9\\-._~!$&'()*+,=:@/%]|${unsettledPercent}|\\/[/.]`, 'g')

const hash = 0x23
const question = 0x3f

/**
 * Where the path and query that start at `from` end, if they are spelt as the parser spells them and stand
 * unchanged in the key: the length of the text or the index of its fragment. -1 where a closer look is needed.
 */
export function endOfPlainTail(text: string, from: number, query: QueryRules): number {
  doubtfulPath.lastIndex = from
  if (!doubtfulPath.test(text)) return text.length
  const at = doubtfulPath.lastIndex - 1
  const c = text.charCodeAt(at)
  if (c === hash) return at
  if (c !== question) return -1
  query.doubtful.lastIndex = at
  if (!query.doubtful.test(text)) return text.length
  const end = query.doubtful.lastIndex - 1
  return text.charCodeAt(end) === hash ? end : -1
}
