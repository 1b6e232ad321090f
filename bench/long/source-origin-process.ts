// Feeds and pages that change in simulated time, on many hosts of this machine, in their own process.
import { answerCalls, childData } from '../deliver/child.ts'
import { hostsOf } from '../origin/roots.ts'
import { createOriginServer, type OriginStats } from '../origin/server.ts'
import { createChangingSources, sourcePath } from './changing-sources.ts'

export type SourceOriginData = { hosts: number; sources: number; changesPerHour: number }
export type SourceOrigin = {
  ready(): { urls: string[] }
  /** Starts changing the sources, at this many simulated hours per second. */
  begin(hoursPerSecond: number): void
  stats(): Pick<OriginStats, 'requests' | 'notModified' | 'notFound' | 'bytes' | 'cpuSeconds'> & { rssBytes: number }
  end(): void
}

const { hosts: hostCount, sources, changesPerHour } = await childData<SourceOriginData>()
const hosts = hostsOf(hostCount)
const sites = new Map()
const origin = createOriginServer({ sites, latencyMs: 0 })
const port = await origin.listen(hosts, 0)
let hoursPerSecond = 0
let startedAt = 0
const hoursNow = (): number => ((performance.now() - startedAt) / 1000) * hoursPerSecond
for (const [host, site] of createChangingSources({ hosts, port, sources, changesPerHour, hoursNow }))
  sites.set(host, site)

answerCalls<SourceOrigin>({
  ready: () => ({
    urls: Array.from({ length: sources }, (_, n) => `http://${hosts[n % hosts.length]}:${port}${sourcePath(n)}`),
  }),
  begin(speed) {
    startedAt = performance.now()
    hoursPerSecond = speed
  },
  stats() {
    const { requests, notModified, notFound, bytes, cpuSeconds } = origin.stats()
    return { requests, notModified, notFound, bytes, cpuSeconds, rssBytes: process.memoryUsage.rss() }
  },
  end() {
    // The servers would keep the process alive.
    setImmediate(() => process.exit(0))
  },
})
