/**
 * Product tokens: the name by which a file addresses a crawler. RFC 9309 allows letters, `-` and `_`; files in the wild also use digits, dots
 * and letters beyond ASCII, which are taken as part of the name.
 */

const tokenStart = /^[\p{L}\p{N}_.-]+/u
const compatible = /\bcompatible;\s*/i
const letter = /\p{L}/u
const digit = /\p{N}/u
const maxTokenChars = 200

/** The name in a `User-agent` line: `Foo/2.1` and `Foo Bar` mean `foo`. Empty where there is none. */
export function lineToken(value: string): string {
  if (value === '*' || /^\*\s/.test(value)) return '*'
  return tokenStart.exec(value.slice(0, maxTokenChars))?.[0].toLowerCase() ?? ''
}

/** The name in what a crawler sends: the first word, or what follows `compatible;` in a string that starts like a browser's. */
export function productToken(userAgent: string): string {
  if (userAgent !== lastAgent) {
    lastToken = readProductToken(userAgent)
    lastAgent = userAgent
  }
  return lastToken
}

/** A crawler asks with one name, for every page. */
let lastAgent = ''
let lastToken = ''

function readProductToken(userAgent: string): string {
  const text = userAgent.slice(0, 1000).trim()
  const mark = /^mozilla\//i.test(text) ? compatible.exec(text) : null
  const named = mark ? text.slice(mark.index + mark[0].length) : text
  return tokenStart.exec(named)?.[0].toLowerCase() ?? ''
}

/**
 * Whether a file's name addresses this crawler: the same name, or its beginning up to the end of a word, so that
 * `hedwig-images` obeys `hedwig` where the file has no group of its own for it, but `hedwigs` does not.
 */
export function addresses(nameInFile: string, product: string): boolean {
  if (nameInFile === '' || !product.startsWith(nameInFile)) return false
  const code = product.codePointAt(nameInFile.length)
  if (code === undefined) return true
  const next = String.fromCodePoint(code)
  return digit.test(next) ? !digit.test(nameInFile.at(-1)!) : !letter.test(next)
}
