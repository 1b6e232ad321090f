import { DtdValidator, type ErrorDetail, ParseOption, XmlDocument, XmlDtd, XmlLibError } from 'libxml2-wasm'
import { InvalidXmlError, type XmlError } from './xml-error.ts'
import { createXmlTokens } from './xml-tokens.ts'

const maxErrors = 100
/** The whole document is held in memory, several times over. */
const defaultMaxBytes = 64 * 1024 * 1024

/**
 * Holds documents against a document type with libxml2. Nothing is fetched, whatever the document names, and documents with
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

/** What is wrong before the root element, read by our own reader: it takes no declarations and no encoding but UTF-8. */
function prologError(bytes: Uint8Array): XmlError | null {
  try {
    const tokens = createXmlTokens({ maxTokenChars: bytes.length, maxDepth: 1 })
    tokens.push(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    tokens.end()
    tokens.next()
    return null
  } catch (error) {
    return error instanceof InvalidXmlError ? error.error : { line: 1, message: 'the bytes are not UTF-8' }
  }
}

function errorsOf(details: readonly ErrorDetail[], message: string): XmlError[] {
  const errors = details.slice(0, maxErrors).map((detail) => ({ line: detail.line, message: detail.message.trim() }))
  return errors.length > 0 ? errors : [{ line: 1, message }]
}
