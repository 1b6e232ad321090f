/** A page's links in one text, one a line; those of the page's own origin without it, since most are. */
export function packLinks(links: readonly string[], pageUrl: string, maxLength = 1 << 20): string {
  const origin = originOf(pageUrl)
  const lines: string[] = []
  let length = 0
  for (const link of links) {
    const isOwn = link.charCodeAt(origin.length) === 0x2f && link.startsWith(origin)
    const line = isOwn ? link.slice(origin.length) : link
    length += line.length + 1
    if (length > maxLength) break
    lines.push(line)
  }
  return lines.join('\n')
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
