import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { availabilityOf, readOffers } from './offer.ts'

const ld = (data: unknown): string => `<script type="application/ld+json">${JSON.stringify(data)}</script>`
const kettle = { name: 'Kettle', amount: 34.5, currency: 'EUR', availability: 'in-stock' }
const offer = { '@type': 'Offer', price: '34.50', priceCurrency: 'EUR', availability: 'https://schema.org/InStock' }

describe('offers declared by a page', () => {
  const pages: [name: string, page: string][] = [
    ['JSON-LD', ld({ '@type': 'Product', name: 'Kettle', offers: offer })],
    [
      'JSON-LD in a graph',
      ld({
        '@graph': [
          { '@type': 'WebSite', name: 'Shop' },
          { '@type': 'Product', name: 'Kettle', offers: [offer] },
        ],
      }),
    ],
    ['JSON-LD with a price as a number', ld({ '@type': 'Product', name: 'Kettle', offers: { ...offer, price: 34.5 } })],
    [
      'an aggregate',
      ld({
        '@type': 'Product',
        name: 'Kettle',
        offers: { ...offer, '@type': 'AggregateOffer', price: undefined, lowPrice: '34.50' },
      }),
    ],
    [
      'an aggregate with nothing but its offers',
      ld({ '@type': 'Product', name: 'Kettle', offers: { '@type': 'AggregateOffer', offers: [offer] } }),
    ],
    [
      'a former price before the current one',
      ld({
        '@type': 'Product',
        name: 'Kettle',
        offers: {
          ...offer,
          price: undefined,
          priceSpecification: [
            { price: 59.9, priceCurrency: 'EUR', priceType: 'https://schema.org/StrikethroughPrice' },
            { price: 34.5, priceCurrency: 'EUR' },
          ],
        },
      }),
    ],
    [
      'microdata',
      `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Kettle</h1><div itemprop="offers" itemscope>
       <span itemprop="price" content="34.50">€ 34,50</span><meta itemprop="priceCurrency" content="EUR">
       <link itemprop="availability" href="https://schema.org/InStock"></div></div>`,
    ],
    [
      'OpenGraph',
      `<meta property="og:title" content="Kettle"><meta property="product:price:amount" content="34.50">
       <meta property="product:price:currency" content="EUR"><meta property="product:availability" content="in stock">`,
    ],
  ]
  for (const [name, page] of pages) test(name, () => assert.deepEqual(readOffers(`<html><body>${page}`), [kettle]))

  test('keep their order on the page', () => {
    const found = readOffers(
      ld([
        { '@type': 'Product', name: 'Kettle', offers: offer },
        { '@type': 'Product', name: 'Cup', offers: { ...offer, price: 5 } },
      ]),
    )
    assert.deepEqual(
      found.map(({ name, amount }) => [name, amount]),
      [
        ['Kettle', 34.5],
        ['Cup', 5],
      ],
    )
  })

  test('are ignored if broken, huge, deeply nested or meaningless, and limited to 50', () => {
    const deep = `${'{"offers":'.repeat(500)}1${'}'.repeat(500)}`
    for (const page of [
      '<script type="application/ld+json">{"@type": "Product", </script>',
      ld({ '@type': 'Product', offers: { '@type': 'Offer', price: '1e999' } }).replace('"1e999"', '1e999'),
      ld({ '@type': 'Offer', price: '1e999', priceCurrency: 'EUR' }),
      ld({ '@type': 'Offer', price: 1e300 }),
      ld({ '@type': 'Offer', price: {} }),
      `<script type="application/ld+json">${deep}</script>`,
      `<script type="application/ld+json">"${'x'.repeat(2_000_000)}"</script>`,
      '<p>34.50 €</p>',
    ])
      assert.deepEqual(readOffers(page), [])
    assert.equal(readOffers(ld(Array.from({ length: 5000 }, () => offer))).length, 50)
  })

  test('use a regular price if it is the only one', () => {
    const regular = { priceType: 'https://schema.org/RegularPrice', price: '100', priceCurrency: 'EUR' }
    const [only] = readOffers(ld({ '@type': 'Offer', priceSpecification: regular }))
    assert.deepEqual([only?.amount, only?.currency], [100, 'EUR'])
  })

  test('ignore types that are not strings', () => {
    const odd = { toString: 1, valueOf: 1 }
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    const amountsOf = (page: string) => readOffers(page).map(({ amount }) => amount)
    assert.deepEqual(amountsOf(`<script type="application/ld+json">{"@type":${deep},"price":"1"}</script>`), [1])
    const specified = { price: 5, priceType: odd }
    assert.deepEqual(amountsOf(ld({ '@type': [odd, 'Offer'], priceSpecification: specified })), [5])
    assert.deepEqual(amountsOf(ld({ '@type': odd, priceSpecification: specified })), [])
  })

  test('recognise availability by its schema.org address or in words', () => {
    assert.equal(availabilityOf('http://schema.org/OutOfStock'), 'out-of-stock')
    assert.equal(availabilityOf('LimitedAvailability'), 'limited')
    assert.equal(availabilityOf('pre-order'), 'preorder')
    assert.equal(availabilityOf('oos'), 'out-of-stock')
    assert.equal(availabilityOf('maybe'), 'unknown')
  })
})
