// Feeds on many hosts of this machine, and a page of JSON, in their own process.

import { answerCalls, childData } from '../deliver/child.ts'
import { createOriginServer, type OriginStats } from '../origin/server.ts'
import { addDocument, type Sites } from '../origin/site-table.ts'
import { feedOf, rowOf } from './samples.ts'

export type FeedOriginData = { feeds?: number; hosts?: number; rows?: number }
export type FeedOrigin = {
  ready(): { port: number; hosts: string[]; feeds: string[] }
  /** Since the last call. */
  stats(): OriginStats
  end(): void
}

const { feeds = 0, hosts: hostCount = 1, rows = 0 } = await childData<FeedOriginData>()
// All of 127/8 is loopback: the hosts need no set-up.
const hosts = Array.from({ length: hostCount }, (_, index) => `127.0.${(index + 2) >> 8}.${(index + 2) & 255}`)
const sites: Sites = new Map(hosts.map((host) => [host, new Map()]))
const origin = createOriginServer({ sites, latencyMs: 0 })
const port = await origin.listen(hosts, 0)
const urls = Array.from({ length: feeds }, (_, n) => {
  const host = hosts[n % hosts.length]!
  const path = `/feed/${n}.xml`
  addDocument(sites.get(host)!, path, Buffer.from(feedOf(n, `http://${host}:${port}/`)), 'application/rss+xml')
  return `http://${host}:${port}${path}`
})
if (rows > 0) {
  const items = Array.from({ length: rows }, (_, n) => rowOf(n))
  addDocument(sites.get(hosts[0]!)!, '/rows.json', Buffer.from(JSON.stringify({ items })), 'application/json')
}

answerCalls<FeedOrigin>({
  ready: () => ({ port, hosts, feeds: urls }),
  stats() {
    const stats = origin.stats()
    origin.reset()
    return stats
  },
  end() {
    // The servers would keep the process alive.
    setImmediate(() => process.disconnect?.())
    setImmediate(() => process.exit(0))
  },
})
