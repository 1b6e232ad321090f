/**
 * File names are bytes, in any encoding or none. In URLs, all bytes except safe characters are percent-encoded, so that names with line
 * breaks or broken UTF-8 work like any other, and decoding leads to the same file.
 */

/** Characters of a path that URL parsers leave as they are. */
const plain = new Set(Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@"))

/** A name, without slashes, as a segment of a URL's path. */
export function encodeName(name: Uint8Array): string {
  let text = ''
  for (const byte of name)
    text += plain.has(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  return text
}

/** The name encoded in a segment; undefined if a percent sign isn't followed by two hexadecimal digits. */
export function decodeSegment(segment: string): Buffer | undefined {
  if (/%(?![0-9a-f]{2})/i.test(segment)) return undefined
  const bytes = Buffer.from(segment, 'utf8').toString('latin1')
  return Buffer.from(
    bytes.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  )
}

/** The names in the path of a URL, without empty ones. `wrong` creates the error from a reason. */
export function namesIn(path: string, wrong: (what: string) => Error): Buffer[] {
  if (/[?#]/.test(path)) throw wrong('write ? as %3F and # as %23')
  const names: Buffer[] = []
  for (const segment of path.split('/')) {
    if (segment === '') continue
    const name = decodeSegment(segment)
    if (name === undefined) throw wrong('write % as %25')
    if (name.includes(0) || name.includes(0x2f)) throw wrong('a name can have neither %00 nor %2F')
    if (name.equals(dot) || name.equals(dots)) throw wrong('. and .. are not allowed in it')
    names.push(name)
  }
  return names
}

const dot = Buffer.from('.')
const dots = Buffer.from('..')

/** A name for display: broken UTF-8 and control characters become U+FFFD. */
export function nameText(name: Uint8Array): string {
  return Buffer.from(name)
    .toString('utf8')
    .replace(/\p{Cc}/gu, '\uFFFD')
    .slice(0, 500)
}
