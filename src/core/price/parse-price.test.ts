import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parsePrice } from './parse-price.ts'

const folder = process.env.ERACE_CONFORMANCE
const skip = folder === undefined && !process.env.CI ? 'ERACE_CONFORMANCE is not set' : false

const prices: readonly [text: string, amount: number | null, currency: string | null, code: string][] = [
  ['1.299,00 €', 1299, '€', 'EUR'],
  ['$1,299.00', 1299, '$', ''],
  ['US$ 1,299.00', 1299, 'US$', 'USD'],
  ["CHF 1'299.50", 1299.5, 'CHF', 'CHF'],
  ['1 299,50 Kč', 1299.5, 'Kč', 'CZK'],
  ['₹1,00,000', 100000, '₹', 'INR'],
  ['from 12.50 EUR per month', 12.5, 'EUR', 'EUR'],
  ['Was $120.00 Now $60.00', 60, '$', ''],
  ['-20% today: 34.50 €', 34.5, '€', 'EUR'],
  ['0,99 €', 0.99, '€', 'EUR'],
  ['0.125 BTC', 0.125, 'BTC', 'BTC'],
  ['١٢٫٥٠ د.إ', 12.5, 'د.إ', 'AED'],
  ['￥3,500', 3500, '￥', ''],
  ['free', 0, null, ''],
  ['1e999', null, null, ''],
  ['€ 1e999', null, '€', 'EUR'],
  ['1.5E+12 €', null, '€', 'EUR'],
  ['5e', 5, null, ''],
  ['Order 123456789012345678901234567890', null, null, ''],
  ['Model A4', null, null, ''],
  ['12 reviews', null, null, ''],
  ['', null, null, ''],
]

describe('prices as shops write them', () => {
  for (const [text, amount, currency, code] of prices)
    test(JSON.stringify(text), () => assert.deepEqual(parsePrice(text), { amount, currency, code }))

  test('the currency may be named elsewhere', () => {
    assert.deepEqual(parsePrice('34.50', '€'), { amount: 34.5, currency: '€', code: 'EUR' })
    assert.deepEqual(parsePrice('34.50', 'Out of stock'), { amount: 34.5, currency: null, code: '' })
  })

  test('a long text costs no more than its beginning', () => {
    assert.equal(parsePrice('1.'.repeat(1_000_000)).amount, null)
    assert.equal(parsePrice(`${'kr '.repeat(1_000_000)}12`).amount, null)
  })

  test('98 of 100 cases of price-parser', { skip }, (t) => {
    type Case = {
      priceText: string | null
      currencyText: string | null
      amount: number | null
      currency: string | null
    }
    const cases: Case[] = JSON.parse(readFileSync(join(folder!, 'prices-price-parser/cases.json'), 'utf8'))
    const wrong = cases.filter(({ priceText, currencyText, amount, currency }) => {
      const price = parsePrice(priceText, currencyText)
      return price.amount !== amount || price.currency !== currency
    })
    const listed = wrong.map(({ priceText }) => JSON.stringify(priceText)).join(', ')
    const share = ((cases.length - wrong.length) / cases.length) * 100
    t.diagnostic(`${share.toFixed(1)} % of ${cases.length} cases`)
    assert.ok(wrong.length <= 0.02 * cases.length, `${wrong.length} of ${cases.length} differ: ${listed}`)
  })
})
