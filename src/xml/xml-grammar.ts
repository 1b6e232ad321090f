import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DtdValidator, type ErrorDetail, ParseOption, XmlDocument, XmlDtd, XmlLibError } from 'libxml2-wasm'
import { InvalidXmlError, type XmlError, xmlTokens } from './xml-tokens.ts'
import { childrenOf, readXmlTree, type TreeLimits, treeLimits, type XmlNode } from './xml-tree.ts'

/** One of our document types. A file holds many items, or one that is the root. */
export type Grammar = {
  readonly dtdPath: string
  readonly root: string
  readonly item: string
  /** The validation errors, with lines; empty for a valid document. */
  validate(xml: string | Uint8Array): XmlError[]
  /**
   * The items and the errors of the document. The caller checks the values, even of an invalid document, so that all
   * errors are reported at once.
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
      // Before the validator, which doesn't limit the number of elements.
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

const maxErrors = 100
/** The whole document is held in memory, several times over. */
const defaultMaxBytes = 64 * 1024 * 1024

/**
 * Validates documents against a document type with libxml2. Nothing is ever fetched, and documents with
 * declarations of their own are refused: they could change what the grammar says.
 */
export function createDtdValidator(
  dtdText: string,
  maxBytes = defaultMaxBytes,
): (xml: string | Uint8Array) => XmlError[] {
  return (xml) => {
    const bytes = typeof xml === 'string' ? Buffer.from(xml, 'utf8') : xml
    if (bytes.length > maxBytes) return [{ line: 1, message: `the document has more than ${maxBytes} bytes` }]
    const error = prologError(bytes)
    if (error !== null) return [error]
    try {
      using dtd = XmlDtd.fromString(dtdText)
      const option = ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_BIG_LINES
      using document = XmlDocument.fromBuffer(bytes, { option })
      new DtdValidator(dtd).validate(document)
      return []
    } catch (error) {
      if (error instanceof XmlLibError) return errorsOf(error.details, error.message)
      throw error
    }
  }
}

/** Finds an error before the root element with our own reader, which accepts no declarations and no encoding but UTF-8. */
function prologError(bytes: Uint8Array): XmlError | null {
  try {
    xmlTokens(new TextDecoder('utf-8', { fatal: true }).decode(bytes), 1).next()
    return null
  } catch (error) {
    return error instanceof InvalidXmlError ? error.error : { line: 1, message: 'the bytes are not UTF-8' }
  }
}

function errorsOf(details: readonly ErrorDetail[], message: string): XmlError[] {
  const errors = details.slice(0, maxErrors).map((detail) => ({ line: detail.line, message: detail.message.trim() }))
  return errors.length > 0 ? errors : [{ line: 1, message }]
}
