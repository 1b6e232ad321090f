/** The documents of an origin by host address and path, as the bytes to send. */
export type Sites = Map<string, Site>
export type Site = Map<string, Document>
/** The part of `Sites` that a server needs. A site may also generate its documents on request; then it lists none. */
export type ServedSites = ReadonlyMap<string, Pick<Site, 'get' | 'values'>>

export type Document = {
  /** Header and body together: one write per answer. */
  bytes: Buffer
  headerBytes: number
  etag: string
  /** Requests answered since the last reset. */
  served: number
}

// Every answer says keep-alive, as common servers do: otherwise wget2 closes the connection.
const stamp = 'Date: Thu, 01 Jan 2026 00:00:00 GMT\r\nLast-Modified: Wed, 31 Dec 2025 00:00:00 GMT\r\n'

export function addDocument(site: Site, path: string, body: Buffer, mediaType: string): void {
  site.set(path, documentOf(body, mediaType, `"${site.size.toString(36)}-${body.length.toString(36)}"`))
}

export function documentOf(body: Buffer, mediaType: string, etag: string): Document {
  const header = Buffer.from(
    `HTTP/1.1 200 OK\r\nServer: origin\r\nConnection: keep-alive\r\n${stamp}ETag: ${etag}\r\nContent-Type: ${mediaType}\r\nContent-Length: ${body.length}\r\n\r\n`,
    'latin1',
  )
  return { bytes: Buffer.concat([header, body]), headerBytes: header.length, etag, served: 0 }
}

/** Gives every nth document of each host a new text and ETag. Returns their number. */
export function changeDocuments(sites: Sites, everyNth: number): number {
  let changed = 0
  for (const site of sites.values()) {
    let number = 0
    for (const [path, document] of site) {
      if (document.etag === '' || ++number % everyNth !== 0) continue
      const body = document.bytes.subarray(document.headerBytes)
      const mediaType = /\r\nContent-Type: ([^\r]+)/.exec(
        document.bytes.toString('latin1', 0, document.headerBytes),
      )?.[1]
      const end = body.lastIndexOf('</body>')
      const at = end < 0 ? body.length : end
      const added = Buffer.from(`<p>Edition ${++changed} of ${document.etag.replaceAll('"', '')}</p>`)
      addDocument(site, path, Buffer.concat([body.subarray(0, at), added, body.subarray(at)]), mediaType ?? 'text/html')
    }
  }
  return changed
}

export function addRedirect(site: Site, path: string, location: string): void {
  const bytes = Buffer.from(
    `HTTP/1.1 301 Moved Permanently\r\nConnection: keep-alive\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`,
    'latin1',
  )
  site.set(path, { bytes, headerBytes: bytes.length, etag: '', served: 0 })
}

export function countDocuments(sites: Sites): { documents: number; bodyBytes: number } {
  let documents = 0
  let bodyBytes = 0
  for (const site of sites.values())
    for (const document of site.values()) {
      if (document.etag === '') continue
      documents++
      bodyBytes += document.bytes.length - document.headerBytes
    }
  return { documents, bodyBytes }
}
