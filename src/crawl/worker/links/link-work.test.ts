import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { CrawlScope } from '../../../core/check-order.ts'
import type { Check } from '../../../core/request.ts'
import { createFingerprintCache } from '../../../core/url/fingerprint-cache.ts'
import { createFingerprinter } from '../../../core/url/url-key.ts'
import { createLinkNormaliser } from '../../normalize/link-normaliser.ts'
import { urlOrders } from '../../order/orders.ts'
import { createWatches } from '../results/check-results.ts'
import { createLinkPipe, type PageContext, type PipedLinks } from './link-pipe.ts'

const evil = '.*a[ab]{450}c'
const source = 'http://a.example/'

function randomPath(seed: number): string {
  let state = seed + 1
  let text = ''
  for (let i = 0; i < 1700; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    text += (state >>> 16) & 1 ? 'a' : 'b'
  }
  return `/${text}`
}

const paths = Array.from({ length: 60 }, (_, n) => randomPath(n))

/** A pipe with the scopes of watches as its only step. */
function pipeOf() {
  const watches = createWatches({ page: 5_000_000, check: 12_000_000 })
  const pipe = createLinkPipe({
    steps: [
      {
        name: 'scope',
        run: ({ url, pageHost, work }) => (watches.covers(work, url, pageHost) ? null : 'scope'),
      },
    ],
    normaliser: createLinkNormaliser({}),
    fingerprinter: createFingerprinter([1, 2]),
    seen: createFingerprintCache(100_000),
    order: urlOrders.breadth,
    maxHops: 10,
    workOf: watches.workOf,
    onSkip() {},
    onUnparsable() {},
  })
  function run(watch: number, hrefs: readonly string[], round = 1): PipedLinks | Promise<PipedLinks> {
    const check: Check = { watch, round, freshFrom: 0, since: 0, first: false }
    const page: PageContext = {
      url: source,
      host: 'a.example',
      baseHref: undefined,
      depth: 3,
      hops: 0,
      priority: 0,
      check,
    }
    pipe.enter(page)
    return pipe.run(
      hrefs.map((href) => ({ href, tag: 'a' as const, nofollow: false, known: null })),
      page,
      0,
    )
  }
  const offeredBy = async (watch: number, hrefs: readonly string[], round?: number) =>
    (await run(watch, hrefs, round)).offers.map(({ url }) => url)
  return { watches, run, offeredBy }
}

function scopeOf(watch: number, ...expressions: [owner: string, expression: string][]): CrawlScope {
  const sources = expressions.map(([owner, expression]) => ({
    ...{ uri: source, owner, scope: { kind: 'pattern' as const, source: expression } },
  }))
  return { watch, sources }
}

describe('links matched by an expression', () => {
  test('do not block those of other pages if the expression is slow', async () => {
    const { watches, run } = pipeOf()
    watches.set(scopeOf(1, ['eve', evil]))
    watches.set(scopeOf(2, ['ann', '/news/']))
    const long = run(1, paths)
    assert.ok(long instanceof Promise)
    const short = run(2, ['/news/1', '/sport/2'])
    assert.ok(!(short instanceof Promise), 'a usual expression is done at once')
    assert.deepEqual(short.links, [`${source}news/1`, `${source}sport/2`])
    assert.equal(short.offers.length, 1)
    assert.equal((await long).links.length, paths.length, 'all links of the page are kept')
  })

  test('are skipped until a too expensive expression changes; other owners are unaffected', async () => {
    const { watches, offeredBy } = pipeOf()
    watches.set(scopeOf(1, ['eve', evil], ['ann', '/news/'], ['eve', 'a[ab]{440}d']))
    const offered = await offeredBy(1, [...paths, '/news/1'])
    assert.deepEqual(offered, [`${source}news/1`])
    const [results] = watches.takeResults()
    assert.deepEqual(
      results!.tooExpensive?.toSorted((one, other) => (one.expression < other.expression ? -1 : 1)),
      [evil, 'a[ab]{440}d'].map((expression) => ({ expression, url: source })),
    )
    assert.deepEqual(await offeredBy(1, ['/news/2', paths[0]!], 2), [`${source}news/2`])
    assert.deepEqual(watches.takeResults(), [], 'not tried again')
    watches.set(scopeOf(1, ['eve', 'news']))
    assert.deepEqual(await offeredBy(1, ['/news/3'], 3), [`${source}news/3`], 'until it is changed')
  })

  test('have a work limit per check, which starts again with the next one', async () => {
    const { watches, offeredBy } = pipeOf()
    watches.set(scopeOf(1, ['eve', evil]))
    const expensiveAfter = async (from: number, round: number) => {
      await offeredBy(1, paths.slice(from, from + 10), round)
      return watches.takeResults().flatMap(({ tooExpensive = [] }) => tooExpensive).length
    }
    // Each of them alone is far below the limit of a page.
    assert.deepEqual([await expensiveAfter(0, 1), await expensiveAfter(10, 1)], [0, 0])
    assert.equal((await expensiveAfter(20, 1)) + (await expensiveAfter(30, 1)), 1)
    watches.set(scopeOf(1, ['eve', evil]))
    assert.equal(await expensiveAfter(0, 2), 0)
  })

  test('stop being matched when their watch is removed', async () => {
    const { watches, run } = pipeOf()
    watches.set(scopeOf(1, ['eve', evil]))
    const long = run(1, paths)
    await turn()
    watches.remove(1)
    const { offers } = await long
    assert.deepEqual(offers, [])
    assert.deepEqual(watches.takeResults(), [], 'nothing more was matched')
  })
})
