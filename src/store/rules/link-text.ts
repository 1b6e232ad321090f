/** More of a page's links is not kept. */
const MAX_LENGTH = 1 << 20

/** A page's links in one text, one a line; those of the page's own origin without it, since most are. */
export function packLinks(links: readonly string[], pageUrl: string, maxLength = MAX_LENGTH): string {
  const origin = originOf(pageUrl)
  return packLines(
    links.map((url) =>
      url.startsWith(origin) && url.charCodeAt(origin.length) === 0x2f ? url.slice(origin.length) : url,
    ),
    maxLength,
  )
}

/** The same of links that are without their page's origin already. */
export function packLines(lines: readonly string[], maxLength = MAX_LENGTH): string {
  const text = lines.join('\n')
  return text.length <= maxLength ? text : text.slice(0, Math.max(0, text.lastIndexOf('\n', maxLength)))
}

/** The links of what came, as they are stored. */
export function linkTextOf({
  linkText,
  links,
  url,
}: {
  linkText?: string
  links: readonly string[]
  url: string
}): string {
  return linkText ?? packLinks(links, url)
}

export function unpackLinks(text: string, pageUrl: string): string[] {
  if (text === '') return []
  const origin = originOf(pageUrl)
  return text.split('\n').map((line) => (line.startsWith('/') ? origin + line : line))
}

/** The links at these places, given in rising order; less of them where the text was cut. */
export function unpackLinksAt(text: string, pageUrl: string, places: readonly number[]): string[] {
  if (text === '') return []
  const origin = originOf(pageUrl)
  const links: string[] = []
  let line = 0
  let start = 0
  for (const place of places) {
    for (; line < place; line++) {
      start = text.indexOf('\n', start) + 1
      if (start === 0) return links
    }
    const end = text.indexOf('\n', start)
    const link = text.slice(start, end < 0 ? text.length : end)
    links.push(link.startsWith('/') ? origin + link : link)
  }
  return links
}

export function originOf(url: string): string {
  const end = url.indexOf('/', url.indexOf('://') + 3)
  return end < 0 ? url : url.slice(0, end)
}
