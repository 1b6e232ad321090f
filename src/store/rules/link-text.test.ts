import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { packLinks, unpackLinks, unpackLinksAt } from './link-text.ts'

describe('packed links', () => {
  test('omit only the origin of the page', () => {
    const page = 'http://a.example/x/y'
    assert.equal(packLinks(['http://a.example/b', 'http://b.example/'], page), '/b\nhttp://b.example/')
    assert.equal(packLinks([], page), '')
    assert.deepEqual(unpackLinks('', page), [])
  })

  test('are cut at a whole link if they are too long', () => {
    const links = ['http://a.example/one', 'http://a.example/two', 'http://a.example/three']
    assert.deepEqual(unpackLinks(packLinks(links, 'http://a.example/', 9), 'http://a.example/'), links.slice(0, 2))
  })

  test('are read back as they were written', () => {
    const origin = fc.constantFrom(
      'http://a.example',
      'http://a.example:8080',
      'https://a.example',
      'http://a.example.b',
    )
    const link = fc
      .tuple(origin, fc.constantFrom('/', '/x', '/x?y=/z', '//', '/?http://a.example/'))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.array(link), link, (links, page) => {
        assert.deepEqual(unpackLinks(packLinks(links, page), page), links)
      }),
    )
  })

  test('yield the same links when read at selected places, even if cut', () => {
    const page = 'http://a.example/'
    const link = fc.constantFrom('http://a.example/', 'http://a.example/x', 'http://b.example/', 'http://b.example/y')
    const places = fc.uniqueArray(fc.nat(12)).map((chosen) => chosen.toSorted((a, b) => a - b))
    fc.assert(
      fc.property(fc.array(link), places, fc.integer({ min: 0, max: 200 }), (links, at, maxLength) => {
        const text = packLinks(links, page, maxLength)
        const all = unpackLinks(text, page)
        assert.deepEqual(
          unpackLinksAt(text, page, at),
          at.flatMap((place) => all[place] ?? []),
        )
      }),
    )
  })
})
