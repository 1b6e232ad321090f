/** Suffixes of files whose type can't be detected from their content, or for which the suffix is better than a guess. */
const bySuffix: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'text/html': 'html htm',
    'application/xhtml+xml': 'xhtml xht',
    'text/plain':
      'txt text log conf cfg ini diff patch asc nfo tex sh py js ts c h cpp java go rs rb pl sql yml yaml toml',
    'text/markdown': 'md markdown mdown',
    'text/css': 'css',
    'text/csv': 'csv',
    'text/tab-separated-values': 'tsv',
    'text/calendar': 'ics',
    'text/vcard': 'vcf',
    'application/json': 'json',
    'application/feed+json': 'jsonfeed',
    'application/xml': 'xml xsl xsd dtd',
    'application/rss+xml': 'rss',
    'application/atom+xml': 'atom',
    'application/rdf+xml': 'rdf',
    'image/svg+xml': 'svg',
    'application/pdf': 'pdf',
    'application/rtf': 'rtf',
    'application/epub+zip': 'epub',
    'application/msword': 'doc',
    'application/vnd.ms-excel': 'xls',
    'application/vnd.ms-powerpoint': 'ppt',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
    'application/vnd.oasis.opendocument.text': 'odt',
    'application/vnd.oasis.opendocument.spreadsheet': 'ods',
    'application/vnd.oasis.opendocument.presentation': 'odp',
    'message/rfc822': 'eml mime',
    'application/zip': 'zip',
    'application/gzip': 'gz tgz',
    'application/x-tar': 'tar',
    'image/png': 'png',
    'image/jpeg': 'jpg jpeg',
    'image/gif': 'gif',
    'image/webp': 'webp',
    'image/avif': 'avif',
    'audio/mpeg': 'mp3',
    'audio/ogg': 'ogg oga opus',
    'audio/wav': 'wav',
    'video/mp4': 'mp4 m4v',
    'video/webm': 'webm',
  }).flatMap(([type, suffixes]) => suffixes.split(' ').map((suffix) => [suffix, type] as const)),
)

const magic: readonly (readonly [start: string, type: string])[] = [
  ['%PDF-', 'application/pdf'],
  ['PK\x03\x04', 'application/zip'],
  ['\x1f\x8b', 'application/gzip'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF8', 'image/gif'],
]

const sniffedBytes = 1024

/** The media type of a file by its name or, if that is inconclusive, by its first bytes. */
export function mediaTypeOf(name: string, body: Buffer): string {
  const suffix = /\.([^./]{1,20})$/.exec(name)?.[1]?.toLowerCase()
  const known = suffix === undefined ? undefined : bySuffix.get(suffix)
  const head = body.subarray(0, sniffedBytes)
  // `.txt` and the like claim text; binary content, such as a database called `x.log`, must not be shown as text.
  if (known !== undefined && !(known === 'text/plain' && isBinary(head))) return known
  return sniffedType(head)
}

function sniffedType(head: Buffer): string {
  const start = head.toString('latin1')
  const found = magic.find(([bytes]) => start.startsWith(bytes))
  if (found !== undefined) return found[1]
  if (isBinary(head)) return 'application/octet-stream'
  if (/^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body)[\s>]/i.test(start)) return 'text/html'
  if (/^(?:\xef\xbb\xbf)?<\?xml\s/.test(start)) return 'application/xml'
  return 'text/plain'
}

/** Distinguishes text from binary as the MIME Sniffing standard does; with a byte order mark, it is text. */
export function isBinary(head: Buffer): boolean {
  if (head.length >= 2 && ((head[0] === 0xfe && head[1] === 0xff) || (head[0] === 0xff && head[1] === 0xfe)))
    return false
  return head.some(
    (byte) => byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f),
  )
}
