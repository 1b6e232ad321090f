import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { conditionWords, isMet, type Reading, readCondition } from './conditions.ts'
import type { Availability } from './offer.ts'
import { availabilityInText } from './stock-words.ts'

const euros = (amount: number | null, availability: Availability = 'unknown'): Reading => ({
  amount,
  currency: 'EUR',
  availability,
})
/** Whether the last of these readings meets the condition. */
const meets = (condition: string, ...readings: Reading[]): boolean =>
  isMet(readCondition(condition)!, readings.slice(0, -1), readings.at(-1)!)

describe('conditions on prices, stock and numbers', () => {
  test('are parsed from natural phrases', () => {
    for (const text of ['below 30', 'above 1299', 'drops by 10 %', 'rises by 5', 'back in stock', 'changes'])
      assert.equal(conditionWords(readCondition(text)!), text)
    assert.deepEqual(readCondition('Below € 1.299,00'), { kind: 'below', amount: 1299 })
    assert.deepEqual(readCondition('drops by 2.5%'), { kind: 'drops', by: 2.5, isPercent: true })
    assert.deepEqual(readCondition('changes at all'), { kind: 'changes' })
    assert.deepEqual(readCondition('above -5'), { kind: 'above', amount: -5 })
  })

  test('are rejected if they are incomplete or meaningless', () => {
    for (const text of ['', 'cheap', 'below', 'below cheap', 'drops by 0', 'drops by 200 %', 'below '.repeat(50)])
      assert.equal(readCondition(text), null, text)
  })

  test('"below" is met on crossing the limit and on further drops, not on rises', () => {
    assert.equal(meets('below 30', euros(39.9), euros(29.9)), true)
    assert.equal(meets('below 30', euros(29.9), euros(27)), true)
    assert.equal(meets('below 30', euros(27), euros(29)), false)
    assert.equal(meets('below 30', euros(39.9), euros(30)), false)
    assert.equal(meets('above 30', euros(27), euros(31)), true)
  })

  test('are never met by the first reading', () => {
    for (const condition of ['below 30', 'changes', 'back in stock', 'drops by 1'])
      assert.equal(meets(condition, euros(1, 'in-stock')), false)
  })

  test('accumulate small steps', () => {
    assert.equal(meets('drops by 10 %', euros(100), euros(95)), false)
    assert.equal(meets('drops by 10 %', euros(100), euros(95), euros(90)), true)
    assert.equal(meets('drops by 10 %', euros(39.9), euros(35.91)), true)
    assert.equal(meets('rises by 10', euros(100), euros(95), euros(104)), false)
    assert.equal(meets('rises by 10', euros(100), euros(95), euros(105)), true)
  })

  test('are not met by an amount in another currency', () => {
    assert.equal(meets('below 30', euros(39.9), { amount: 20, currency: 'USD', availability: 'unknown' }), false)
  })

  test('"back in stock" is met after the item was out of stock', () => {
    assert.equal(meets('back in stock', euros(5, 'out-of-stock'), euros(5, 'in-stock')), true)
    assert.equal(meets('back in stock', euros(5, 'out-of-stock'), euros(5, 'unknown'), euros(5, 'limited')), true)
    assert.equal(meets('back in stock', euros(5, 'in-stock'), euros(5, 'limited')), false)
  })

  test('"changes" is met by a change of the amount or the stock', () => {
    assert.equal(meets('changes', euros(5), euros(6)), true)
    assert.equal(meets('changes', euros(5, 'in-stock'), euros(5, 'out-of-stock')), true)
    assert.equal(meets('changes', euros(5), euros(5, 'in-stock')), false)
    assert.equal(meets('changes', euros(5), euros(5)), false)
  })

  test('availability is recognised in text', () => {
    const states: [string, Availability][] = [
      ['In stock', 'in-stock'],
      ['Only 3 left', 'limited'],
      ['Sorry, sold out', 'out-of-stock'],
      ['Not available', 'out-of-stock'],
      ['Derzeit nicht verfügbar', 'out-of-stock'],
      ['Auf Lager', 'in-stock'],
      ['Pre-order now', 'preorder'],
      ['A kettle', 'unknown'],
    ]
    for (const [text, state] of states) assert.equal(availabilityInText(text), state, text)
  })

  test('a denied availability is not one, in any language', () => {
    for (const text of [
      'No longer in stock',
      'Not currently available',
      'Out-of-stock',
      'Nicht mehr verfügbar',
      'Momentan leider nicht lieferbar',
      'Épuisé',
      "Cet article n'est plus disponible",
      'Non disponible',
      'Ya no está disponible',
      'Non più disponibile',
      'Niet meer leverbaar',
      'Ikke på lager',
      'Niedostępna',
      'Není skladem',
      'Нет в наличии',
      'Распродано',
      'Stokta yok',
      '在庫なし',
      '缺货',
      '품절',
    ])
      assert.equal(availabilityInText(text), 'out-of-stock', text)
    for (const text of [
      'В наличии',
      'På lager',
      'Skladem',
      'Dostępna',
      '在庫あり',
      '有货',
      'Stokta',
      'No minimum order. In stock',
      'No fees – add to cart',
      'No fees Buy now',
      'Non-stick pan, available now',
    ])
      assert.equal(availabilityInText(text), 'in-stock', text)
  })
})
