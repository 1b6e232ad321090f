import { createBodyReader, type VersionBody } from '../archive/body-reader.ts'
import { sourceText } from '../archive/history/version-report.ts'
import { AppError } from '../core/errors.ts'
import { documentText } from '../core/text/document-text.ts'
import { withoutAccess } from '../core/url/access.ts'
import type { ObjectStore } from '../store/contracts/objects.ts'
import type { Version, VersionStore } from '../store/contracts/versions.ts'
import type { ArchivedPage } from './surface.ts'

export type PageReader = (version: Version) => ArchivedPage

export function createPageReader(stores: { versions: VersionStore; objects: ObjectStore }): PageReader {
  const bodies = createBodyReader(stores)
  return (version) => {
    const url = withoutAccess(version.url)
    const kept = async () => bodyOf(url, await bodies.read(version))
    return {
      ...{ id: version.id, url, version: version.n, reason: version.reason, fetchedAt: new Date(version.firstSeenAt) },
      ...{ status: version.status, type: version.type.split(';', 1)[0]!.trim(), title: version.title },
      size: version.size,
      async text() {
        const { body, contentType } = bodyOf(url, await bodies.readText(version))
        return documentText(body, { contentType, lines: true })
      },
      async source() {
        const { body, contentType } = await kept()
        return sourceText(body, contentType)
      },
      bytes: async () => (await kept()).body,
      async headers() {
        const read = await bodies.read(version)
        return read.kind === 'damaged' ? [] : headersOf(read.header)
      },
      links: () => stores.versions.links(version.id),
    }
  }
}

function bodyOf(url: string, read: VersionBody): Extract<VersionBody, { kind: 'body' }> {
  if (read.kind === 'body') return read
  if (read.kind === 'damaged') throw new AppError('record-damaged', `${url}: ${read.message}`)
  throw new AppError('not-found', `${url}: the body of this version is not kept`)
}

/** The first line is the status line. */
function headersOf(header: string): [string, string][] {
  const lines = header.split('\r\n').slice(1)
  return lines.flatMap((line): [string, string][] => {
    const colon = line.indexOf(':')
    return colon <= 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()]]
  })
}
