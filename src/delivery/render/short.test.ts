import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { itemOf, messageOf, sampleDigest, sampleItems } from './message.testkit.ts'
import { messageShort, shortLength } from './short.ts'

/** 3GPP TS 23.038, 6.2.1: the default alphabet by code, in rows of sixteen; \u001b begins a character of the extension. */
const alphabet = [
  '@£$¥èéùìòÇ\nØø\rÅå',
  'Δ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ',
  ' !"#¤%&\'()*+,-./',
  '0123456789:;<=>?',
  '¡ABCDEFGHIJKLMNO',
  'PQRSTUVWXYZÄÖÑÜ§',
  '¿abcdefghijklmno',
  'pqrstuvwxyzäöñüà',
].join('')
const extension = '\f^{}\\[~]|€'

/** Number of septets that a phone sends; null if it needs UCS-2. */
function septetsOf(text: string): number | null {
  let septets = 0
  for (const character of text) {
    const isBasic = character !== '\u001b' && alphabet.includes(character)
    if (!isBasic && !extension.includes(character)) return null
    septets += isBasic ? 1 : 2
  }
  return septets
}

function isOneMessage(text: string): boolean {
  const septets = septetsOf(text)
  return septets === null ? Buffer.byteLength(text, 'utf16le') <= 140 : Math.ceil((septets * 7) / 8) <= 140
}

const anyWords = fc.string({
  unit: fc.constantFrom(...'aZ9 @£$é€[]{}~^|\\→…“’–·字💡Ελάδçe\u0301\u200b\ud800\n`'),
  maxLength: 400,
})

describe('short messages', () => {
  test('the GSM alphabet of this test has 128 characters', () => assert.equal(alphabet.length, 128))

  test('fit into the 140 bytes of one SMS, and are counted as a phone counts them', () => {
    fc.assert(
      fc.property(anyWords, anyWords, fc.nat(3), fc.webUrl(), (title, summary, more, open) => {
        const item = itemOf({ title, summary, links: { ...itemOf().links, open } })
        const items = Array.from({ length: more + 1 }, () => item)
        const text = messageShort(messageOf({ kind: more === 0 ? 'single' : 'digest', items }))
        assert.ok(isOneMessage(text), `${text.length}: ${text}`)
        assert.ok(text.isWellFormed())
        const { length, room } = shortLength(text)
        const septets = septetsOf(text)
        assert.deepEqual([length, room], septets === null ? [text.length, 70] : [septets, 160])
      }),
      { numRuns: 500 },
    )
  })

  test('describe changed, new and gone pages, digests and tests', () => {
    const { price, words, added, removed, moved, newPage, entry, gone, hebrew } = sampleItems
    const link = 'https://e.example/a/7'
    const expected = [
      [price, `Kettle: € 39.90 -> € 34.50 ${link}`],
      [words, `Kettle: The bridge is open -> closed to lorries ${link}`],
      [added, `Kettle: + Only 3 left ${link}`],
      [removed, `Kettle: - Free tea ${link}`],
      [moved, `Kettle: moved: About us ${link}`],
      [newPage, `New: Bridge closed: The bridge at Juniper Ridge is closed. ${link}`],
      [entry, `New: Version 2.1: Faster, and with fewer bugs. ${link}`],
      [gone, `Kettle: Gone: the server says 404 (not found) ${link}`],
      [hebrew, `קומקום: במלאי -> אזל ${link}`],
    ] as const
    for (const [item, text] of expected)
      for (const amount of ['summary', 'change', 'full'] as const)
        assert.equal(messageShort(messageOf({ amount, items: [item] })), text)
    assert.equal(
      messageShort(sampleDigest),
      '6 changes: Kettle; Bridge closed; https://shop.example/kettle https://e.example/inbox',
    )
    assert.equal(messageShort(messageOf({ kind: 'test', items: [] })), 'This is a test message from eRACE.')
  })

  test('are limited to 160 GSM characters, or to 70 others', () => {
    const short = (title: string, summary = '€ 39.90 → € 34.50'): string =>
      messageShort(messageOf({ items: [itemOf({ title, summary })] }))
    assert.equal(
      short('A very long title '.repeat(30)),
      'A very long title A very long title A very long title A very long...: € 39.90 -> € 34.50 https://e.example/a/7',
    )
    const long = short('Kettle', 'word '.repeat(100))
    assert.ok(shortLength(long).length <= 160 && long.endsWith('... https://e.example/a/7'), long)
    for (const [title, summary] of [
      ['Καλημέρα κόσμε '.repeat(10), 'a → b'],
      ['Kettle', '💡'.repeat(100)],
      ['x'.repeat(10_000_000), '字'.repeat(1_000_000)],
    ] as const) {
      const { length, room } = shortLength(short(title, summary))
      assert.ok(room === 70 && length <= 70 && length > 50, `${length}: ${short(title, summary)}`)
      assert.ok(short(title, summary).isWellFormed())
    }
    assert.equal(
      short('Ηλεκτρικός βραστήρας νερού με θερμοστάτη'),
      'Ηλεκτρικός βραστήρας...: € 39.90 -> € 34.50 https://e.example/a/7',
    )
    assert.deepEqual(shortLength('€[]'), { length: 6, room: 160 })
  })

  test('combining accents and soft hyphens do not force the 70-character limit', () => {
    const text = messageShort(messageOf({ items: [itemOf({ title: 'Cafe\u0301 Mu\u0308l\u00adler – “offen”' })] }))
    assert.equal(text, 'Café Müller - "offen": € 39.90 -> € 34.50 https://e.example/a/7')
    assert.equal(shortLength(text).room, 160)
  })
})
