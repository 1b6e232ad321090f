/** A refresh asked for by the page. Without a URL it asks for the page itself again. */
export type MetaRefresh = { seconds: number; url?: string }

const time = /^[\t\n\f\r ]*(?:\d|(?=\.))[\d.]*(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ]|$)[\t\n\f\r ]*/
const urlMark = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i

/** The HTML standard's shared declarative refresh steps, but for one thing: the fraction of the time is kept. */
export function parseMetaRefresh(content: string): MetaRefresh | undefined {
  const match = time.exec(content)
  if (match === null) return undefined
  const seconds = Math.min(Number.parseFloat(match[0].trim()) || 0, Number.MAX_SAFE_INTEGER)
  const rest = content.slice(match[0].length)
  const url = refreshUrl(rest)
  return url === '' ? { seconds } : { seconds, url }
}

function refreshUrl(text: string): string {
  const mark = urlMark.exec(text)
  // Text that begins like `url=` and is not is taken whole, quotes and all.
  if (mark === null && /^u/i.test(text)) return text
  const rest = mark === null ? text : text.slice(mark[0].length)
  const quote = rest[0]
  if (quote !== '"' && quote !== "'") return rest
  const close = rest.indexOf(quote, 1)
  return close === -1 ? rest.slice(1) : rest.slice(1, close)
}
