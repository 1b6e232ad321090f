import { createBodyReader } from '../../archive/body-reader.ts'
import { compareVersions } from '../../archive/history/compare.ts'
import { readHistory, readShown } from '../../archive/history/history.ts'
import { createVersionFinder } from '../../archive/history/version-finder.ts'
import type { Target } from '../../cli/engine.ts'
import type {
  CompareRequest,
  DiffReport,
  HistoryReport,
  HistoryRequest,
  ShowReport,
} from '../../core/reports/history-report.ts'
import { createKeys } from '../../crawl/normalize/document-keys.ts'
import { withStores } from '../engines/open-engine.ts'

/** `erace history`, `show` and `diff`. */
export function history(target: Target, url: string, request: HistoryRequest): Promise<HistoryReport> {
  return looking(target, async (parts) => readHistory(parts, await parts.finder.document(url), request))
}

export function show(target: Target, address: string): Promise<ShowReport> {
  return looking(target, async (parts) => readShown(parts, await parts.finder.find(address)))
}

export function diff(target: Target, url: string, request: CompareRequest): Promise<DiffReport> {
  return looking(target, async (parts) => compareVersions(parts, await parts.finder.document(url), request))
}

type Parts = Parameters<typeof compareVersions>[0] & { finder: ReturnType<typeof createVersionFinder> }

function looking<T>(target: Target, work: (parts: Parts) => Promise<T>): Promise<T> {
  return withStores(target, 'look', ({ versions, objects, seed }) => {
    const finder = createVersionFinder({ versions, keyOf: createKeys(target.config, seed) })
    return work({ versions, bodies: createBodyReader({ versions, objects }), finder })
  })
}
