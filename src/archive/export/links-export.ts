import type { Version } from '../../store/contracts/versions.ts'
import { readAhead } from '../read-ahead.ts'
import type { ExportWork } from './export-work.ts'
import { lineFormatOf } from './line-format.ts'
import { selectVersions } from './selection.ts'

/** The link graph, one line per link in page order; with the version number only if links of several versions are included. */
export async function exportLinks({ request, versions, target, stats }: ExportWork): Promise<void> {
  const format = lineFormatOf(request.file)
  const withVersion = !request.selection.currentOnly
  await target.write(format.head(withVersion ? ['Source', 'Target', 'Version'] : ['Source', 'Target']))
  async function* selected(): AsyncGenerator<Version> {
    for await (const version of selectVersions(versions, request.selection))
      if (version.reason !== 'gone') yield version
  }
  for await (const [version, links] of readAhead(selected(), ({ id }) => versions.links(id), {
    weigh: ({ size }) => size,
  })) {
    let text = ''
    for (const to of links) {
      const line = format.line(withVersion ? { from: version.url, to, version: version.n } : { from: version.url, to })
      stats.count(line.length)
      text += line
    }
    if (text !== '') await target.write(text)
  }
}
