import { ParseOption, XmlAttribute, XmlDocument, XmlElement, type XmlNode, XmlXPath, XmlXPathError } from 'libxml2-wasm'
import type { ProfileQueryResult } from '../../core/reports/profile-report.ts'
import { attributes } from '../../xml/xml-writing.ts'

export type ResultLimits = { maxNodes: number; maxResultChars: number }

/** The caller must dispose of it: it lives outside the garbage-collected heap. */
export function parseBase(xml: Uint8Array): XmlDocument {
  return XmlDocument.fromBuffer(xml, { option: ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_COMPACT })
}

/** For texts that `xpathFault` let pass, in a thread that may be ended: neither time nor memory is bounded here. */
export function evaluateXpath(document: XmlDocument, xpath: string, limits: ResultLimits): ProfileQueryResult {
  try {
    using compiled = XmlXPath.compile(xpath)
    const found = document.eval(compiled)
    return Array.isArray(found) ? nodesOf(found, limits) : { kind: 'value', value: found }
  } catch (error) {
    if (!(error instanceof XmlXPathError)) throw error
    // The message repeats the query before the reason.
    const reason = /': ([^\n]{1,200})/.exec(error.message.slice(xpath.length))?.[1]
    return { kind: 'fault', message: reason ?? 'the query is not a valid XPath 1.0 expression' }
  }
}

function nodesOf(found: readonly XmlNode[], { maxNodes, maxResultChars }: ResultLimits): ProfileQueryResult {
  const nodes: string[] = []
  let chars = 0
  for (const node of found.slice(0, maxNodes)) {
    const text = textOf(node)
    chars += text.length
    if (chars > maxResultChars) break
    nodes.push(text)
  }
  return { kind: 'nodes', nodes, total: found.length }
}

function textOf(node: XmlNode): string {
  if (node instanceof XmlElement) return node.toString()
  if (node instanceof XmlAttribute) return attributes({ [node.name]: node.value }).trim()
  return node.content
}
