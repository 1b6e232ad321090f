import { createBodyReader } from '../../archive/body-reader.ts'
import { compareVersions } from '../../archive/history/compare.ts'
import { readHistory } from '../../archive/history/history.ts'
import { readShown } from '../../archive/history/show.ts'
import { createVersionFinder } from '../../archive/history/version-finder.ts'
import type { Place } from '../../cli/engine.ts'
import type {
  CompareRequest,
  DiffReport,
  HistoryReport,
  HistoryRequest,
  ShowReport,
} from '../../core/reports/history-report.ts'
import { createKeys } from '../engines/document-keys.ts'
import { withStores } from '../engines/open-engine.ts'

/** `erace history`, `show` and `diff`. */
export function history(place: Place, url: string, request: HistoryRequest): Promise<HistoryReport> {
  return looking(place, async (parts) => readHistory(parts, await parts.finder.document(url), request))
}

export function show(place: Place, address: string): Promise<ShowReport> {
  return looking(place, async (parts) => readShown(parts, await parts.finder.find(address)))
}

export function diff(place: Place, url: string, request: CompareRequest): Promise<DiffReport> {
  return looking(place, async (parts) => compareVersions(parts, await parts.finder.document(url), request))
}

type Parts = Parameters<typeof compareVersions>[0] & { finder: ReturnType<typeof createVersionFinder> }

function looking<T>(place: Place, work: (parts: Parts) => Promise<T>): Promise<T> {
  return withStores(place, 'look', ({ versions, objects, seed }) => {
    const finder = createVersionFinder({ versions, keyOf: createKeys(place.config, seed) })
    return work({ versions, bodies: createBodyReader({ versions, objects }), finder })
  })
}
