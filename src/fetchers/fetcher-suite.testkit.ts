import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CheckOrder, CheckResult } from '../core/check-order.ts'
import type { Fetcher } from './fetcher.ts'

export type SuitePage = { words: string; links?: readonly string[] }

/** A fetcher over pages that a test may change, with one watch of `home`. */
export type OpenFetcher = {
  fetcher: Fetcher
  pages: Map<string, SuitePage>
  watch: number
  /** Fetches everything queued and reports it. */
  work(): Promise<void>
  /** The fetcher after a crash: its memory is lost. */
  restart(): Promise<Fetcher>
  close(): Promise<void>
}

export const home = 'http://a.example/'
const pages = { [home]: { words: 'home', links: [`${home}one`] }, [`${home}one`]: { words: 'one' } }

function orderOf(watch: number, round: number): CheckOrder {
  const check = { watch, round, freshFrom: round, since: 0, first: false }
  const crawlScope = { watch, sources: [{ uri: home, scope: { kind: 'host' as const } }] }
  return { url: home, depth: 1, urgency: 1, check, crawlScope }
}

/** Starts checks; resolves when all have begun, to the number of requests of each watch. */
export async function begunBy(
  fetcher: Pick<Fetcher, 'check'>,
  orders: readonly CheckOrder[],
): Promise<Map<number, number>> {
  const waiting = new Set(orders.map(({ check }) => check.watch))
  const begun = new Map<number, number>()
  const { promise: all, resolve } = Promise.withResolvers<void>()
  await fetcher.check(orders, (watch, queued) => {
    assert.ok(waiting.delete(watch), `${watch} has begun twice`)
    begun.set(watch, queued)
    if (waiting.size === 0) resolve()
  })
  await all
  return begun
}

/** The contract of `Fetcher`, for one implementation. */
export function testFetcher(name: string, open: (pages: Map<string, SuitePage>) => Promise<OpenFetcher>): void {
  const withFetcher = (work: (opened: OpenFetcher) => Promise<void>) => async () => {
    const opened = await open(new Map(Object.entries(pages)))
    await work(opened)
    await opened.close()
  }

  /** Runs one check to its end; returns the sums of its results. */
  async function check({ fetcher, watch, work }: OpenFetcher, round: number) {
    const results: CheckResult[] = []
    fetcher.onResults((some) => void results.push(...some))
    const begun = (await begunBy(fetcher, [orderOf(watch, round)])).get(watch) ?? 0
    await work()
    const sum = (part: 'queued' | 'changed' | 'unchanged' | 'failed') =>
      results.reduce((total, result) => total + result[part], 0)
    const source = results.find((result) => result.source !== null)?.source
    const counts = { changed: sum('changed'), unchanged: sum('unchanged'), failed: sum('failed') }
    return { begun, queued: begun + sum('queued'), ...counts, source }
  }

  describe(`${name} as a fetcher`, () => {
    test(
      'names its schemes in lower case, without a colon',
      withFetcher(async ({ fetcher }) => {
        assert.ok(fetcher.schemes.length > 0)
        for (const scheme of fetcher.schemes) assert.match(scheme, /^[a-z][a-z0-9+.-]*$/)
      }),
    )

    test(
      'reports the results of a check, and queue counts that add up to zero when it is over',
      withFetcher(async (opened) => {
        await opened.fetcher.start([])
        const counts = { begun: 1, queued: 0, changed: 2, unchanged: 0, failed: 0 }
        assert.deepEqual(await check(opened, 100), { ...counts, source: { status: 200, outcome: 'stored' } })
        opened.pages.set(`${home}one`, { words: 'another' })
        const again = { begun: 1, queued: 0, changed: 1, unchanged: 1, failed: 0 }
        assert.deepEqual(await check(opened, 200), { ...again, source: { status: 200, outcome: 'unchanged' } })
      }),
    )

    test(
      'reports a source that fails',
      withFetcher(async (opened) => {
        await opened.fetcher.start([])
        opened.pages.clear()
        const { queued, changed, failed, source } = await check(opened, 100)
        assert.deepEqual({ queued, changed, failed }, { queued: 0, changed: 0, failed: 1 })
        assert.match(source!.outcome, /^failed/)
      }),
    )

    test(
      'continues the checks in progress after a crash',
      withFetcher(async ({ fetcher, watch, restart }) => {
        await fetcher.start([])
        const order = orderOf(watch, 100)
        await begunBy(fetcher, [order])
        const next = await restart()
        assert.deepEqual(await next.start([order.crawlScope]), new Map([[watch, 1]]))
      }),
    )
  })
}
