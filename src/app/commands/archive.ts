import { createBodyReader } from '../../archive/body-reader.ts'
import { diffPage as writeDiffPage } from '../../archive/diff/diff-page.ts'
import { exportArchive as writeExport } from '../../archive/export/export.ts'
import { compareVersions } from '../../archive/history/compare.ts'
import { readHistory, readShown } from '../../archive/history/history.ts'
import { createVersionFinder } from '../../archive/history/version-finder.ts'
import { searchArchive } from '../../archive/search/search-archive.ts'
import { verifyWacz as checkWacz } from '../../archive/verify/verify-wacz.ts'
import type { Engine, Target } from '../../cli/engine.ts'
import { version } from '../../config/version.ts'
import { systemClock } from '../../core/clock.ts'
import { createKeys } from '../../crawl/normalize/document-keys.ts'
import { collectStats } from '../../services/stats/collect-stats.ts'
import { withStores } from '../engines/open-engine.ts'

/** The commands that read the archive, while others may write to it. */
export const history: Engine['history'] = (target, url, request) =>
  reading(target, async (parts) => readHistory(parts, await parts.finder.document(url), request))

export const show: Engine['show'] = (target, address, request) =>
  reading(target, async (parts) => readShown(parts, await parts.finder.find(address), request))

export const diff: Engine['diff'] = (target, url, request) =>
  reading(target, async (parts) => compareVersions(parts, await parts.finder.document(url), request))

export const diffPage: Engine['diffPage'] = async (report, view) => writeDiffPage(report, view)

type Parts = Parameters<typeof compareVersions>[0] & { finder: ReturnType<typeof createVersionFinder> }

function reading<T>(target: Target, work: (parts: Parts) => Promise<T>): Promise<T> {
  return withStores(target, 'read', ({ versions, objects, seed }) => {
    const finder = createVersionFinder({ versions, keyOf: createKeys(target.config, seed) })
    return work({ versions, bodies: createBodyReader({ versions, objects }), finder })
  })
}

export const search: Engine['search'] = (target, request, hooks) =>
  withStores(target, 'read', async (stores) => {
    try {
      return await searchArchive(stores, request, hooks)
    } catch (error) {
      throw stores.explainSearchError(error)
    }
  })

export const exportArchive: Engine['export'] = (target, request, { onProgress, signal }) =>
  withStores(target, 'read', ({ versions, objects, annotations, frontier, walks }) =>
    writeExport(request, {
      ...{ versions, objects, annotations, frontier, walks, signal, onProgress },
      output: process.stdout,
      software: `eRACE/${version}`,
      now: systemClock.now,
    }),
  )

export const verifyWacz: Engine['verifyWacz'] = checkWacz

export const stats: Engine['stats'] = (target, request, hooks) =>
  withStores(target, 'read', ({ versions, objects }) =>
    collectStats({ ...hooks, versions, objects, clock: systemClock }, request),
  )
