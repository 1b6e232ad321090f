import type { WalkStore } from '../../store/contracts/walks.ts'
import type { ExportWork } from './export-work.ts'
import { lineFormatOf } from './line-format.ts'

const PAGE = 500

/** The pages of the last random walk and their number of visits, one per line, in the order they were found. */
export async function exportWalk(work: ExportWork, walks: Pick<WalkStore, 'lastRun' | 'visits'>): Promise<void> {
  const { request, target, stats } = work
  const format = lineFormatOf(request.file, undefined)
  const run = await walks.lastRun()
  await target.write(format.head(['URL', 'Visits', 'Seed']))
  for (let from = 1; ; from += PAGE) {
    const page = await walks.visits(run, from, PAGE)
    let text = ''
    for (const { url, visits, isSeed } of page) {
      if (!url.startsWith(request.selection.urlPrefix)) continue
      const line = format.line({ url, visits, seed: isSeed ? 1 : 0 })
      stats.count(line.length)
      text += line
    }
    await target.write(text)
    if (page.length < PAGE) return
  }
}
