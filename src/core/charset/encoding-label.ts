/** Longest label of the Encoding standard is shorter than this; what is longer is not looked up. */
const MAX_LABEL_LENGTH = 40

/** Labels that were resolved. Only known ones are kept, so hostile names cannot make it grow. */
const known = new Map<string, string>()

/**
 * Name of the encoding that a label stands for by the Encoding standard (`latin1` is `windows-1252`), in lower case.
 * Unknown labels, and those of encodings that no longer may be decoded (UTF-7, HZ, ISO-2022-KR), give undefined.
 */
export function resolveEncoding(label: string): string | undefined {
  if (label.length > MAX_LABEL_LENGTH) return undefined
  const key = label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '').toLowerCase()
  const hit = known.get(key)
  if (hit !== undefined) return hit
  const name = nameOf(key)
  if (name !== undefined) known.set(key, name)
  return name
}

function nameOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}
