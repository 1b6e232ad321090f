/** Maximum length of a page's stored links; the rest is dropped. */
const MAX_LENGTH = 1 << 20

/** Packs a page's links into one text, one per line. Links to the page's own origin, as most are, are stored without it. */
export function packLinks(links: readonly string[], pageUrl: string, maxLength = MAX_LENGTH): string {
  const origin = originOf(pageUrl)
  return packLines(
    links.map((url) =>
      url.startsWith(origin) && url.charCodeAt(origin.length) === 0x2f ? url.slice(origin.length) : url,
    ),
    maxLength,
  )
}

/** As `packLinks`, for links from which the page's origin is already removed. */
export function packLines(lines: readonly string[], maxLength = MAX_LENGTH): string {
  const text = lines.join('\n')
  return text.length <= maxLength ? text : text.slice(0, Math.max(0, text.lastIndexOf('\n', maxLength)))
}

/** The links of a capture in stored form. */
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

/** The links at these indexes, given in ascending order; fewer if the text was truncated. */
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
