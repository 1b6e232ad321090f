import { omitRulesOf, type SourceRule } from '../../config/source-rules.ts'
import { AppError } from '../../core/errors.ts'
import { textFingerprint } from '../../core/text/document-text.ts'
import { createOmitRules } from '../../core/text/omit-rules.ts'
import { parseRecordHead } from '../../core/warc/record-head.ts'
import type { TextMark } from '../../store/contracts/collection.ts'
import type { ObjectStore } from '../../store/contracts/objects.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import { createBodyReader } from '../body-reader.ts'
import { recordContent } from '../warc/record-content.ts'

export type TextMarks = (versionId: number) => Promise<TextMark | null>

/** Text fingerprints of versions that lose their bodies, as they can't be computed afterwards. */
export function createTextMarks(
  { versions, objects }: { versions: Pick<VersionStore, 'version'>; objects: Pick<ObjectStore, 'read'> },
  sources: readonly SourceRule[],
): TextMarks {
  const bodies = createBodyReader({ versions, objects })
  const omitFor = createOmitRules(omitRulesOf(sources))
  return async (versionId) => {
    const version = await versions.version(versionId)
    const found = version === null ? null : await bodies.readText(version)
    if (version === null || found?.kind !== 'body') return null
    const omit = omitFor(version.url)
    const text = textFingerprint(found.body, { contentType: found.contentType, omit })
    return text === null ? null : { text, rules: omit?.id ?? 0 }
  }
}

/**
 * The response header of an uncompressed record that is alone in its buffer: status line and fields, each ending with CRLF, octets as
 * latin1; '' if it isn't a response. Throws `record-damaged` if it isn't a record.
 */
export function responseHeader(record: Buffer): string {
  const end = record.indexOf('\r\n\r\n')
  const parsed = end < 0 ? null : parseRecordHead(record.subarray(0, end))
  if (parsed === null || parsed.kind === 'malformed') {
    throw new AppError('record-damaged', `the record has no header${parsed === null ? '' : `: ${parsed.reason}`}`)
  }
  const start = end + 4
  const content = recordContent(parsed.head, record.subarray(start, start + parsed.head.blockLength))
  if (content === null || (content.header !== '' && content.status === null))
    throw new AppError('record-damaged', 'the record contains no HTTP response')
  return content.header
}
