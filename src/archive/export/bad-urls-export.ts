import type { CataloguedDocument } from '../../store/contracts/versions.ts'
import type { ExportWork } from './export-work.ts'
import { jsonLines, type LineRecord, lineFormatOf } from './line-format.ts'

const PAGE = 500

/** The URLs that can't be fetched, a line each: why, the last status, how often in a row, when last, and where the link was found. */
export async function exportBadUrls({ request, versions, target, stats }: ExportWork): Promise<void> {
  const { urlPrefix, afterMs, beforeMs } = request.selection
  const format = lineFormatOf(request.file, request.jsonLines === true ? jsonLines : undefined)
  await target.write(format.head(['URL', 'Reason', 'Status', 'Times', 'Last', 'Parent']))
  for (let after = 0; ; ) {
    const page = await versions.badDocuments({ after, limit: PAGE })
    let text = ''
    for (const document of page) {
      if (!document.url.startsWith(urlPrefix)) continue
      if (document.checkedAt < (afterMs ?? 0) || document.checkedAt >= (beforeMs ?? Number.POSITIVE_INFINITY)) continue
      const line = format.line(badUrl(document))
      stats.count(line.length)
      text += line
    }
    await target.write(text)
    if (page.length < PAGE) return
    after = page.at(-1)!.id
  }
}

/** Data of earlier versions of this program has no reason: then there is the outcome alone. */
function badUrl({ url, outcome, reason, status, failures, checkedAt, parent }: CataloguedDocument): LineRecord {
  return { url, reason: reason || outcome, status, times: failures, last: new Date(checkedAt).toISOString(), parent }
}
