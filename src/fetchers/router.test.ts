import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CheckOrder, CheckResult } from '../core/check-order.ts'
import type { ShardHandle } from '../crawl/crawl.ts'
import type { Fetcher } from './fetcher.ts'
import { begunBy, home, type OpenFetcher, type SuitePage, testFetcher } from './fetcher-suite.testkit.ts'
import { createLocalFetcher } from './local/local-fetcher.ts'
import { createMemoryFetcher, createMemoryWeb, type MemoryFetcher } from './memory-fetcher.testkit.ts'
import { createFetcherRouter, schemeOutcome } from './router.ts'

function orderOf(watch: number, url: string): CheckOrder {
  const check = { watch, round: 100, freshFrom: 100, since: 0, first: true }
  return { url, depth: 0, urgency: 1, check, crawlScope: { watch, sources: [{ uri: url, scope: { kind: 'page' } }] } }
}

function openRouter() {
  const web = createMemoryFetcher(createMemoryWeb({ [home]: { words: 'home' } }))
  const memos = createMemoryFetcher(createMemoryWeb({ 'memo://a/1': { words: 'one' } }), { schemes: ['memo'] })
  const results: CheckResult[] = []
  const router = createFetcherRouter([web, memos])
  router.onResults((some) => void results.push(...some))
  return { web, memos, router, results }
}

describe('a router of fetchers', () => {
  test('gives each check to the fetcher of its scheme, and passes on what all of them report', async () => {
    const { web, memos, router, results } = openRouter()
    assert.deepEqual(router.schemes, ['http', 'https', 'memo'])
    const counts = await begunBy(router, [orderOf(1, home), orderOf(2, 'MEMO://a/1')])
    assert.deepEqual(
      counts,
      new Map([
        [1, 1],
        [2, 1],
      ]),
    )
    assert.deepEqual([web.orders.length, memos.orders.length], [1, 1])
    web.run()
    memos.run()
    assert.deepEqual(
      results.map(({ watch }) => watch),
      [1, 2],
    )
  })

  test('a check of a scheme that no fetcher serves is over at once, and says so', async () => {
    const { router, results } = openRouter()
    assert.deepEqual(await begunBy(router, [orderOf(3, 'ftp://a.example/')]), new Map([[3, 0]]))
    assert.deepEqual(
      results.map(({ watch, queued, source }) => [watch, queued, source?.outcome]),
      [[3, 0, schemeOutcome]],
    )
  })

  test('scopes go to their fetcher; a scope without sources, and what is forgotten, to all', async () => {
    const { web, memos, router } = openRouter()
    const { crawlScope } = orderOf(2, 'memo://a/1')
    await router.crawlScope([crawlScope, { watch: 7, sources: [] }])
    const known = () => [web, memos].map(({ crawlScopes }) => [...crawlScopes.keys()])
    assert.deepEqual(known(), [[7], [2, 7]])
    await router.forget([7])
    assert.deepEqual(known(), [[], [2]])
  })

  test('two fetchers can not serve the same scheme', () => {
    const { web } = openRouter()
    assert.throws(() => createFetcherRouter([web, web]), /two fetchers serve http/)
  })
})

/** The suite over fetchers whose web is in memory. */
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

/** A shard over a web in memory, as far as the local fetcher uses one; all hosts are its own, or none. */
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
  'the router',
  openOver((memory) => createFetcherRouter([memory])),
)
testFetcher(
  'the local fetcher',
  openOver((memory) => {
    const shards = [shardOver(createMemoryFetcher(createMemoryWeb()), false), shardOver(memory, true)]
    return createLocalFetcher({ shards, onResults: memory.onResults, throttle: memory.throttle, stop() {} })
  }),
)
