const separators = /[\t\n\f\r ,]*/y
const address = /[^\t\n\f\r ]+/y

/** URLs of a `srcset` value in order, as the HTML standard splits it; widths and densities are ignored. */
export function parseSrcset(value: string): string[] {
  const urls: string[] = []
  for (let at = 0; at < value.length; ) {
    separators.lastIndex = at
    separators.exec(value)
    address.lastIndex = separators.lastIndex
    const word = address.exec(value)?.[0]
    if (word === undefined) break
    at = address.lastIndex
    const url = withoutClosingCommas(word)
    if (url !== '') urls.push(url)
    if (url.length === word.length) at = afterDescriptors(value, at)
  }
  return urls
}

function withoutClosingCommas(word: string): string {
  let end = word.length
  while (end > 0 && word[end - 1] === ',') end--
  return word.slice(0, end)
}

/** Descriptors end at a comma outside parentheses. */
function afterDescriptors(value: string, from: number): number {
  let inside = false
  for (let at = from; at < value.length; at++) {
    const character = value[at]
    if (character === '(') inside = true
    else if (character === ')') inside = false
    else if (character === ',' && !inside) return at + 1
  }
  return value.length
}

/** A refresh requested by the page. Without a URL it reloads the page itself. */
export type MetaRefresh = { seconds: number; url?: string }

const time = /^[\t\n\f\r ]*(?:\d|(?=\.))[\d.]*(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ]|$)[\t\n\f\r ]*/
const urlMark = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i

/** The HTML standard's shared declarative refresh steps, except that fractions of a second are kept. */
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
  // Text that starts with a u but not with `url=` is the URL as a whole, including quotes.
  if (mark === null && /^u/i.test(text)) return text
  const rest = mark === null ? text : text.slice(mark[0].length)
  const quote = rest[0]
  if (quote !== '"' && quote !== "'") return rest
  const close = rest.indexOf(quote, 1)
  return close === -1 ? rest.slice(1) : rest.slice(1, close)
}
