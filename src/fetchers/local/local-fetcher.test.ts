import assert from 'node:assert/strict'
import type { ShardHandle } from '../../crawl/crawl.ts'
import type { Fetcher } from '../fetcher.ts'
import { begunBy, type OpenFetcher, type SuitePage, testFetcher } from '../fetcher-suite.testkit.ts'
import { createMemoryFetcher, createMemoryWeb, type MemoryFetcher } from '../memory-fetcher.testkit.ts'
import { createLocalFetcher } from './local-fetcher.ts'

/** Opens fetchers with a web in memory for the suite. */
function openOver(create: (memory: MemoryFetcher) => Fetcher) {
  return async (pages: Map<string, SuitePage>): Promise<OpenFetcher> => {
    const web = { ...createMemoryWeb(), pages }
    const begin = () => createMemoryFetcher(web)
    const memory = begin()
    const work = async (): Promise<void> => memory.run()
    const restart = async (): Promise<Fetcher> => create(begin())
    return { fetcher: create(memory), pages, watch: 1, work, restart, close: async () => {} }
  }
}

/** A shard over a web in memory, with only what the local fetcher uses; it owns all hosts, or none. */
function shardOver(memory: MemoryFetcher, ownsHosts: boolean): ShardHandle {
  const { crawlScope, forget, failed } = memory
  const unused = async (): Promise<never> => assert.fail('not used by a fetcher')
  const queued = (): Promise<Map<number, number>> => memory.start([])
  return {
    queued,
    start: async () => {},
    async checks(orders) {
      const begun = ownsHosts ? await begunBy(memory, orders) : []
      return new Map([...begun].map(([watch, queued]) => [watch, { orders: 1, queued }]))
    },
    crawlScope,
    forget,
    failed,
    seed: unused,
    stop: unused,
    close: unused,
  }
}

testFetcher(
  'the local fetcher',
  openOver((memory) => {
    const shards = [shardOver(createMemoryFetcher(createMemoryWeb()), false), shardOver(memory, true)]
    return createLocalFetcher({
      schemes: ['http'],
      shards,
      onResults: memory.onResults,
      throttle: memory.throttle,
      stop() {},
    })
  }),
)
