const noPage = /^(?:#|mailto:|javascript:|tel:|data:)/i

/** Whether a link leads to no other page: a fragment of this one, or a scheme that is never fetched. */
export function isNoPageLink(href: string): boolean {
  return noPage.test(href)
}

/** HTML trims less than `String.trim`: a no-break space is part of the value. */
export function trimHtmlWhitespace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isHtmlWhitespace(text.charCodeAt(start))) start++
  while (end > start && isHtmlWhitespace(text.charCodeAt(end - 1))) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

function isHtmlWhitespace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b)
}
