import type { Version } from '../../store/contracts/versions.ts'
import { readAhead } from '../read-ahead.ts'
import { cdxjLine } from './cdxj-line.ts'
import type { ExportWork } from './export-work.ts'
import type { LineSorter } from './line-sorter.ts'
import { selectVersions } from './selection.ts'

/** The index of the archive as it lies in the data folder: sorted bytewise, with names of files in its archive folder. */
export async function exportCdxj(work: ExportWork): Promise<void> {
  const { request, versions, source, target, stats } = work
  const sorter = work.createSorter()
  async function* selected(): AsyncGenerator<Version> {
    for await (const version of selectVersions(versions, request.selection)) if (version.record !== null) yield version
  }
  for await (const [version, found] of readAhead(selected(), source.record, {
    weigh: ({ record }) => record!.length,
  })) {
    if (found.kind === 'record') {
      const { file, offset, stored } = found
      const line = cdxjLine(found, { filename: file.name, offset, length: stored.length })
      sorter.add(line)
      stats.count(line.length + 1)
    } else if (found.kind === 'damaged')
      stats.leaveOut({ url: version.url, version: version.n, message: found.message })
  }
  for (const text of sortedLines(sorter)) await target.write(text)
}

/** Lines in pieces that are worth writing. */
export function* sortedLines(sorter: LineSorter): Generator<string, void, undefined> {
  let text = ''
  for (const line of sorter.sorted()) {
    text += line
    if (text.length < 64 * 1024) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}
