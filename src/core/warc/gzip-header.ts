const hasChecksum = 2
const hasExtra = 4
const hasName = 8
const hasComment = 16

/** Maximum size of extra field, file name and comment together; real records stay below it. */
const maxHeaderBytes = 128 * 1024

/** Length of the gzip header (RFC 1952) at the start of `bytes`; `more` if they end inside it. */
export function gzipHeaderLength(bytes: Buffer): number | 'more' | 'malformed' {
  if (bytes.length < 10) return bytes.length < 2 || isMagic(bytes) ? 'more' : 'malformed'
  const flags = bytes[3]!
  if (!isMagic(bytes) || bytes[2] !== 8 || flags > 31) return 'malformed'
  let at = 10
  if (flags & hasExtra) {
    if (bytes.length < at + 2) return 'more'
    at += 2 + bytes.readUInt16LE(at)
  }
  for (const text of [hasName, hasComment]) {
    if (!(flags & text)) continue
    const end = bytes.indexOf(0, at)
    if (end < 0) return bytes.length > maxHeaderBytes ? 'malformed' : 'more'
    at = end + 1
  }
  if (flags & hasChecksum) at += 2
  return at <= bytes.length ? at : 'more'
}

function isMagic(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}
