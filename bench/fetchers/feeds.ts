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
  /** Measured after some polls only, since it slows the next one down. */
  live: LiveMemory | null
  plainSeconds: number
}

/** Of the crawler, after a garbage collection in all its threads: objects, what they hold outside of the heap, and the process as a whole. */
export type LiveMemory = { heapBytes: number; externalBytes: number; rssBytes: number }

/** All threads of the crawler stay. */
const noThread = /(?!)/

/** Polls all feeds: for the first time, then with nothing changed; the crawler and a plain client in turn. */
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
      // After ten polls or more the crawler asks for the whole feed now and then, in case its validator lies.
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

/** After the second poll and the last, and after so many in between that a third of the run has three. */
function isMeasured(round: number, polls: number): boolean {
  const every = Math.max(1, Math.floor(polls / 9))
  return round === 1 || round === polls || (polls >= 18 && round > 0 && round % every === 0)
}

/** The same requests with undici; nothing is read, compared or kept but the validator. */
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
