import { decodeBody } from '../../core/http/decode-body.ts'
import { type FetchResponse, type FetchResult, headerList, headerValues } from '../fetch/fetch-result.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import type { HostSignal } from '../frontier/politeness.ts'
import { pageDirectives } from '../robots/page-directives.ts'

export type FetchedTable = { signal: HostSignal } & (
  | { kind: 'body'; body: Buffer; response: FetchResponse; isNofollow: boolean }
  /** There is no table. */
  | { kind: 'missing' }
  /** Too large, too slow or broken. */
  | { kind: 'unreadable' }
)

export type FetchTable = (url: string, maxBytes: number) => Promise<FetchedTable>

export type FetchTableDeps = {
  fetcher: Pick<Fetcher, 'fetch'>
  /** Product token for robots directives. */
  agent: string
  signalOf(result: FetchResult): HostSignal
}

/** Fetches tables. Redirects are not followed: the target would be the table of another document. */
export function createFetchTable({ fetcher, agent, signalOf }: FetchTableDeps): FetchTable {
  return async (url, maxBytes) => {
    const result = await fetcher.fetch({ url, anyType: true, maxBodyBytes: maxBytes })
    const signal = signalOf(result)
    if (result.kind !== 'response') return { kind: 'unreadable', signal }
    if (result.status !== 200) return { kind: 'missing', signal }
    if (result.truncated !== null) return { kind: 'unreadable', signal }
    const { rawHeaders } = result
    const decoded = await decodeBody(result.body, headerList(rawHeaders, 'content-encoding'), maxBytes)
    if (decoded.kind === 'failed' || decoded.truncated) return { kind: 'unreadable', signal }
    const { nofollow } = pageDirectives({ metas: [], xRobotsTag: headerValues(rawHeaders, 'x-robots-tag'), agent })
    return { kind: 'body', body: decoded.body, response: result, isNofollow: nofollow, signal }
  }
}
