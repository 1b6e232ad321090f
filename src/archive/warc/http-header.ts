/** HTTP header blocks as they go into a record. Values come from strangers and must not be able to end a line. */

const breaksLine = /[\r\n\0]/
const beyondOctets = /[^\0-\xff]/
const breaksName = /[: \t]/

export type StoredBody = { length: number }

/**
 * The block for a body that is stored without its transfer coding: fields that would contradict the bytes are kept under
 * another name, and the true length is stated. A null body leaves the lengths alone: a revisit describes bytes stored elsewhere.
 */
export function httpHeaderBlock(startLine: string, rawHeaders: readonly string[], body: StoredBody | null): string {
  let text = `${lineValue(startLine)}\r\n`
  let statedLength = false
  let dropped = false
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = fieldName(rawHeaders[i]!)
    const value = lineValue(rawHeaders[i + 1]!)
    // Lengths are looked at first: comparing every name in lower case would cost more than writing it.
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      dropped = true
      text += `X-Archive-Orig-${name}: ${value}\r\n`
    } else if (body !== null && name.length === 14 && name.toLowerCase() === 'content-length') {
      if (!statedLength && value.trim() === String(body.length)) {
        statedLength = true
        text += `${name}: ${value}\r\n`
      } else {
        dropped = true
        text += `X-Archive-Orig-${name}: ${value}\r\n`
      }
    } else text += `${name}: ${value}\r\n`
  }
  if (body !== null && dropped && !statedLength) text += `Content-Length: ${body.length}\r\n`
  return `${text}\r\n`
}

/** One line of octets: breaks become spaces, characters beyond octets their UTF-8. */
export function lineValue(text: string): string {
  const octets = beyondOctets.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text
  return breaksLine.test(octets) ? octets.replace(/[\r\n\0]/g, ' ') : octets
}

function fieldName(text: string): string {
  const octets = lineValue(text)
  return breaksName.test(octets) ? octets.replace(/[: \t]/g, '_') : octets
}
