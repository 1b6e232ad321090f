import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangingPage } from '../site/handler-site.ts'
import { profileOf, sourceOf } from './up-run.ts'
import { withWatching } from './watching.ts'

const ann = 'ann@example.org'

/** A product as in shops, once for people and once as structured data. */
function kettle(price: string, stock: string, state: string): string {
  const offer = { '@type': 'Offer', price, priceCurrency: 'EUR', availability: `https://schema.org/${state}` }
  const data = JSON.stringify({ '@type': 'Product', name: 'Kettle', offers: offer })
  return `Kettle</p><p>€ ${price}</p><p>${stock}</p><script type="application/ld+json">${data}</script><p>Boils water.`
}

test('a source with conditions notifies only when one is met, and its prices are recorded', async () => {
  const pages: Record<string, ChangingPage> = { '/kettle': { words: kettle('39.90', 'In stock', 'InStock') } }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, annotations, query }) => {
    const source = { ...sourceOf(`${news.origin}/kettle`), process: 'track' as const }
    await put(
      profileOf('cheap', ann, [{ ...source, conditions: ['below 30'] }], {}),
      profileOf('step', ann, [{ ...source, conditions: ['drops by 10 %'] }], {}),
      profileOf('stock', ann, [{ ...source, conditions: ['back in stock'] }], {}),
      profileOf('any', ann, [source], {}),
    )
    begin()
    await checked()
    const steps: [price: string, stock: string, state: string, told: string[]][] = [
      ['37.90', 'In stock', 'InStock', ['any']],
      ['35.90', 'In stock', 'InStock', ['any', 'step']],
      ['35.90', 'Sold out', 'OutOfStock', ['any']],
      ['29.90', 'Only 3 left', 'LimitedAvailability', ['any', 'cheap', 'step', 'stock']],
    ]
    let known = (await annotations()).length
    for (const [price, stock, state, told] of steps) {
      pages['/kettle']!.words = kettle(price, stock, state)
      await checked(2)
      const all = await annotations()
      assert.deepEqual(
        all
          .slice(known)
          .map(({ profile }) => profile)
          .sort(),
        told,
        `${price} ${stock}`,
      )
      known = all.length
    }
    const last = (await annotations()).at(-1)!
    assert.match(last.summary.text, /35\.90.*29\.90/)
    const reasons = (await annotations()).filter(({ profile, backlog }) => profile === 'cheap' && !backlog)
    assert.deepEqual(
      reasons.map(({ explanation }) => explanation),
      [{ tracked: true, conditions: ['below 30'] }],
    )
    assert.deepEqual(
      query('SELECT part, amount, currency, availability FROM prices ORDER BY version').map((row) => ({ ...row })),
      [
        ['39.90', 'in-stock'],
        ['37.90', 'in-stock'],
        ['35.90', 'in-stock'],
        ['35.90', 'out-of-stock'],
        ['29.90', 'limited'],
      ].map(([amount, availability]) => ({ part: '', amount: Number(amount), currency: 'EUR', availability })),
    )
  })
})
