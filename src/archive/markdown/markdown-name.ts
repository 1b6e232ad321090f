import { hash } from 'node:crypto'

const maxSegments = 12
/** File systems allow 255 bytes; a character may take three. */
const maxSegmentChars = 60
const hashChars = 12
/** Device names reserved by Windows. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/**
 * The path of a document's file in a folder of Markdown files: host, folders and name of its address, with safe characters only. It
 * depends only on the address (and the version, if given), so that a later export finds the file again. If anything is changed or left
 * out, a hash of the address is added, so that no two documents share a file, even on case-insensitive file systems.
 */
export function markdownName(url: string, version: number | null): string {
  const { protocol, host, pathname, search } = URL.parse(url) ?? {
    protocol: 'other:',
    host: '',
    pathname: url,
    search: '',
  }
  const place = (protocol === 'https:' ? host : `${host}+${protocol.slice(0, -1)}`).toLowerCase()
  const parts = pathname.split('/').slice(1)
  const last = parts.pop() ?? ''
  const isFolder = last === ''
  const folders = parts.slice(0, maxSegments).map(safe)
  const name = isFolder ? 'index' : safe(last)
  const isExact =
    `/${[...folders, isFolder ? '' : name].join('/')}` === pathname &&
    search === '' &&
    safe(place) === place.replace(/[:+]/g, '_') &&
    last !== 'index' &&
    !folders.some((folder) => folder.endsWith('.md_')) &&
    !/\.md$/.test(last)
  const mark = isExact ? '' : `~${hash('sha256', url).slice(0, hashChars)}`
  // A folder must not have the name of a file.
  const path = folders.map((folder) => (folder.endsWith('.md') ? `${folder}_` : folder))
  return [safe(place), ...path, `${name}${mark}${version === null ? '' : `@${version}`}.md`].join('/')
}

/** Never empty, `.` or `..`. Lower case, as some file systems ignore case. */
function safe(segment: string): string {
  const plain = decoded(segment)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^\.+|\.+$/g, '_')
    .slice(0, maxSegmentChars)
    .toWellFormed()
  const named = plain === '' ? '_' : plain
  return reserved.test(named) ? `_${named}` : named
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment).normalize('NFC')
  } catch {
    return segment
  }
}
