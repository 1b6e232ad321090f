import { resolveEncoding } from './encoding-label.ts'

/** The standard asks for 1024 bytes; pages that put scripts before their meta are common enough for more. */
const PRESCAN_BYTES = 4096

/**
 * Encoding that an HTML page declares in itself: the HTML standard's prescan for `<meta charset>` and
 * `<meta http-equiv="content-type">`, then the XML declaration. The result is a name that `TextDecoder` knows.
 */
export function htmlBodyDeclaredEncoding(body: Uint8Array): string | undefined {
  const length = Math.min(body.length, PRESCAN_BYTES)
  // Latin-1 keeps one character for each byte.
  const text = Buffer.from(body.buffer, body.byteOffset, length).toString('latin1')
  if (text.startsWith('<\0?\0x\0')) return 'utf-16le'
  if (text.startsWith('\0<\0?\0x')) return 'utf-16be'
  return prescan(text) ?? xmlDeclaredEncoding(text)
}

const xmlDeclaration = /^<\?xml[^>]*?encoding[\t\n\f\r ]*=[\t\n\f\r ]*(["'])([^"'>]*)\1/

function xmlDeclaredEncoding(text: string): string | undefined {
  return readableEncoding(xmlDeclaration.exec(text)?.[2] ?? '')
}

/** As the standard says: a page whose ASCII could be read is not UTF-16, and x-user-defined is a historic trick. */
function readableEncoding(label: string): string | undefined {
  const name = resolveEncoding(label)
  if (name === 'utf-16le' || name === 'utf-16be') return 'utf-8'
  return name === 'x-user-defined' ? 'windows-1252' : name
}

const metaStart = /<meta[\t\n\f\r /]/iy
const tagStart = /<\/?[a-z][^\t\n\f\r >]*/iy

function prescan(text: string): string | undefined {
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at)) {
    metaStart.lastIndex = tagStart.lastIndex = at
    if (text.startsWith('<!--', at)) at = after(text, '-->', at + 2)
    else if (metaStart.test(text)) {
      const { attributes, end } = readAttributes(text, at + 5)
      if (end === -1) return undefined
      const encoding = metaEncoding(attributes)
      if (encoding !== undefined) return encoding
      at = end
    } else if (tagStart.test(text)) at = readAttributes(text, tagStart.lastIndex).end
    else if (/[!/?]/.test(text.charAt(at + 1))) at = after(text, '>', at)
    else at++
    if (at === -1) return undefined
  }
  return undefined
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at === -1 ? -1 : at + mark.length
}

const attribute =
  /[\t\n\f\r /]*(?:>|([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\t\n\f\r >"'][^\t\n\f\r >]*))?)?)/y

/** `end` is the index after the tag, or -1 when the text ends inside it. The first of several with one name counts. */
function readAttributes(text: string, from: number): { attributes: Map<string, string>; end: number } {
  const attributes = new Map<string, string>()
  attribute.lastIndex = from
  for (let match = attribute.exec(text); match !== null; match = attribute.exec(text)) {
    const name = match[1]?.toLowerCase()
    if (name === undefined) return { attributes, end: attribute.lastIndex }
    if (!attributes.has(name)) attributes.set(name, match[2] ?? match[3] ?? match[4] ?? '')
  }
  return { attributes, end: -1 }
}

function metaEncoding(attributes: Map<string, string>): string | undefined {
  const charset = attributes.get('charset')
  if (charset !== undefined) return readableEncoding(charset)
  if (attributes.get('http-equiv')?.toLowerCase() !== 'content-type') return undefined
  return readableEncoding(contentCharset(attributes.get('content') ?? ''))
}

const charsetParameter = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|(?!["'])([^\t\n\f\r ;]*))/i

/** The label in the `content` of a meta, found as the standard does: not by the rules of MIME. */
function contentCharset(content: string): string {
  const match = charsetParameter.exec(content)
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? ''
}
