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

/** Only the amount and the code; how a currency is written is tested above. */
const amounts: Record<string, [text: string, amount: number | null, code: string][]> = {
  'digits of other scripts': [
    ['₹२,७५०', 2750, 'INR'],
    ['৳৮৪০', 840, 'BDT'],
    ['฿๔๕๐', 450, 'THB'],
    ['４５，６００円', 45600, 'JPY'],
    ['۴۵،۶۰۰ تومان', 45600, 'IRR'],
    ['\u200e34,50\u200e €', 34.5, 'EUR'],
  ],
  'currencies with three decimals': [
    ['7.250 KWD', 7.25, 'KWD'],
    ['BHD 12.900', 12.9, 'BHD'],
    ['63,800 DT', 63.8, 'TND'],
    ['1,250 OMR', 1250, 'OMR'],
    ['1.618 BTC', 1.618, 'BTC'],
    ['25.000 IQD', 25000, 'IQD'],
  ],
  'three decimals in other prices': [
    ['1875.000', 1875, ''],
    ['1,789 €/l', 1.789, 'EUR'],
    ['€ 1.789 per litre', 1.789, 'EUR'],
    ['1.789 €', 1789, 'EUR'],
    ['34.500000000000001776 €', 34.5, 'EUR'],
  ],
  'the lowest price of a range': [
    ['15–25 €', 15, 'EUR'],
    ['from 15 to 25 kr', 15, ''],
    ['Preis: 1.500 bis 2.500 EUR', 1500, 'EUR'],
    ['Model 7 - 250 €', 250, 'EUR'],
  ],
  'thousands, millions and other multipliers': [
    ['$2.3 million', 2300000, ''],
    ['1,4 Mio. €', 1400000, 'EUR'],
    ['₹45 lakh', 4500000, 'INR'],
    ['₹ 1.3 Cr', 13000000, 'INR'],
    ['£340k', 340000, ''],
    ['€ 5 m', 5, 'EUR'],
    ['86.5万円', 865000, 'JPY'],
    ['2万4500円', 24500, 'JPY'],
  ],
  'the price to pay among former prices, savings and unit prices': [
    ['UVP 59,90 € 34,50 €', 34.5, 'EUR'],
    ['34,50 € statt 59,90 €', 34.5, 'EUR'],
    ['List price: $59.90 Price: $34.50', 34.5, ''],
    ['Save $25 $34.50', 34.5, ''],
    ['$25 off $34.50', 34.5, ''],
    ['Original price was: $59.90. Current price is: $34.50.', 34.5, ''],
    ['O preço original era: R$ 59,90. O preço atual é: R$ 34,50.', 34.5, 'BRL'],
    ['De R$ 59,90 por R$ 34,50', 34.5, 'BRL'],
    ['Najniższa cena z 30 dni: 39,90 zł 34,50 zł', 34.5, 'PLN'],
    ['(1 kg = 6,90 €) 34,50 €', 34.5, 'EUR'],
    ['UVP 59,90 €', 59.9, 'EUR'],
    ['$60 $35', 60, ''],
    ['Phone 12 $345', 345, ''],
    ['Ages 6-10 £34.50', 34.5, ''],
  ],
  'cents separated from the amount': [
    ['34 , 50 €', 34.5, 'EUR'],
    ['$ 34 . 50', 34.5, ''],
    ['$34 50', 34.5, ''],
    ['£34·50', 34.5, ''],
  ],
  'dollars of different countries': [
    ['AU $34.50', 34.5, 'AUD'],
    ['CAN$34.50', 34.5, 'CAD'],
    ['C $34.50', 34.5, 'CAD'],
    ['Vitamin C $34.50', 34.5, ''],
    ['34,50 $ CA', 34.5, 'CAD'],
  ],
  'new currencies': [
    ['XCG 34.50', 34.5, 'XCG'],
    ['\u20c1 34.50', 34.5, 'SAR'],
  ],
  'no price in dates, times, scores and scales': [
    ['24.12.2025', null, ''],
    ['18:45', null, ''],
    ['Score 2:1', null, ''],
    ['Bayern 10:0 (5:0)', null, ''],
    ['Scale 1:100', null, ''],
    ['Scale 1:18 for 34.50', 34.5, ''],
    ['Score 2:1, ticket 15 €', 15, 'EUR'],
    ['Price:34.50', 34.5, ''],
    ['Size 10:34.50', 34.5, ''],
  ],
  'words for free of charge': [
    ['Gratuito', 0, ''],
    ['Бесплатно', 0, ''],
    ['無料', 0, ''],
    ['Free returns', null, ''],
  ],
}

test('the full stop of a currency abbreviation is not a decimal point', () => {
  for (const [text, amount] of [
    ['Rs.499', 499],
    ['Kr.99', 99],
    ['S/.25', 25],
    ['Rs.1,299.00', 1299],
    ['$.99', 0.99],
  ] as const)
    assert.equal(parsePrice(text).amount, amount, text)
})

describe('prices as shops write them', () => {
  for (const [name, examples] of Object.entries(amounts))
    test(name, () => {
      for (const [text, amount, code] of examples) {
        const read = parsePrice(text)
        assert.deepEqual({ amount: read.amount, code: read.code }, { amount, code }, text)
      }
    })

  for (const [text, amount, currency, code] of prices)
    test(JSON.stringify(text), () => assert.deepEqual(parsePrice(text), { amount, currency, code }))

  test('the currency can be given separately', () => {
    assert.deepEqual(parsePrice('34.50', '€'), { amount: 34.5, currency: '€', code: 'EUR' })
    assert.deepEqual(parsePrice('34.50', 'Out of stock'), { amount: 34.5, currency: null, code: '' })
  })

  test('only the beginning of a long text is read', () => {
    assert.equal(parsePrice('1.'.repeat(1_000_000)).amount, null)
    assert.equal(parsePrice(`${'kr '.repeat(1_000_000)}12`).amount, null)
  })

  test('at least 98 % of the price-parser cases agree', { skip }, (t) => {
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
