import { Agent } from 'undici'
import { AppError } from '../../src/core/errors.ts'
import { heapAfterGc } from '../../test/faults/process-memory.ts'
import { type BenchChild, startChild } from '../deliver/child.ts'
import type { OriginStats } from '../origin/server.ts'
import type { FeedCrawler, FeedCrawlerData, Poll } from './feed-crawler-process.ts'
import type { FeedOrigin, FeedOriginData } from './feed-origin-process.ts'

export type FeedOptions = FeedOriginData &
  Pick<FeedCrawlerData, 'folder' | 'fetchers' | 'perHost' | 'threads'> & { feeds: number; hosts: number; polls: number }

export type FeedRound = {
  label: string
  poll: Poll
  moved: OriginStats
  /** Measured only after some polls, since it slows down the next one; else null. */
  live: LiveMemory | null
  plainSeconds: number
}

/** Memory of the crawler after a garbage collection in all its threads: heap objects, their external memory, and the process's RSS. */
export type LiveMemory = { heapBytes: number; externalBytes: number; rssBytes: number }

/** Matches no thread: all threads of the crawler are measured. */
const noThread = /(?!)/

/** Polls all feeds, first when they are new, then unchanged; the crawler and a plain client alternate. */
export async function pollFeeds(options: FeedOptions): Promise<FeedRound[]> {
  const { feeds, hosts, polls, ...crawl } = options
  const origin: BenchChild<FeedOrigin> = startChild(new URL('./feed-origin-process.ts', import.meta.url), {
    feeds,
    hosts,
  } satisfies FeedOriginData)
  const { feeds: urls } = await origin.call('ready')
  const crawler: BenchChild<FeedCrawler> = startChild(new URL('./feed-crawler-process.ts', import.meta.url), {
    ...crawl,
    feeds: urls,
  } satisfies FeedCrawlerData)
  const plain = createPlainPoller(urls, options)
  async function measure(): Promise<LiveMemory> {
    const { allBytes: heapBytes, externalBytes } = await heapAfterGc(await inspector, noThread)
    return { heapBytes, externalBytes, rssBytes: await crawler.call('rss') }
  }
  const inspector = crawler.call('inspector')
  const rounds: FeedRound[] = []
  try {
    for (let round = 0; round <= polls; round++) {
      await origin.call('stats')
      const poll = await crawler.call('poll')
      const moved = await origin.call('stats')
      const expected = round === 0 ? poll.changed : poll.unchanged
      // After ten or more polls, the crawler occasionally requests the whole feed, in case its validator is wrong.
      if (expected !== feeds || moved.distinct !== feeds)
        throw new AppError('internal', `poll ${round}: ${JSON.stringify({ ...poll, ...moved, maxConnections: 0 })}`)
      const plainSeconds = await plain.poll(round > 0)
      const live = isMeasured(round, polls) ? await measure() : null
      const label = round === 0 ? 'feeds, first poll' : `feeds, poll ${round + 1}`
      rounds.push({ label, poll, moved, live, plainSeconds })
    }
    return rounds
  } finally {
    await plain.close()
    await crawler.end()
    await origin.end()
  }
}

/** After the second poll and the last, and often enough in between for three measurements in each third of the run. */
function isMeasured(round: number, polls: number): boolean {
  const every = Math.max(1, Math.floor(polls / 9))
  return round === 1 || round === polls || (polls >= 18 && round > 0 && round % every === 0)
}

/** The same requests with undici. Nothing is parsed or compared, and only the validator is kept. */
function createPlainPoller(urls: readonly string[], { fetchers, perHost }: FeedOptions) {
  const agent = new Agent({ connections: perHost, keepAliveTimeout: 60_000 })
  const etags = new Map<string, string>()

  async function ask(url: string, status: number): Promise<void> {
    const { origin, pathname: path } = new URL(url)
    const etag = etags.get(url)
    const headers = etag === undefined ? {} : { 'if-none-match': etag }
    const response = await agent.request({ origin, path, method: 'GET', headers })
    await response.body.arrayBuffer()
    if (response.statusCode !== status)
      throw new AppError('internal', `${url} was answered with ${response.statusCode}`)
    etags.set(url, response.headers.etag as string)
  }

  return {
    async poll(isKnown: boolean): Promise<number> {
      const startedAt = performance.now()
      const left = urls.values()
      const work = async (): Promise<void> => {
        for (const url of left) await ask(url, isKnown ? 304 : 200)
      }
      await Promise.all(Array.from({ length: fetchers }, work))
      return (performance.now() - startedAt) / 1000
    },
    close: () => agent.close(),
  }
}
