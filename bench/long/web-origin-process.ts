// A generated web on many hosts of this machine, in its own process.
import { answerCalls, childData } from '../deliver/child.ts'
import { hostsOf } from '../origin/roots.ts'
import { createOriginServer, type OriginStats } from '../origin/server.ts'
import { createWebOnDemand } from './web-on-demand.ts'

export type WebOriginData = {
  hosts: number
  pages: number
  pageBytes: number
  links: number
  seed: number
  latencyMs: number
}
export type WebOrigin = {
  ready(): { port: number; hosts: string[] }
  stats(): Omit<OriginStats, 'maxConnections'> & { rssBytes: number }
  end(): void
}

const web = await childData<WebOriginData>()
const { pages, hosts: hostCount, pageBytes: meanBytes, links: linksPerPage, seed, latencyMs } = web
const hosts = hostsOf(hostCount)
const sites = new Map()
const origin = createOriginServer({ sites, latencyMs })
const port = await origin.listen(hosts, 0)
for (const [host, site] of createWebOnDemand({ hosts, port, pages, seed, meanBytes, linksPerPage }))
  sites.set(host, site)

answerCalls<WebOrigin>({
  ready: () => ({ port, hosts }),
  stats() {
    const { maxConnections: _, ...stats } = origin.stats()
    return { ...stats, rssBytes: process.memoryUsage.rss() }
  },
  end() {
    // The servers would keep the process alive.
    setImmediate(() => process.exit(0))
  },
})
