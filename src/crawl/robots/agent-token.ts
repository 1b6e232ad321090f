/**
 * Product tokens: the names by which a robots.txt addresses crawlers. RFC 9309 allows letters, `-` and `_`; files in the wild also use
 * digits, dots and non-ASCII letters, which are accepted as part of the name.
 */

const tokenStart = /^[\p{L}\p{N}_.-]+/u
const compatible = /\bcompatible;\s*/i
const letter = /\p{L}/u
const digit = /\p{N}/u
const maxTokenChars = 200

/** The name in a `User-agent` line: `Foo/2.1` and `Foo Bar` mean `foo`. Empty if there is none. */
export function lineToken(value: string): string {
  if (value === '*' || /^\*\s/.test(value)) return '*'
  return tokenStart.exec(value.slice(0, maxTokenChars))?.[0].toLowerCase() ?? ''
}

/** The name in a crawler's User-Agent header: the first word, or what follows `compatible;` in a string that starts like a browser's. */
export function productToken(userAgent: string): string {
  if (userAgent !== lastAgent) {
    lastToken = readProductToken(userAgent)
    lastAgent = userAgent
  }
  return lastToken
}

/** Cache of one entry: a crawler asks with the same name for every page. */
let lastAgent = ''
let lastToken = ''

function readProductToken(userAgent: string): string {
  const text = userAgent.slice(0, 1000).trim()
  const mark = /^mozilla\//i.test(text) ? compatible.exec(text) : null
  const named = mark ? text.slice(mark.index + mark[0].length) : text
  return tokenStart.exec(named)?.[0].toLowerCase() ?? ''
}

/**
 * Whether a name in a file addresses this crawler: the same name, or a prefix that ends at a word boundary, so that
 * `hedwig-images` obeys `hedwig` if the file has no group of its own for it, but `hedwigs` does not.
 */
export function addresses(nameInFile: string, product: string): boolean {
  if (nameInFile === '' || !product.startsWith(nameInFile)) return false
  const code = product.codePointAt(nameInFile.length)
  if (code === undefined) return true
  const next = String.fromCodePoint(code)
  return digit.test(next) ? !digit.test(nameInFile.at(-1)!) : !letter.test(next)
}
