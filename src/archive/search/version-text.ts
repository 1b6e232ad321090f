import type { PassedOver } from '../../core/reports/search-report.ts'
import { documentText } from '../../core/text/document-text.ts'
import type { ObjectStore } from '../../store/contracts/objects.ts'
import type { Version, VersionStore } from '../../store/contracts/versions.ts'
import { createBodyReader } from '../body-reader.ts'
import { mayConvert } from '../media/media-type.ts'

export type VersionTexts = { read(version: Version): Promise<VersionText> }

export type VersionText = { kind: 'text'; text: string } | { kind: 'passed-over'; why: PassedOver }

/** Of a longer text, only the beginning is searchable. */
const MAX_TEXT_CHARS = 2_000_000

const nothing = new Uint8Array(0)

/** Reads the texts of versions from the archive. */
export function createVersionTexts(deps: {
  versions: Pick<VersionStore, 'version'>
  objects: Pick<ObjectStore, 'read'>
  textOf?: typeof documentText
}): VersionTexts {
  const { textOf = documentText } = deps
  const bodies = createBodyReader(deps)
  return {
    async read(version) {
      if (version.body !== 'kept') return { kind: 'passed-over', why: 'bodiless' }
      // Images and the like are recognised by type, without reading them.
      if (!mayConvert(version.type) && documentText(nothing, { contentType: version.type }) === null)
        return { kind: 'passed-over', why: 'textless' }
      const read = await bodies.readText(version)
      if (read.kind === 'damaged') return { kind: 'passed-over', why: 'damaged' }
      if (read.kind === 'absent') return { kind: 'passed-over', why: 'bodiless' }
      try {
        const text = textOf(read.body, { contentType: read.contentType })
        if (text === null) return { kind: 'passed-over', why: 'textless' }
        return { kind: 'text', text: text.slice(0, MAX_TEXT_CHARS) }
      } catch {
        // A document that can't be read as text must not block those after it; it is counted.
        return { kind: 'passed-over', why: 'damaged' }
      }
    },
  }
}
