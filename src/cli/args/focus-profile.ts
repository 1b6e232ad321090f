import { isAppError } from '../../core/errors.ts'
import { InvalidXmlError } from '../../xml/xml-tokens.ts'
import { attributeOf, childrenOf, readXmlTree, type XmlNode } from '../../xml/xml-tree.ts'

/** The keywords of all profiles in a file, as terms of a focused crawl; null if it isn't XML. */
export function focusTermsOfProfile(xml: string): string[] | null {
  let root: XmlNode
  try {
    root = readXmlTree(xml)
  } catch (error) {
    if (error instanceof InvalidXmlError || isAppError(error)) return null
    throw error
  }
  const terms: string[] = []
  const collect = (node: XmlNode): void => {
    for (const keyword of childrenOf(node, 'keyword')) {
      const key = attributeOf(keyword, 'key') ?? ''
      const weight = Number(attributeOf(keyword, 'weight') ?? 1)
      if (key.trim() !== '' && weight > 0) terms.push(`${Math.min(weight, 999_999)} ${key}`)
    }
    for (const child of childrenOf(node)) collect(child)
  }
  collect(root)
  return terms
}
