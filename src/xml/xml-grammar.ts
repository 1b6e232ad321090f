import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createDtdValidator } from './dtd-validity.ts'
import { InvalidXmlError, type XmlError } from './xml-error.ts'
import { childrenOf } from './xml-node.ts'
import { readXmlTree, type TreeLimits, treeLimits, type XmlNode } from './xml-tree.ts'

/** One of our document types. A file holds many items, or one that is the root. */
export type Grammar = {
  readonly dtdPath: string
  readonly root: string
  readonly item: string
  /** What a validator finds wrong, with lines; nothing where the document follows its type. */
  validate(xml: string | Uint8Array): XmlError[]
  /**
   * The items as they stand there, and what is wrong with the document: values are for the caller to check, also those
   * of a document with faults, so that all can be told at once.
   */
  read(xml: string | Uint8Array, limits?: TreeLimits): { items: XmlNode[]; errors: XmlError[] }
}

export function createGrammar({ dtd, root, item }: { dtd: string; root: string; item: string }): Grammar {
  const dtdPath = fileURLToPath(new URL(dtd, import.meta.url))
  let validator: ((xml: string | Uint8Array) => XmlError[]) | null = null

  function againstDtd(xml: string | Uint8Array): XmlError[] {
    validator ??= createDtdValidator(readFileSync(dtdPath, 'utf8'))
    return validator(xml)
  }

  function read(xml: string | Uint8Array, limits = treeLimits): { items: XmlNode[]; errors: XmlError[] } {
    let tree: XmlNode
    try {
      // Before the validator: it would not mind millions of elements.
      tree = readXmlTree(xml, limits)
    } catch (error) {
      if (error instanceof InvalidXmlError) return { items: [], errors: [error.error] }
      throw error
    }
    if (tree.name !== root && tree.name !== item) {
      const message = `<${tree.name.slice(0, 60)}> where <${item}> or <${root}> is expected`
      return { items: [], errors: [{ line: tree.line, message }] }
    }
    return { items: tree.name === root ? childrenOf(tree, item) : [tree], errors: againstDtd(xml) }
  }

  return { dtdPath, root, item, read, validate: (xml) => read(xml).errors }
}
