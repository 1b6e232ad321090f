import { parentPort } from 'node:worker_threads'
import { ParseOption, XmlAttribute, XmlDocument, XmlElement, type XmlNode, XmlXPath, XmlXPathError } from 'libxml2-wasm'
import type { ProfileQueryResult } from '../../../core/reports/profile-report.ts'
import { serveThread } from '../../../core/work/thread-host.ts'
import { attributes } from '../../../xml/xml-writing.ts'

/** The thread that runs queries. Once loaded it may be terminated at any moment: everything in it can be rebuilt. */
export type ToBaseWorker =
  | { kind: 'load'; key: string; xml: Uint8Array<ArrayBuffer> }
  | { kind: 'drop'; key: string }
  | { kind: 'query'; key: string; xpath: string; limits: ResultLimits }

/** `invalid` is not an expression at all. */
export type FromBaseWorker =
  | { kind: 'done' }
  | { kind: 'answer'; answer: ProfileQueryResult }
  | { kind: 'invalid'; message: string }

// The engine prints errors that are already in the answers. Only this thread is silenced.
process.stderr.write = () => true

/** Prefixes that a query may use. */
const namespaces = { webrace: 'urn:erace:webrace' }

const documents = new Map<string, XmlDocument>()

function answer(message: ToBaseWorker): FromBaseWorker {
  const { key } = message
  if (message.kind === 'query') return evaluateXpath(documents.get(key)!, message.xpath, message.limits)
  documents.get(key)?.dispose()
  documents.delete(key)
  if (message.kind === 'load') documents.set(key, parseBase(message.xml))
  return { kind: 'done' }
}

serveThread(parentPort!, answer)

type ResultLimits = { maxNodes: number; maxResultChars: number }

/** The caller must dispose of the document: it lives outside the garbage-collected heap. */
function parseBase(xml: Uint8Array): XmlDocument {
  return XmlDocument.fromBuffer(xml, { option: ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_COMPACT })
}

/** For validated queries, in a thread that may be terminated: neither time nor memory is bounded here. */
function evaluateXpath(document: XmlDocument, xpath: string, limits: ResultLimits): FromBaseWorker {
  try {
    using compiled = XmlXPath.compile(xpath, namespaces)
    const found = document.eval(compiled)
    const answer = Array.isArray(found) ? nodesOf(found, limits) : { kind: 'value' as const, value: found }
    return { kind: 'answer', answer }
  } catch (error) {
    if (!(error instanceof XmlXPathError)) throw error
    // The message repeats the query before the reason.
    const reason = /': ([^\n]{1,200})/.exec(error.message.slice(xpath.length))?.[1]
    if (reason === undefined) return { kind: 'invalid', message: 'the query is not a valid XPath 1.0 expression' }
    return { kind: 'answer', answer: { kind: 'fault', message: reason } }
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
