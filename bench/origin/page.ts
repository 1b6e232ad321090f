import type { Random } from './random.ts'

type PageSpec = { title: string; hrefs: string[]; targetBytes: number }

const style =
  'body{font:16px/1.5 serif;margin:0}.nav a{padding:4px}.t1{color:#333}@media(max-width:40em){.nav{display:none}}'
const script =
  'window.q=window.q||[];(function(d){var s="<a href=\'/never\'>x</a>";if(d.cookie<1&&s)q.push([s.length])})(document);'

/** A page of about `targetBytes`, or a little more if its links need it. */
export function renderPage({ title, hrefs, targetBytes }: PageSpec, prose: Prose, random: Random): Buffer {
  const navLinks = hrefs.slice(0, 8)
  const textLinks = hrefs.slice(8)
  const parts: Buffer[] = [Buffer.from(head(title, navLinks, prose))]
  const tail = Buffer.from(
    `</main>\n<footer><a href="mailto:office@example.org">Mail</a> &copy; ${title}</footer>\n<script>${script}</script>\n</body>\n</html>\n`,
  )
  let bytes = parts[0]!.length + tail.length
  // Each link's paragraph takes about 110 bytes; prose between the links fills the rest.
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

const onsets = ['b', 'c', 'd', 'f', 'g', 'h', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'st', 'tr', 'pl', 'qu', 'sh', '']
const nuclei = ['a', 'e', 'i', 'o', 'u', 'ea', 'io', 'ou', 'ai']
const codas = ['', '', 'n', 'r', 's', 't', 'l', 'nd', 'ck', 'rm']
const entities = ['&amp;', '&nbsp;', '&eacute;', '&mdash;', '&#8217;', '&lt;', '&quot;', '&copy;']
const foreign = ['café', 'naïve', 'Ωmega', 'größer', '東京', '–', '“so”']

export type Prose = {
  words: string[]
  word(): string
  phrase(length: number): string
  /** Three or four words, generated in advance, since there are many link texts. */
  snippet(): string
  /** Encoded markup without links, shared by all pages so that only assembling them takes time. */
  blocks: Buffer[]
}

/** An artificial language with the word lengths, markup density and entities of typical pages. */
export function createProse(random: Random): Prose {
  const words = Array.from({ length: 2000 }, () => {
    let text = ''
    for (let syllables = 1 + random.below(3); syllables > 0; syllables--)
      text += random.pick(onsets) + random.pick(nuclei) + random.pick(codas)
    return text
  })
  // Squaring favours the first words, like the common words of any language.
  const word = (): string => words[Math.floor(random.next() ** 2 * words.length)]!
  const phrase = (length: number): string => Array.from({ length }, word).join(' ')
  const snippets = Array.from({ length: 3000 }, () => phrase(3 + random.below(2)))
  const snippet = (): string => random.pick(snippets)
  const blocks = Array.from({ length: 600 }, () => Buffer.from(block(random, word, phrase)))
  return { words, word, phrase, snippet, blocks }
}

function block(random: Random, word: () => string, phrase: (length: number) => string): string {
  const dice = random.next()
  if (dice < 0.08) return `<h2 id="${word()}" class="sec">${phrase(4)}</h2>\n`
  if (dice < 0.16) return `<ul class='${word()}'>\n${`<li>${phrase(6)}\n`.repeat(4)}</ul>\n`
  if (dice < 0.22) {
    const row = `<tr><td data-k="${word()}">${phrase(2)}</td><td align=right>${random.below(9999)}</td></tr>\n`
    return `<table border=0>\n${row.repeat(5)}</table>\n`
  }
  if (dice < 0.26) return `<!-- ${phrase(12)} > ${word()} -->\n<hr />\n`
  const parts: string[] = []
  for (let left = 50 + random.below(90); left > 0; left--) {
    const kind = random.next()
    if (kind < 0.02) parts.push(`<em>${phrase(2)}</em>`)
    else if (kind < 0.03) parts.push(`<strong class="k">${word()}</strong>`)
    else if (kind < 0.04)
      parts.push(`<span style="color:#${random.below(900) + 100}" title="${phrase(2)}">${word()}</span>`)
    else if (kind < 0.055) parts.push(random.pick(entities))
    else if (kind < 0.06) parts.push(random.pick(foreign))
    else parts.push(word())
  }
  return `<p class="t${random.below(4)}">${parts.join(' ')}.</p>\n`
}
