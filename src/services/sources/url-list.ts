import { setImmediate as turn } from 'node:timers/promises'

/** An address in a list. */
export type ListedUrl = { line: number; url: string; name: string | null }

export type SkippedLine = { line: number; text: string; why: string }

export type ReadUrls = { urls: ListedUrl[]; skipped: SkippedLine[] }

const LINES_AT_ONCE = 1000
/** Enough of a line to find it again in the list. */
const MAX_SHOWN = 200
const address = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`|\\^{}]+/gi
/** A line that is nothing but an address may hold characters that end an address in prose, as in `Schr%C3%B6dinger's_cat` or `?titles=A|B`. */
const onlyAddress = /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"]+$/i
const bareHost = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}\p{L}{2,24}(?::\d{1,5})?(?:[/?#]\S*)?$/u

/**
 * One address per line, or text that contains addresses. A `#` at the start of a line or after a blank starts a comment.
 * A bare name such as `example.org/news` is taken as a page.
 */
export async function readUrlList(text: string): Promise<ReadUrls> {
  const read: ReadUrls = { urls: [], skipped: [] }
  let line = 0
  for (const whole of text.split(/\r\n|\n|\r/)) {
    line++
    if (line % LINES_AT_ONCE === 0) await turn()
    const said = whole.replace(/(^|\s)#.*$/s, '').trim()
    if (said === '') continue
    const found = onlyAddress.test(said) ? [said] : (said.match(address) ?? [])
    for (const url of found) read.urls.push({ line, url: withoutEnd(url), name: null })
    if (found.length > 0) continue
    if (said.length < 2000 && bareHost.test(said)) read.urls.push({ line, url: `https://${said}`, name: null })
    else read.skipped.push({ line, text: shown(said), why: "That isn't a web address (http or https)" })
  }
  return read
}

/** Punctuation that ends a sentence is not part of the address. */
function withoutEnd(url: string): string {
  let end = url.length
  while (end > 0 && '.,;:!?'.includes(url[end - 1]!)) end--
  const bare = url.slice(0, end)
  return /[)\]]$/.test(bare) && !/[([]/.test(bare) ? bare.slice(0, -1) : bare
}

export function shown(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`
}
