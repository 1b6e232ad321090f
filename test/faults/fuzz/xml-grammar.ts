import { readFileSync } from 'node:fs'
import type { Random } from '../../../bench/origin/random.ts'

type Attribute = { name: string; type: string; isRequired: boolean }
type Element = { content: string; attributes: Attribute[] }
export type Grammar = { elements: Map<string, Element>; roots: readonly string[] }

/** The elements and attributes of one of the program's own DTDs. */
export function readGrammar(name: 'profile' | 'urd' | 'aci'): Grammar {
  const dtd = readFileSync(new URL(`../../../src/xml/${name}.dtd`, import.meta.url), 'utf8').replaceAll(
    /<!--[\s\S]*?-->/g,
    '',
  )
  const entities = new Map([...dtd.matchAll(/<!ENTITY % (\w+) "([^"]*)">/g)].map(([, key, text]) => [key!, text!]))
  const plain = dtd.replaceAll(/%(\w+);/g, (_, key: string) => entities.get(key) ?? '')
  const elements = new Map<string, Element>()
  for (const [, element, content] of plain.matchAll(/<!ELEMENT (\w+) ([^>]*)>/g))
    elements.set(element!, { content: content!.replaceAll(/\s+/g, ''), attributes: [] })
  for (const [, element, list] of plain.matchAll(/<!ATTLIST (\w+)\s+([^>]*)>/g))
    for (const [, attribute, type, use] of list!.matchAll(/(\w+) (\([^)]*\)|\w+) (#\w+)/g))
      elements.get(element!)?.attributes.push({ name: attribute!, type: type!, isRequired: use === '#REQUIRED' })
  return { elements, roots: [`${name}s`, name] }
}

/** Generates the value of an attribute or text. */
export type Words = (name: string, random: Random) => string

/** Generates a document that the grammar allows. */
export function writeDocument({ elements, roots }: Grammar, random: Random, words: Words): string {
  let left = 400

  function write(name: string): string {
    left--
    const { content, attributes } = elements.get(name)!
    const list = attributes
      .filter(({ isRequired }) => isRequired || random.below(2) === 0)
      .map(({ name: attribute, type }) => {
        const choices = type.startsWith('(') ? type.slice(1, -1).split('|') : null
        const value = choices === null ? words(attribute, random) : random.pick(choices).trim()
        return ` ${attribute}="${escaped(value)}"`
      })
    const inner = content === 'EMPTY' ? '' : contentOf(content, name)
    return inner === '' ? `<${name}${list.join('')}/>` : `<${name}${list.join('')}>${inner}</${name}>`
  }

  function contentOf(model: string, name: string): string {
    if (model === '(#PCDATA)') return escaped(words(name, random))
    if (model.includes('#PCDATA')) return `${escaped(words(name, random))}<hit>java</hit>`
    return model
      .slice(1, -1)
      .split(',')
      .map((part) => {
        const [, one, several, often] = /^(?:(\w+)|\(([\w |]+)\))([?*+]?)$/.exec(part.trim())!
        const children = one === undefined ? several!.split('|').map((each) => each.trim()) : [one]
        const count =
          often === '' ? 1 : often === '?' ? random.below(2) : (often === '+' ? 1 : 0) + random.below(left > 0 ? 3 : 1)
        return Array.from({ length: count }, () => write(random.pick(children))).join('\n')
      })
      .join('\n')
  }

  const prologue = random.pick(['', '<?xml version="1.0"?>\n', '<?xml version="1.0" encoding="UTF-8"?>\n'])
  return prologue + write(random.pick(roots))
}

/** Characters not allowed in XML stay as they are: readers must reject them. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

const bomb = Array.from({ length: 9 }, (_, n) => `<!ENTITY b${n + 1} "${`&b${n};`.repeat(10)}">`).join('')

/** Pieces that XML readers trip over. */
export const xmlPieces: readonly string[] = [
  '&b9;',
  '&lt;&#0;&#xD800;&#x110000;&#99999999999;',
  '&nothing;',
  '&',
  '<',
  ']]>',
  '<![CDATA[ <x> ]]>',
  '<!-- -- -->',
  '<?xml version="1.1"?>',
  '<?php echo 1 ?>',
  '<a:b xmlns:a="urn:x" a:c="1"/>',
  '<profile id="1" id="1"/>',
  'xmlns="urn:other"',
  '<!DOCTYPE x SYSTEM "file:///etc/passwd">',
  '\ufffe',
  '\u000b',
  '</profile></profiles>',
]

const prologues: readonly string[] = [
  `<!DOCTYPE profiles [<!ENTITY b0 "aaaaaaaaaa">${bomb}]>`,
  '<!DOCTYPE profiles [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
  '<!DOCTYPE profiles [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd">%p;]>',
  '<!DOCTYPE profiles [<!ENTITY a "&b;"><!ENTITY b "&a;">]>',
  '<?xml version="1.0" encoding="UTF-16"?>',
  '<?xml version="1.0" encoding="ISO-8859-7"?>',
  '<?xml version="1.0" encoding="UTF-7"?>',
  '<?xml version="1.0" encoding="EBCDIC-CP-US"?>',
  `<!--${'x'.repeat(100_000)}-->`,
]

/** A variant of the text: in another encoding, after a hostile prologue, or with one tag repeated in depth or in breadth. */
export function disguise(xml: string, random: Random): Buffer {
  switch (random.below(8)) {
    case 0:
      return Buffer.from(`\ufeff${xml}`, 'utf16le')
    case 1:
      return Buffer.from(`\ufeff${xml}`, 'utf16le').swap16()
    case 2:
      return Buffer.from(xml, 'latin1')
    case 3:
      return Buffer.from(`\ufeff${xml}`)
    case 4: {
      const tag = /<(\w+)/.exec(xml)?.[1] ?? 'a'
      const depth = random.pick([50, 5000, 200_000])
      return Buffer.from(xml.replace(`<${tag}`, () => `${`<${tag}>`.repeat(depth)}<${tag}`))
    }
    case 5: {
      const list = Array.from({ length: random.pick([100, 20_000]) }, (_, n) => ` a${n}="${n}"`).join('')
      return Buffer.from(xml.replace(/<\w+/, (start) => `${start}${list}`))
    }
    default:
      return Buffer.from(random.pick(prologues) + xml.replace(/^<\?xml[^>]*>\n/, '').replaceAll('java', '&b9;&x;&a;'))
  }
}
