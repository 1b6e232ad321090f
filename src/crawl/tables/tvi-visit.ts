import type { QueuedRequest } from '../../core/request.ts'
import { originOf } from '../../core/url/url.ts'
import type { KnownDocument } from '../../store/contracts/documents.ts'
import type { HostSignal } from '../frontier/politeness.ts'
import type { ReadOptions } from '../worker/visit/read-response.ts'
import type { VisitResult } from '../worker/visit/visit-result.ts'
import type { FetchTable } from './fetch-table.ts'
import type { HostTables, TableResult } from './host-tables.ts'
import { tableUrl } from './table-text.ts'
import {
  changedParts,
  completeDocument,
  findVolatileParts,
  isXmlType,
  MAX_TVI_BYTES,
  readVolatileTable,
  type VolatilePart,
} from './tvi.ts'

export type VolatileTablesDeps = Pick<ReadOptions, 'keptBody' | 'aspectsOf'> & {
  hosts: Pick<HostTables, 'note'>
  fetchTable: FetchTable
  mayAsk(url: string): boolean
}

const MAX_FAILED = 10_000
const MAX_COMPLETED = 2000

/**
 * Checks a page by its table of volatile parts: the rest comes from the kept version, and the digest in the table proves that both
 * together are the page. If they aren't, the page itself is fetched in its next turn.
 */
export function createVolatileTables({ hosts, fetchTable, keptBody, mayAsk, aspectsOf }: VolatileTablesDeps) {
  /** Pages whose table did not help in their last turn. */
  const failed = new Set<bigint>()

  async function fail(request: QueuedRequest, signal: HostSignal, result: TableResult): Promise<VisitResult> {
    if (failed.size >= MAX_FAILED) for (const oldest of failed) if (failed.delete(oldest)) break
    failed.add(request.fp)
    await hosts.note(originOf(request.url), result)
    return { kind: 'postponed', signal }
  }

  return {
    /** Null if the page itself must be fetched: it has no such parts, or its table did not help. */
    async check(request: QueuedRequest, known: KnownDocument): Promise<VisitResult | null> {
      const url = tableUrl('TVI', request.url)
      if (url === null || failed.delete(request.fp) || !isUsable(known) || !mayAsk(url)) return null
      // Status and headers of a page are not in its table.
      if (aspectsOf(request.check.watch).some((aspect) => aspect === 'status' || aspect === 'headers')) return null
      const kept = await keptBody(known.versionId)
      const parts = kept === null ? [] : findVolatileParts(kept.body, isXmlType(kept.contentType))
      if (kept === null || parts.length === 0) return null
      const fetched = await fetchTable(url, MAX_TVI_BYTES)
      const { kind, signal } = fetched
      const table = kind === 'body' ? readVolatileTable(fetched.body) : null
      if (kind !== 'body' || table === null) return fail(request, signal, kind === 'missing' ? 'missing' : 'wrong')
      await hosts.note(originOf(request.url), 'found')
      const { response } = fetched
      if (table.document.equals(known.digest)) return { kind: 'unchanged', response, known, signal }
      const made = completeDocument(kept.body, parts, table)
      if (made.kind !== 'completed') return fail(request, signal, made.kind === 'wrong' ? 'wrong' : 'right')
      const rawHeaders = ['content-type', kept.contentType ?? 'text/html']
      return {
        ...{ kind: 'answered', known, signal, completed: partNames(kept.body, parts, table) },
        response: { ...response, statusLine: 'HTTP/1.1 200 OK', rawHeaders, body: made.body },
      }
    },
  }
}

function isUsable({ versionId, body, truncated, notModified }: KnownDocument): boolean {
  return versionId > 0 && body === 'kept' && truncated === '' && notModified >= 0
}

/** Ids of the changed parts, separated by spaces; truncated if there are very many. */
function partNames(body: Buffer, parts: readonly VolatilePart[], table: Parameters<typeof changedParts>[2]): string {
  let names = ''
  for (const id of new Set(changedParts(body, parts, table)))
    if (names.length + id.length < MAX_COMPLETED) names += names === '' ? id : ` ${id}`
  return names
}
