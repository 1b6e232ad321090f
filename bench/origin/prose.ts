import type { Random } from './random.ts'

const onsets = ['b', 'c', 'd', 'f', 'g', 'h', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'st', 'tr', 'pl', 'qu', 'sh', '']
const nuclei = ['a', 'e', 'i', 'o', 'u', 'ea', 'io', 'ou', 'ai']
const codas = ['', '', 'n', 'r', 's', 't', 'l', 'nd', 'ck', 'rm']
const entities = ['&amp;', '&nbsp;', '&eacute;', '&mdash;', '&#8217;', '&lt;', '&quot;', '&copy;']
const foreign = ['café', 'naïve', 'Ωmega', 'größer', '東京', '–', '“so”']

export type Prose = {
  words: string[]
  word(): string
  phrase(length: number): string
  /** Three or four words, from a prepared stock: link texts are many. */
  snippet(): string
  /** Encoded pieces of markup without links, shared by all pages so that only page assembly costs time. */
  blocks: Buffer[]
}

/** A made-up language with the word lengths, the markup density and the entities of common pages. */
export function createProse(random: Random): Prose {
  const words = Array.from({ length: 2000 }, () => {
    let text = ''
    for (let syllables = 1 + random.below(3); syllables > 0; syllables--)
      text += random.pick(onsets) + random.pick(nuclei) + random.pick(codas)
    return text
  })
  // Squaring favours the first words, as common words are favoured in any language.
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
