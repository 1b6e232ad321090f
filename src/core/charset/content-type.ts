import { resolveEncoding } from './encoding-label.ts'

const MAX_HEADER_LENGTH = 4096

const parameter =
  /;[\t\n\r ]*([^\t\n\r;=," ]+)=(?:"((?:[^"\\]|\\[\s\S])*)"?[^;,]*|([^;,]*))|"(?:[^"\\]|\\[\s\S])*"?|[\s\S]/g

/**
 * Encoding named by a Content-Type header: its first `charset` parameter whose label is known. Quoted text that only
 * looks like a parameter is not one. Of several values joined by commas the first that names an encoding counts.
 */
export function httpContentTypeEncoding(header: string): string | undefined {
  if (!/charset/i.test(header)) return undefined
  for (const match of header.slice(0, MAX_HEADER_LENGTH).matchAll(parameter)) {
    if (match[1]?.toLowerCase() !== 'charset') continue
    const encoding = resolveEncoding(match[2]?.replace(/\\([\s\S])/g, '$1') ?? match[3] ?? '')
    if (encoding !== undefined) return encoding
  }
  return undefined
}
