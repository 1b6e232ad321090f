import { request } from 'undici'
import { startFetcher } from '../../src/crawl/fetch/origin.testkit.ts'
import { createQueryProtocol } from '../../src/fetchers/db/query-protocol.ts'
import { type BenchChild, startChild } from '../deliver/child.ts'
import { type Arena, readAll } from './contest.ts'
import type { FeedOrigin } from './feed-origin-process.ts'

/** A query answered by one page of JSON. */
export async function openQuery(rows: number): Promise<Arena> {
  const origin: BenchChild<FeedOrigin> = startChild(new URL('./feed-origin-process.ts', import.meta.url), { rows })
  const { port, hosts } = await origin.call('ready')
  const url = `http://${hosts[0]}:${port}/rows.json`
  const fetcher = startFetcher()
  const protocol = createQueryProtocol({ fetch: fetcher.fetch })
  async function queryPlainly() {
    const { body } = await request(url)
    const { items } = JSON.parse(await body.text()) as { items: unknown[] }
    return { items: items.length, bytes: 0 }
  }
  return {
    contests: [
      {
        name: 'web query rows',
        items: rows,
        ours: () =>
          readAll(protocol, `query+${url}#rows=$.items[*]&key=id&title=name`, {
            limits: { maxItems: rows, maxBodyBytes: 64 << 20 },
          }),
        plain: { 'undici and JSON.parse': queryPlainly },
      },
    ],
    async close() {
      await fetcher.close()
      await origin.end()
    },
  }
}
