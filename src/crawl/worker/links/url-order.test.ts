import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type UrlOrderName, urlOrders } from './link-pipe.ts'

type Link = { url: string; hops: number }

const links: Link[] = [
  { url: 'http://a.example/x/y/z', hops: 0 },
  { url: 'http://a.example/', hops: 2 },
  { url: 'https://a.example/x/', hops: 1 },
]

function orderOf(name: UrlOrderName): string[] {
  const order = urlOrders[name]
  return links.toSorted((a, b) => order(a.url, a.hops) - order(b.url, b.hops)).map(({ url }) => new URL(url).pathname)
}

describe('the order of URLs', () => {
  test('breadth goes level by level, depth follows the newest trail', () => {
    assert.deepEqual(orderOf('breadth'), ['/x/y/z', '/x/', '/'])
    assert.deepEqual(orderOf('depth'), ['/', '/x/', '/x/y/z'])
  })

  test('shallow begins near the root of the site, with either scheme', () => {
    assert.deepEqual(orderOf('shallow'), ['/', '/x/', '/x/y/z'])
    const depthOf = (url: string) => urlOrders.shallow(url)
    assert.equal(depthOf('http://a.example/x'), depthOf('https://a.example/x'))
    assert.equal(depthOf('http://a.example/x'), depthOf('http://a.example/y'))
  })

  test('every order gives whole numbers that a store can keep', () => {
    for (const order of Object.values(urlOrders)) {
      for (const { url, hops } of links) {
        const place = order(url, hops)
        assert.ok(Number.isSafeInteger(place) && Math.abs(place) < 2 ** 31)
      }
    }
  })
})
