import { readList, refuseFaults } from './list-file.ts'

/** File suffixes that are never fetched: a crawl for documents has no use for them. */
export const defaultIgnoredSuffixes: readonly string[] = [
  ...'bmp gif ico jpe jpeg jpg png svg svgz tif tiff webp avif heic heif jxl psd ai eps cr2 nef raw xcf'.split(' '),
  ...'aac aif aiff au flac m4a mid midi mp2 mp3 oga ogg opus ra ram wav wma weba'.split(' '),
  ...'3gp asf asx avi flv m4v mkv mov mp4 mpeg mpg ogv qt rm swf ts vob webm wmv m3u8 mpd'.split(' '),
  ...'eot otf ttf woff woff2'.split(' '),
  ...'7z bz2 cab gz iso jar lz lz4 lzma rar tar tbz tgz txz xz z zip zst war ear'.split(' '),
  ...'apk bin deb dll dmg exe img msi msix pkg rpm run so appimage crx xpi class pyc o'.split(' '),
  ...'css js mjs cjs map wasm'.split(' '),
  ...'sqlite db mdb parquet sav torrent pcap blend stl obj fbx'.split(' '),
]

export type IgnoredTypes = { hasIgnoredSuffix(url: string): boolean }

/** Parses the `ignore.types` file: one suffix per line, with or without its dot, case-insensitive. */
export function parseIgnoreTypes(text: string): IgnoredTypes {
  const suffixes: string[] = []
  const faults: { line: number; fault: string }[] = []
  for (const { text: entry, line } of readList(text)) {
    const suffix = entry.replace(/^\*?\./, '')
    if (/^[^\s/?#]{1,50}$/.test(suffix)) suffixes.push(suffix)
    else faults.push({ line, fault: `no file suffix: ${JSON.stringify(entry.slice(0, 80))}` })
  }
  refuseFaults('wrong entries in the list of ignored types', faults)
  return createIgnoredTypes(suffixes)
}

const slash = 0x2f
/** Number of dots tried from the end: `a.tar.gz` has two suffixes, and names with many dots aren't worth more. */
const maxDots = 3

export function createIgnoredTypes(suffixes: Iterable<string>): IgnoredTypes {
  const known = new Set<string>()
  for (const suffix of suffixes) known.add(suffix.toLowerCase())
  const longest = Math.max(0, ...[...known].map((suffix) => suffix.length))
  return {
    /** Also works on unresolved links. */
    hasIgnoredSuffix(url) {
      const end = endOfPath(url)
      const nameStart = url.lastIndexOf('/', end - 1) + 1
      // `http://example.com` ends in a host, not in a file.
      if (nameStart > 1 && url.charCodeAt(nameStart - 2) === slash) return false
      let dot = end
      for (let i = 0; i < maxDots; i++) {
        dot = url.lastIndexOf('.', dot - 1)
        if (dot < nameStart || end - dot - 1 > longest) return false
        if (known.has(url.slice(dot + 1, end).toLowerCase())) return true
      }
      return false
    },
  }
}

function endOfPath(url: string): number {
  const at = url.search(/[?#;]/)
  return at === -1 ? url.length : at
}
