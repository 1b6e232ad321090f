import { unbackslashed } from './xml-text.ts'
import type { XmlNode } from './xml-tree.ts'

/** Looking into elements of which a validator knows already whether they follow their grammar: what is not there is undefined. */

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

/** The text of an element and of those in it, in the spelling of `xml-text.ts` where it says so; null where that is wrong. */
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

/** The number that a text gives; any other text stays one, for whoever checks values to name it. */
export function numberOrText(text: string | undefined): number | string | undefined {
  const bare = text?.trim()
  return bare !== undefined && numeral.test(bare) ? Number(bare) : text
}

/** One of the words that the grammar has there; for any other the validator has spoken. */
export function wordOf<T extends string>(text: string | undefined, words: readonly T[]): T | undefined {
  const bare = text?.trim()
  return words.find((word) => word === bare)
}
