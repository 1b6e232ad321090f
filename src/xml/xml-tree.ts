import { unbackslashed } from './xml-text.ts'
import { InvalidXmlError, xmlTokens } from './xml-tokens.ts'

/** An element with its content in document order. Adjacent texts are merged. */
export type XmlNode = {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly line: number
  readonly content: (string | XmlNode)[]
}

export type TreeLimits = { maxBytes: number; maxElements: number; maxDepth: number }

/** A tree takes a few hundred bytes per element: together these limits keep it below 200 MB, and below a second. */
export const treeLimits: TreeLimits = { maxBytes: 20_000_000, maxElements: 250_000, maxDepth: 16 }

/** Reads a well-formed document. Throws an `InvalidXmlError` at the first error. */
export function readXmlTree(xml: string | Uint8Array, limits: TreeLimits = treeLimits): XmlNode {
  const { maxBytes, maxElements, maxDepth } = limits
  const text = documentText(xml, maxBytes)
  const open: XmlNode[] = []
  let root: XmlNode | null = null
  let elements = 0
  for (const token of xmlTokens(text, maxDepth)) {
    const around = open.at(-1)
    if (token.kind === 'end') open.pop()
    else if (token.kind === 'text') addText(around!.content, token.text)
    else {
      const { name, attributes, line } = token
      if (++elements > maxElements) throw invalidXml(line, `more than ${maxElements} elements`)
      const node: XmlNode = { name, attributes, line, content: [] }
      root ??= node
      around?.content.push(node)
      open.push(node)
    }
  }
  return root!
}

/** The name of the root element, for readers of several grammars; null if there is none. */
export function rootNameOf(xml: string | Uint8Array, { maxBytes }: TreeLimits = treeLimits): string | null {
  try {
    const first = xmlTokens(documentText(xml, maxBytes), 1).next().value
    return first?.kind === 'start' ? first.name : null
  } catch (error) {
    if (error instanceof InvalidXmlError) return null
    throw error
  }
}

function documentText(xml: string | Uint8Array, maxBytes: number): string {
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

/** Accessors for elements that a validator has already checked. Missing parts are undefined. */

export function childrenOf(node: XmlNode | undefined, name?: string): XmlNode[] {
  const isWanted = (each: string | XmlNode): each is XmlNode =>
    typeof each !== 'string' && (name === undefined || each.name === name)
  return node === undefined ? [] : node.content.filter(isWanted)
}

export function childOf(node: XmlNode | undefined, name: string): XmlNode | undefined {
  const isWanted = (each: string | XmlNode): each is XmlNode => typeof each !== 'string' && each.name === name
  return node?.content.find(isWanted)
}

export function attributeOf(node: XmlNode | undefined, name: string): string | undefined {
  return node?.attributes.get(name)
}

/** Text of an element and its descendants, with escapes (`xml-text.ts`) undone if it is marked so; null for an invalid escape. */
export function textOf(node: XmlNode | undefined): string | null | undefined {
  if (node === undefined) return undefined
  const text = bareText(node)
  return node.attributes.get('escaped') === 'yes' ? unbackslashed(text) : text
}

function bareText({ content }: XmlNode): string {
  let text = ''
  for (const each of content) text += typeof each === 'string' ? each : bareText(each)
  return text
}

const numeral = /^-?\d{1,400}(?:\.\d{1,400})?(?:e[+-]?\d{1,4})?$/i

/** The text as a number; any other text unchanged, for the caller to report. */
export function numberOrText(text: string | undefined): number | string | undefined {
  const bare = text?.trim()
  return bare !== undefined && numeral.test(bare) ? Number(bare) : text
}

/** Returns the word of the grammar; undefined for any other text, which the validator has already reported. */
export function wordOf<T extends string>(text: string | undefined, words: readonly T[]): T | undefined {
  const bare = text?.trim()
  return words.find((word) => word === bare)
}
