import { InvalidXmlError } from './xml-error.ts'
import { createXmlTokens, type XmlToken } from './xml-tokens.ts'

/** An element with all that is in it, in its order. Texts that stand side by side are one. */
export type XmlNode = {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly line: number
  readonly content: (string | XmlNode)[]
}

export type TreeLimits = { maxBytes: number; maxElements: number; maxDepth: number }

/** A tree takes some hundred bytes an element: these together stay below 200 MB, and below a second. */
export const treeLimits: TreeLimits = { maxBytes: 20_000_000, maxElements: 250_000, maxDepth: 16 }

/** Of one tag or one text. */
const maxTokenChars = 1_000_000
const chunkChars = 64 * 1024

/** The whole of a well-formed document. Throws an `InvalidXmlError` at the first thing that is wrong. */
export function readXmlTree(xml: string | Uint8Array, limits: TreeLimits = treeLimits): XmlNode {
  const { maxBytes, maxElements, maxDepth } = limits
  const text = textOf(xml, maxBytes)
  const open: XmlNode[] = []
  let root: XmlNode | null = null
  let elements = 0
  for (const token of tokensOf(text, maxDepth)) {
    const around = open.at(-1)
    if (token.kind === 'end') open.pop()
    else if (token.kind === 'text') addText(around!.content, token.text)
    else {
      const { name, attributes, line } = token
      if (++elements > maxElements) throw invalidXml(line, `there are more than ${maxElements} elements`)
      const node: XmlNode = { name, attributes, line, content: [] }
      root ??= node
      around?.content.push(node)
      open.push(node)
    }
  }
  return root!
}

/** In pieces: so a tag that is too long is found out before it is taken apart. */
function* tokensOf(text: string, maxDepth: number): Generator<XmlToken, void, undefined> {
  const tokens = createXmlTokens({ maxTokenChars, maxDepth })
  let at = 0
  do {
    // No pair is cut in two.
    const cut = at + Math.max(chunkChars, tokens.left())
    const end = /[\ud800-\udbff]/.test(text.charAt(cut - 1)) ? cut + 1 : cut
    tokens.push(text.slice(at, end))
    if (end >= text.length) tokens.end()
    for (let token = tokens.next(); token !== 'more' && token !== null; token = tokens.next()) yield token
    at = end
  } while (at < text.length)
}

/** The name of the outermost element, for whoever reads several grammars; null where there is none to be found. */
export function rootNameOf(xml: string | Uint8Array, { maxBytes }: TreeLimits = treeLimits): string | null {
  try {
    const first = tokensOf(textOf(xml, maxBytes), 1).next().value
    return first?.kind === 'start' ? first.name : null
  } catch (error) {
    if (error instanceof InvalidXmlError) return null
    throw error
  }
}

function textOf(xml: string | Uint8Array, maxBytes: number): string {
  const bytes = typeof xml === 'string' ? Buffer.byteLength(xml) : xml.length
  if (bytes > maxBytes) throw invalidXml(1, `the document has more than ${maxBytes} bytes`)
  if (typeof xml === 'string') return xml.startsWith('\ufeff') ? xml.slice(1) : xml
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(xml)
  } catch {
    throw invalidXml(1, 'the bytes are not UTF-8')
  }
}

function addText(content: XmlNode['content'], text: string): void {
  const last = content.length - 1
  const before = content[last]
  if (typeof before === 'string') content[last] = before + text
  else content.push(text)
}

function invalidXml(line: number, message: string): InvalidXmlError {
  return new InvalidXmlError({ line, message })
}
