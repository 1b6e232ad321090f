import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noCheck } from '../../../core/request.ts'
import { createFingerprinter } from '../../../core/url/url-key.ts'
import { extractPage } from '../../extract/page.ts'
import { createLinkNormaliser } from '../../normalize/link-normaliser.ts'
import { urlOrders } from '../../order/orders.ts'
import { createWatches } from '../results/check-results.ts'
import { createLinkPipe, type PageContext } from './link-pipe.ts'

const page: PageContext = {
  url: 'http://a.example/',
  host: 'a.example',
  baseHref: undefined,
  depth: 3,
  hops: 0,
  check: noCheck,
}

test('a known link stays known even if the cache forgets it', async () => {
  const kept = new Map<string, number>()
  const { workOf } = createWatches({ page: 1000, check: 1000 })
  const pipe = createLinkPipe({
    ...{ steps: [], order: urlOrders.breadth, maxHops: 10, workOf, onSkip() {}, onUnparsable() {} },
    normaliser: createLinkNormaliser({}),
    fingerprinter: createFingerprinter([1, 2]),
    seen: {
      get: (hi, lo) => kept.get(`${hi} ${lo}`) ?? -1,
      set: (hi, lo, depth) => kept.set(`${hi} ${lo}`, depth),
    },
  })

  async function offersOf(context: PageContext): Promise<number> {
    pipe.enter(context)
    const { links } = extractPage(Buffer.from('<a href=x>'), { url: context.url, charset: 'utf-8', memo: pipe.memo })
    const { offers } = await pipe.run(links, context, 0)
    pipe.offered(offers)
    return offers.length
  }

  assert.equal(await offersOf(page), 1)
  assert.equal(await offersOf(page), 0)
  kept.clear()
  assert.equal(await offersOf(page), 0)
  assert.equal(await offersOf({ ...page, depth: 2 }), 0)
  assert.equal(await offersOf({ ...page, depth: 4 }), 1, 'but not nearer to the seed')
  const check = { ...noCheck, watch: 1, round: 1 }
  assert.equal(await offersOf({ ...page, check }), 1, 'nor to a watch')
})
