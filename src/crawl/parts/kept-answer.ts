import type { BodyReader } from '../../archive/body-reader.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import type { ModuleHostDeps } from './module-host.ts'

/** Reads a page from the archive as it was when it was fetched. */
export function createVersionReader({
  versions,
  bodies,
}: {
  versions: Pick<VersionStore, 'version'>
  bodies: Pick<BodyReader, 'read'>
}): ModuleHostDeps['readVersion'] {
  return async (versionId) => {
    const version = await versions.version(versionId)
    const kept = version === null ? null : await bodies.read(version)
    if (version === null || kept?.kind !== 'body') return null
    const headers = headersOf(kept.header)
    const hasType = headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-type')
    if (!hasType && kept.contentType !== undefined) headers.push('content-type', kept.contentType)
    return { type: version.type, headers, body: kept.body }
  }
}

/** The fields of a header, without its status line. */
function headersOf(header: string): string[] {
  return header
    .split('\r\n')
    .slice(1)
    .flatMap((line) => {
      const colon = line.indexOf(':')
      return colon < 1 ? [] : [line.slice(0, colon), line.slice(colon + 1).trim()]
    })
}
