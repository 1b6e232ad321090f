const separators = /[\t\n\f\r ,]*/y
const address = /[^\t\n\f\r ]+/y

/** URLs of a `srcset` value in order, as the HTML standard splits it; widths and densities are passed over. */
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

/** Descriptors end at a comma that stands outside parentheses. */
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
