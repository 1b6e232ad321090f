import type { Prose } from './prose.ts'
import type { Random } from './random.ts'

export type PageSpec = { title: string; hrefs: string[]; targetBytes: number }

const style =
  'body{font:16px/1.5 serif;margin:0}.nav a{padding:4px}.t1{color:#333}@media(max-width:40em){.nav{display:none}}'
const script =
  'window.q=window.q||[];(function(d){var s="<a href=\'/never\'>x</a>";if(d.cookie<1&&s)q.push([s.length])})(document);'

/** One page of about `targetBytes`, or a little more where its links alone need more room. */
export function renderPage({ title, hrefs, targetBytes }: PageSpec, prose: Prose, random: Random): Buffer {
  const navLinks = hrefs.slice(0, 8)
  const textLinks = hrefs.slice(8)
  const parts: Buffer[] = [Buffer.from(head(title, navLinks, prose))]
  const tail = Buffer.from(
    `</main>\n<footer><a href="mailto:office@example.org">Mail</a> &copy; ${title}</footer>\n<script>${script}</script>\n</body>\n</html>\n`,
  )
  let bytes = parts[0]!.length + tail.length
  // About 110 bytes go to each link's paragraph; what is left is filled with prose between the links.
  const proseBytes = Math.max(0, targetBytes - bytes - textLinks.length * 110)
  const perLinkBytes = proseBytes / (textLinks.length + 1)
  let owedBytes = 0
  for (const href of textLinks) {
    for (owedBytes += perLinkBytes; owedBytes > 0; ) {
      const text = random.pick(prose.blocks)
      parts.push(text)
      bytes += text.length
      owedBytes -= text.length
    }
    const paragraph = Buffer.from(
      `<p>${prose.snippet()} <a class="ref" href="${href}">${prose.snippet()}</a> ${prose.snippet()}.</p>\n`,
    )
    parts.push(paragraph)
    bytes += paragraph.length
  }
  parts.push(tail)
  return Buffer.concat(parts, bytes)
}

function head(title: string, navLinks: string[], prose: Prose): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="description" content="${prose.phrase(12)}">
<meta name=viewport content="width=device-width, initial-scale=1">
<style>${style}</style>
<script>${script}</script>
</head>
<body class="page">
<nav class="nav"><a href="#main">Skip</a>${navLinks.map((href) => `<a href="${href}">${prose.word()}</a>`).join('\n')}</nav>
<main id="main"><h1>${title}</h1>
`
}
