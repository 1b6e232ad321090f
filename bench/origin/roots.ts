import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { AppError } from '../../src/core/errors.ts'
import { addDocument, addRedirect, type Site } from './site-table.ts'

export const mediaTypes: Record<string, string> = {
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xhtml': 'application/xhtml+xml',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.txt': 'text/plain',
  '.xml': 'application/xml',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.pdf': 'application/pdf',
}
export const otherMediaType = 'application/octet-stream'
const maxRootBytes = 4 * 1024 ** 3

/** All media types of documents in a tree. */
export const rootMediaTypes = [...new Set([...Object.values(mediaTypes), otherMediaType])]

/** All of 127/8 is loopback: the hosts need no set-up. */
export function hostsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `127.0.${(index + 2) >> 8}.${(index + 2) & 255}`)
}

/** A real document tree, read into memory so that no tool pays for a cold disk. Symbolic links are skipped. */
export function loadRoot(root: string): Site {
  const site: Site = new Map()
  let bytes = 0
  function walk(folder: string, path: string): void {
    const entries = readdirSync(folder, { withFileTypes: true })
    for (const entry of entries) {
      const entryPath = `${path}${encodeURIComponent(entry.name)}`
      if (entry.isDirectory()) {
        addRedirect(site, entryPath, `${entryPath}/`)
        walk(join(folder, entry.name), `${entryPath}/`)
      } else if (entry.isFile()) {
        const body = readFileSync(join(folder, entry.name))
        bytes += body.length
        if (bytes > maxRootBytes) throw new AppError('usage-wrong', `${root} holds more than ${maxRootBytes} bytes`)
        const mediaType = mediaTypes[extname(entry.name).toLowerCase()] ?? otherMediaType
        addDocument(site, entryPath, body, mediaType)
        if (entry.name === 'index.html') addDocument(site, path, body, mediaType)
      }
    }
    if (!site.has(path)) {
      // A listing instead of a missing index page, as web servers do.
      const items = entries.map(
        (entry) => `<li><a href="${encodeURIComponent(entry.name)}${entry.isDirectory() ? '/' : ''}">entry</a>`,
      )
      addDocument(
        site,
        path,
        Buffer.from(`<!DOCTYPE html><title>Index</title><ul>${items.join('\n')}</ul>`),
        'text/html',
      )
    }
  }
  walk(root, '/')
  return site
}
