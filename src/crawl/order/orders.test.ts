import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { noCheck, type Offer } from '../../core/request.ts'
import { createFocusedOrder } from './focused.ts'
import { importanceOrder, SEED_CASH } from './importance.ts'
import { createUrlOrder, seedPriority, urlOrders } from './orders.ts'

type Link = { url: string; hops: number }

const links: Link[] = [
  { url: 'http://a.example/x/y/z', hops: 0 },
  { url: 'http://a.example/', hops: 2 },
  { url: 'https://a.example/x/', hops: 1 },
]

function orderOf(name: 'breadth' | 'depth' | 'shallow' | 'fifo'): string[] {
  const { priority } = createUrlOrder(name, null)
  return links
    .toSorted((a, b) => priority(a.url, a.hops) - priority(b.url, b.hops))
    .map(({ url }) => new URL(url).pathname)
}

function offersOf(...paths: string[]): Offer[] {
  return paths.map((path) => ({
    ...{ url: `http://a.example${path}`, host: 'a.example', fp: 1n, parent: '', depth: 1, hops: 1, redirects: 0 },
    ...{ priority: 0, check: noCheck },
  }))
}

describe('URL order', () => {
  test('breadth goes level by level, depth goes deepest first, fifo keeps the order of arrival', () => {
    assert.deepEqual(orderOf('breadth'), ['/x/y/z', '/x/', '/'])
    assert.deepEqual(orderOf('depth'), ['/', '/x/', '/x/y/z'])
    assert.deepEqual(orderOf('fifo'), ['/x/y/z', '/', '/x/'])
  })

  test('shallow starts near the root of the site, regardless of scheme', () => {
    assert.deepEqual(orderOf('shallow'), ['/', '/x/', '/x/y/z'])
    const depthOf = (url: string) => urlOrders.shallow.priority(url)
    assert.equal(depthOf('http://a.example/x'), depthOf('https://a.example/x'))
    assert.equal(depthOf('http://a.example/x'), depthOf('http://a.example/y'))
  })

  test('every order gives 32-bit integer priorities', () => {
    for (const order of Object.values(urlOrders)) {
      for (const { url, hops } of links) {
        const place = order.priority(url, hops)
        assert.ok(Number.isSafeInteger(place) && Math.abs(place) < 2 ** 31)
      }
    }
  })

  test('importance: a page shares its cash equally among its links, and a richer page gives more', () => {
    const [poor, rich] = [offersOf('/a', '/b'), offersOf('/a', '/b')]
    importanceOrder.weigh!(poor, { url: '', priority: -SEED_CASH, text: '', linkTexts: [] })
    importanceOrder.weigh!(rich, { url: '', priority: -4 * SEED_CASH, text: '', linkTexts: [] })
    assert.equal(poor[0]!.priority, poor[1]!.priority)
    assert.ok(rich[0]!.priority < 2 * poor[0]!.priority)
    assert.ok(seedPriority('importance', '') < 0)
  })

  test('focused: links of relevant pages go first, led by those that name the subject', () => {
    const order = createFocusedOrder({ terms: [{ words: ['solar', 'power'], weight: 1 }], examples: null })
    const weigh = (text: string, linkTexts: string[]): number[] => {
      const offers = offersOf('/a', '/b')
      order.weigh!(offers, { url: '', priority: 0, text, linkTexts })
      return offers.map(({ priority }) => priority)
    }
    const [named, plain] = weigh('All about solar power.', ['More on Solar Power', 'Imprint'])
    const [elsewhere, nowhere] = weigh('All about cats.', ['Solar power', 'Imprint'])
    assert.ok(named! < plain! && plain! < nowhere! && elsewhere! < nowhere! && named! < elsewhere!)
    assert.ok(order.priority('http://a.example/solar-power', 1) < order.priority('http://a.example/cats', 1))
    assert.throws(() => createFocusedOrder(null), /needs crawl.focus/)
  })

  test('focused: a naive Bayes classifier learns from examples', () => {
    const examples = {
      wanted: ['panels inverter sun roof energy', 'sun energy grid panels'],
      others: ['cat dog fur paws', 'dog leash energy walk'],
    }
    const order = createFocusedOrder({ terms: [], examples })
    const [about, other] = ['sun on the panels', 'dog and cat'].map((text) => {
      const offers = offersOf('/a')
      order.weigh!(offers, { url: '', priority: 0, text, linkTexts: [] })
      return offers[0]!.priority
    })
    assert.ok(about! < other!)
  })
})
