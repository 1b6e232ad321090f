import { setImmediate } from 'node:timers/promises'
import type { DroppedPosition } from '../../store/contracts/dropped-links.ts'
import type { FrontierView } from '../../store/contracts/frontier-view.ts'
import type { ExportWork } from './export-work.ts'
import { jsonLines, lineFormatOf } from './line-format.ts'

const PAGE = 500

type BadUrl = { url: string; reason: string; status: number; times: number; lastAt: number; parent: string }

/**
 * The URLs that can't be fetched, one per line: reason, last status, consecutive failures, last attempt, and where the link was found.
 * Then the links dropped by the trap limits, as far as the store has kept them; one line per host counts the rest.
 */
export async function exportBadUrls(work: ExportWork, frontier: Pick<FrontierView, 'dropped'>): Promise<void> {
  const { request, target, stats } = work
  const { afterMs, beforeMs } = request.selection
  const format = lineFormatOf(request.file, request.jsonLines === true ? jsonLines : undefined)
  await target.write(format.head(['URL', 'Reason', 'Status', 'Times', 'Last', 'Parent']))
  for (const pages of [documents(work), droppedLinks(work, frontier)])
    for await (const page of pages) {
      let text = ''
      for (const { lastAt, parent, ...bad } of page) {
        if (lastAt < (afterMs ?? 0) || lastAt >= (beforeMs ?? Number.POSITIVE_INFINITY)) continue
        const line = format.line({ ...bad, last: new Date(lastAt).toISOString(), parent })
        stats.count(line.length)
        text += line
      }
      await target.write(text)
    }
}

async function* documents({ versions, request }: ExportWork): AsyncGenerator<BadUrl[]> {
  for (let after = 0; ; ) {
    const page = await versions.badDocuments({ after, limit: PAGE })
    const chosen = page.filter(({ url }) => url.startsWith(request.selection.urlPrefix))
    yield chosen.map(({ url, outcome, reason, status, failures, checkedAt, parent }) => {
      // Data of earlier versions of this program has no reason, only the outcome.
      return { url, reason: reason || outcome, status, times: failures, lastAt: checkedAt, parent }
    })
    if (page.length < PAGE) return
    after = page.at(-1)!.id
  }
}

async function* droppedLinks(
  { request }: ExportWork,
  frontier: Pick<FrontierView, 'dropped'>,
): AsyncGenerator<BadUrl[]> {
  const { urlPrefix } = request.selection
  for (let after: DroppedPosition | null = null; ; ) {
    await setImmediate()
    const page = await frontier.dropped(after, PAGE)
    for (const { host, rule, count, examples } of page) {
      const reason = `trap-${rule}`
      const chosen = examples.filter(({ url }) => url.startsWith(urlPrefix))
      yield chosen.map(({ url, parent, at }) => ({ url, reason, status: 0, times: 1, lastAt: at, parent }))
      // The rest are only counted, so a prefix can't select among them.
      const more = count - examples.length
      const lastAt = Math.max(0, ...examples.map(({ at }) => at))
      if (more > 0 && urlPrefix === '') yield [{ url: host, reason, status: 0, times: more, lastAt, parent: '' }]
    }
    after = page.at(-1) ?? null
    if (after === null || page.length < PAGE) return
  }
}
