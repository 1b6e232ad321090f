import { DtdValidator, type ErrorDetail, ParseOption, XmlDocument, XmlDtd, XmlLibError } from 'libxml2-wasm'
import { type XmlFault, XmlFaultError } from './xml-fault.ts'
import { createXmlTokens } from './xml-tokens.ts'

const maxFaults = 100
/** The whole document is held in memory, several times over. */
const defaultMaxBytes = 64 * 1024 * 1024

/**
 * Holds documents against a document type with libxml2. Nothing is fetched, whatever the document names, and documents with
 * declarations of their own are refused: they could change what the grammar says.
 */
export function createDtdValidator(
  dtdText: string,
  maxBytes = defaultMaxBytes,
): (xml: string | Uint8Array) => XmlFault[] {
  return (xml) => {
    const bytes = typeof xml === 'string' ? Buffer.from(xml, 'utf8') : xml
    if (bytes.length > maxBytes) return [{ line: 1, message: `the document has more than ${maxBytes} bytes` }]
    const fault = prologFault(bytes)
    if (fault !== null) return [fault]
    try {
      using dtd = XmlDtd.fromString(dtdText)
      const option = ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_NO_XXE | ParseOption.XML_PARSE_BIG_LINES
      using document = XmlDocument.fromBuffer(bytes, { option })
      new DtdValidator(dtd).validate(document)
      return []
    } catch (error) {
      if (error instanceof XmlLibError) return faultsOf(error.details, error.message)
      throw error
    }
  }
}

/** What is wrong before the root element, read by our own reader: it takes no declarations and no encoding but UTF-8. */
function prologFault(bytes: Uint8Array): XmlFault | null {
  try {
    const tokens = createXmlTokens({ maxTokenChars: bytes.length, maxDepth: 1 })
    tokens.push(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    tokens.end()
    tokens.next()
    return null
  } catch (error) {
    return error instanceof XmlFaultError ? error.fault : { line: 1, message: 'the bytes are not UTF-8' }
  }
}

function faultsOf(details: readonly ErrorDetail[], message: string): XmlFault[] {
  const faults = details.slice(0, maxFaults).map((detail) => ({ line: detail.line, message: detail.message.trim() }))
  return faults.length > 0 ? faults : [{ line: 1, message }]
}
