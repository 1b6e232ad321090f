import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listChanges } from '../../archive/diff/change-list.ts'
import { learn, mutedBy, noNoise } from '../../core/change/noise/learning.ts'
import { readBlocks } from '../../core/text/blocks.ts'

type Options = { stable?: readonly number[]; undone?: ReadonlySet<string> }

/** The changes reported for each page after the first, as "before → after". */
function told(pages: readonly string[], { stable = [], undone = new Set() }: Options = {}): string[][] {
  const read = (page: string) => readBlocks(Buffer.from(`<!doctype html>${page}`), { contentType: 'text/html' })!
  let state = noNoise
  return pages.slice(1).map((page, k) => {
    const { changes } = listChanges(read(pages[k]!), read(page))
    const n = k + 2
    state = learn(state, { n, at: n * 1000, wasStable: stable.includes(k + 1), changes, undone })
    assert.deepEqual(learn(state, { n, at: n * 1000, wasStable: false, changes, undone }), state)
    assert.ok(JSON.stringify(state).length < 60_000)
    const muted = mutedBy(JSON.parse(JSON.stringify(state)), n)
    return changes.flatMap((change) =>
      muted(change) === null ? [`${change.before ?? ''} → ${change.after ?? ''}`] : [],
    )
  })
}

const article = '<h1>Bridges</h1><p>The bridge over the river was built of stone and carries two lanes of traffic.</p>'
const counts = (pages: readonly string[], options?: Options) => told(pages, options).map(({ length }) => length)
const paragraph = (texts: readonly string[]) => texts.map((text) => `${article}<p>${text}</p>`)
const list = (lists: readonly string[], at = 'ul') =>
  lists.map(
    (items) =>
      `${article}<div class="${at}"><ul>${items
        .split(' ')
        .map((item) => `<li>The story of ${item}</li>`)
        .join('')}</ul></div>`,
  )

describe('learned noise', () => {
  test('a line that only varies in its numbers is muted after two changes in a row', () => {
    const lines = [12, 15, 11, 19, 14].map((n) => `Queue at the gate: ${n} cars waiting`)
    assert.deepEqual(counts(paragraph(lines)), [1, 1, 0, 0])
  })

  test('numbers that are stable for a check in between are always reported', () => {
    const lines = [12, 15, 11, 19, 14, 20].map((n) => `Queue at the gate: ${n} cars waiting`)
    assert.deepEqual(counts(paragraph(lines), { stable: [1, 2, 3, 4, 5] }), [1, 1, 1, 1, 1])
  })

  test('changed words in a muted line are reported, and so is the next change', () => {
    const lines = [
      'Queue: 12 cars',
      'Queue: 13 cars',
      'Queue: 15 cars',
      'Queue: 16 cars',
      'Barrier broken',
      'Queue: 9 cars',
    ]
    assert.deepEqual(counts(paragraph(lines)), [1, 1, 0, 1, 1])
  })

  test('a text that returns after one check is muted as flipping; a text not seen before is reported', () => {
    const lines = [
      'Our guests love the terrace',
      'Try the fish soup of our cook',
      'Our guests love the terrace',
      'Try the fish soup of our cook',
      'The cellar is being painted',
    ]
    assert.deepEqual(counts(paragraph(lines)), [1, 0, 0, 1])
  })

  test('a text that returns after a stable time is reported', () => {
    const lines = ['The museum shows old maps', 'The museum shows photographs', 'The museum shows old maps']
    assert.deepEqual(counts(paragraph(lines), { stable: [1, 2] }), [1, 1])
  })

  test('prices, stock, states, versions, scores and event dates are always reported', () => {
    for (const lines of [
      ['€ 12.00', '€ 13.00', '€ 12.00', '€ 14.00', '€ 12.00', '€ 13.00'],
      ['Only 3 left', 'Only 2 left', 'Only 3 left', 'Only 1 left', 'Sold out', 'Only 3 left'],
      ['The pool is open', 'The pool is closed', 'The pool is open', 'The pool is closed', 'The pool is open'],
      ['Version 1.2.0', 'Version 1.2.1', 'Version 1.2.2', 'Version 1.3.0', 'Version 1.2.0'],
      ['Home 0:0 Away', 'Home 1:0 Away', 'Home 1:1 Away', 'Home 2:1 Away', 'Home 2:2 Away'],
      [
        'Concert on 3 May 2027',
        'Concert on 4 May 2027',
        'Concert on 6 May 2027',
        'Concert on 9 May 2027',
        'Concert on 11 May 2027',
      ],
      ['(555) 010-1214', '(555) 010-1224', '(555) 010-1234', '(555) 010-1244', '(555) 010-1254'],
      ['Open daily until 5 pm', 'Open daily until 6 pm', 'Open daily until 7 pm', 'Open daily until 8 pm'],
      ['Departure 14:09', 'Departure 14:18', 'Departure 14:27', 'Departure 14:36'],
      ['Lecture at 11:15', 'Lecture at 12:15', 'Lecture at 13:15', 'Lecture at 14:15'],
      ['Delivery time: 3 days', 'Delivery time: 4 days', 'Delivery time: 5 days', 'Delivery time: 6 days'],
      ['Minimum age: 14', 'Minimum age: 15', 'Minimum age: 16', 'Minimum age: 18'],
      ['Interest rate: 1.25 %', 'Interest rate: 2.25 %', 'Interest rate: 3 %', 'Interest rate: 3.5 %'],
      ['Flood level 1', 'Flood level 2', 'Flood level 3', 'Flood level 4'],
      ['Flight AB 123: gate B11', 'Flight AB 123: gate B12', 'Flight AB 123: gate B14', 'Flight AB 123: gate B2'],
      ['11 Baker Street', '12 Baker Street', '14 Baker Street', '18 Baker Street'],
      ['Annual report 2021', 'Annual report 2022', 'Annual report 2023', 'Annual report 2024'],
      ['Latest stable kernel: 6.1', 'Latest stable kernel: 6.2', 'Latest stable kernel: 6.3'],
      ['499 kr', '489 kr', '479 kr', '469 kr', '459 kr'],
    ])
      assert.deepEqual(counts(paragraph(lines)), Array(lines.length - 1).fill(1), lines[0])
  })

  test('a headline is reported however often it changes', () => {
    const pages = [
      'Mayor resigns',
      'Storm hits coast',
      'Team wins cup',
      'Tram line opens',
      'School burns',
      'Museum robbed',
    ].map((title) => `<h2>${title}</h2>${article}`)
    assert.deepEqual(counts(pages), [1, 1, 1, 1, 1])
  })

  test('new items of a list are always reported', () => {
    const pages = list(['a b c', 'd a b', 'e d a', 'f e d', 'g f e', 'h g f'])
    assert.ok(told(pages).every((each) => each.some((text) => text.startsWith(' → ') || text.includes('→ The'))))
  })

  test('advertisements and suggestions are muted after two changes', () => {
    for (const place of ['related-posts', 'ad-slot', 'most-read', 'youMayAlsoLike recommended'])
      assert.deepEqual(
        told(list(['one two', 'three four', 'five six', 'seven eight', 'nine ten'], place)).map(
          ({ length }) => length > 0,
        ),
        [true, true, false, false],
        place,
      )
  })

  test('a shuffled list is muted', () => {
    const pages = list(['a b c d e', 'c a e b d', 'b e a d c', 'e c d a b', 'a d b c e'])
    assert.deepEqual(
      told(pages).map(({ length }) => length > 0),
      [true, true, false, false],
    )
  })

  test('reordered names in a line and moved items among flipping texts are muted', () => {
    const line = (names: string) => [...names].map((name) => `${name}dam`).join(' | ')
    assert.deepEqual(
      counts(paragraph(['ABCDE', 'BADCE', 'ECDAB', 'DCBEA', 'AEBCD'].map((names) => `Partners: ${line(names)}`))),
      [1, 1, 0, 0],
    )
    const pages = list(['a b c', 'd e c', 'a b c', 'c a', 'b a c'])
    assert.deepEqual(
      told(pages)
        .map(({ length }) => length > 0)
        .slice(2),
      [false, false],
    )
  })

  test('a bare date, short durations, hashes and similar values are muted like numbers', () => {
    for (const lines of [
      ['2026-11-11', '2026-11-12', '2026-11-13', '2026-11-14'],
      [
        'Monday, 9 November 2026',
        'Tuesday, 10 November 2026',
        'Wednesday, 11 November 2026',
        'Friday, 13 November 2026',
      ],
      ['Ann · 6m', 'Ann · 59m', 'Ann · 1h', 'Ann · 2h'],
      ['Hello, visitor d42505!', 'Hello, visitor 85d215!', 'Hello, visitor 1a2b22!', 'Hello, visitor e4b891!'],
      ['node-29', 'node-4', 'node-3', 'node-22'],
      ['Bern 29° Fog', 'Bern 4° Light snow', 'Bern 3° Rain', 'Bern 22° Sunny'],
      ['v2 running at 12 nodes', 'v2 running at 14 nodes', 'v2 running at 11 nodes', 'v2 running at 19 nodes'],
    ])
      assert.deepEqual(counts(paragraph(lines)), [1, 1, 0], lines[0])
  })

  test('a number in a table is muted later than a number in a line', () => {
    const pages = [120, 131, 118, 140, 122, 133].map(
      (n) => `${article}<table><tr><td>Old mill</td><td>${n}</td></tr></table>`,
    )
    assert.deepEqual(counts(pages), [1, 1, 1, 1, 0])
  })

  test('texts labelled as a tip, an advertisement or a captcha are muted after two changes', () => {
    const words = ['apples grow', 'rivers freeze', 'wolves sing', 'lamps glow', 'winds turn']
    for (const label of ['Tip: ', 'Advertisement – ', 'Quote of the day: ', 'Type the word: ', 'Online now: '])
      assert.deepEqual(counts(paragraph(words.map((each) => label + each))), [1, 1, 0, 0], label)
  })

  test('a price among advertisements is reported only if it comes with the product name', () => {
    const shown = (name: string, price: string) =>
      `${article}<div class="sponsored"><p>${name}</p><p>$${price}</p></div><div class="ad-banner-728x90"><p>Big ${name} sale</p></div>`
    assert.deepEqual(
      told([shown('Kettle', '19.99'), shown('Lamp', '7.50'), shown('Chair', '49.00'), shown('Rug', '99.00')]).map(
        ({ length }) => length > 0,
      ),
      [true, true, false],
    )
    const priced = (price: string) => `${article}<div class="sponsored"><p>Kettle $${price}</p></div>`
    assert.deepEqual(counts([priced('19'), priced('18'), priced('17'), priced('16')]), [1, 1, 1])
  })

  test('a paragraph with different words at every check is muted after four changes', () => {
    const words = [
      'apples grow',
      'rivers freeze',
      'wolves sing',
      'lamps glow',
      'winds turn',
      'clocks stop',
      'doors creak',
    ]
    assert.deepEqual(
      counts(paragraph(words.map((each) => `Thought: ${each} in a way that only poets know`))),
      [1, 1, 1, 1, 0, 0],
    )
  })

  test('a new paragraph next to muted text is reported', () => {
    const lines = [1, 2, 3, 4, 5].map((n) => `Queue at the gate: ${n} cars`)
    const pages = paragraph(lines).map((page, k) => (k === 4 ? `${page}<p>The bridge closes on Friday.</p>` : page))
    assert.deepEqual(told(pages)[3], [' → The bridge closes on Friday.'])
  })

  test('unmuted blocks are not muted again', () => {
    const pages = paragraph([12, 15, 11, 19, 14].map((n) => `Queue at the gate: ${n} cars`))
    const read = (page: string) => readBlocks(Buffer.from(page), { contentType: 'text/html' })!
    let state = noNoise
    for (let k = 1; k < 4; k++) {
      const { changes } = listChanges(read(pages[k - 1]!), read(pages[k]!))
      state = learn(state, { n: k + 1, at: k, wasStable: false, changes, undone: new Set() })
    }
    const ids = new Set(state.blocks.filter(({ why }) => why !== '').map(({ id }) => id))
    assert.equal(ids.size, 1)
    assert.deepEqual(counts(pages, { undone: ids }), [1, 1, 1, 1])
  })
})
