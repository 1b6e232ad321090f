/** A page's links in one text, one a line; those of the page's own origin without it, since most are. */
export function packLinks(links: readonly string[], pageUrl: string, maxLength = 1 << 20): string {
  const origin = originOf(pageUrl)
  // One pass of the runtime over the joined text costs less than looking at each link.
  const text = `\n${links.join('\n')}`.replaceAll(`\n${origin}/`, '\n/')
  if (text.length <= maxLength + 1) return text.slice(1)
  return text.slice(1, Math.max(1, text.lastIndexOf('\n', maxLength + 1)))
}

export function unpackLinks(text: string, pageUrl: string): string[] {
  if (text === '') return []
  const origin = originOf(pageUrl)
  return text.split('\n').map((line) => (line.startsWith('/') ? origin + line : line))
}

function originOf(url: string): string {
  const end = url.indexOf('/', url.indexOf('://') + 3)
  return end < 0 ? url : url.slice(0, end)
}
