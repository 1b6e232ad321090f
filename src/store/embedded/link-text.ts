/** A page's links in one text, one a line; those of the page's own origin without it, since most are. */
export function packLinks(links: readonly string[], pageUrl: string, maxBytes = 1 << 20): string {
  const origin = originOf(pageUrl)
  let text = ''
  for (const link of links) {
    const line = link.startsWith(origin) && link.charCodeAt(origin.length) === 0x2f ? link.slice(origin.length) : link
    if (text.length + line.length > maxBytes) break
    text += text === '' ? line : `\n${line}`
  }
  return text
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
