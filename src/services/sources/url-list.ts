/** A place to watch, as somebody's list has it. */
export type ListedUrl = { line: number; url: string; name: string | null }

export type SkippedLine = { line: number; text: string; why: string }

export type ReadUrls = { urls: ListedUrl[]; skipped: SkippedLine[] }

/** What is left of it to be looked for in a list of which nothing was taken. */
const MAX_SHOWN = 200
const address = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`|\\^{}]+/gi
const bareHost = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}\p{L}{2,24}(?::\d{1,5})?(?:[/?#]\S*)?$/u

/**
 * One address on each line, or text with addresses in it. What follows a `#` at the start of a line or behind a blank is a comment.
 * A bare name as `example.org/news` is taken for a page there.
 */
export function readUrlList(text: string): ReadUrls {
  const read: ReadUrls = { urls: [], skipped: [] }
  let line = 0
  for (const whole of text.split(/\r\n|\n|\r/)) {
    line++
    const said = whole.replace(/(^|\s)#.*$/s, '').trim()
    if (said === '') continue
    const found = said.match(address) ?? []
    for (const url of found) read.urls.push({ line, url: withoutEnd(url), name: null })
    if (found.length > 0) continue
    if (said.length < 2000 && bareHost.test(said)) read.urls.push({ line, url: `https://${said}`, name: null })
    else read.skipped.push({ line, text: shown(said), why: whyNot(said) })
  }
  return read
}

function whyNot(said: string): string {
  return /^[a-z][a-z0-9+.-]{1,20}:\S+$/i.test(said) ? 'it is no address of a page' : 'there is no URL in it'
}

/** In a sentence an address is followed by what is not part of it. */
function withoutEnd(url: string): string {
  let end = url.length
  while (end > 0 && '.,;:!?'.includes(url[end - 1]!)) end--
  const bare = url.slice(0, end)
  return /[)\]]$/.test(bare) && !/[([]/.test(bare) ? bare.slice(0, -1) : bare
}

export function shown(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`
}
