import type { ShowReport } from '../../core/reports/history-report.ts'
import { documentText } from '../../core/text/document-text.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import type { BodyReader, VersionBody } from '../body-reader.ts'
import { sourceText } from './source-text.ts'
import type { FoundVersion } from './version-finder.ts'
import { versionReport } from './version-report.ts'

export async function readShown(
  { versions, bodies }: { versions: VersionStore; bodies: BodyReader },
  { document, version }: FoundVersion,
): Promise<ShowReport> {
  const [kept, links] = [await bodies.read(version), await versions.links(version.id)]
  const isGone = version.reason === 'gone'
  return {
    url: document.url,
    version: versionReport(version, links.length),
    header: headerText(kept.kind === 'damaged' ? version.header : kept.header),
    content: contentOf(kept, isGone),
    text: kept.kind === 'body' ? documentText(kept.body, { contentType: kept.contentType, lines: true }) : null,
    links,
  }
}

/** Header fields are octets; most that go beyond ASCII are UTF-8 today. */
function headerText(octets: string): string {
  const text = Buffer.from(octets, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? octets : text
}

function contentOf(kept: VersionBody, isGone: boolean): ShowReport['content'] {
  if (kept.kind === 'damaged') return kept
  if (kept.kind === 'absent') return { kind: 'absent', why: isGone && kept.why === 'none' ? 'gone' : kept.why }
  const { contentType, body } = kept
  return { kind: 'body', contentType, bytes: body, source: sourceText(body, contentType) }
}
