import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listChanges } from '../../archive/diff/change-list.ts'
import { learn, mutedBy, noNoise } from '../../core/change/noise/learning.ts'
import { readBlocks } from '../../core/text/blocks.ts'

type Options = { stable?: readonly number[]; undone?: ReadonlySet<string> }

/** What is told of each page after the first, as "before → after". */
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

describe('noise that is learned', () => {
  test('a line that varies in its numbers alone is quiet after two changes in a row', () => {
    const lines = [12, 15, 11, 19, 14].map((n) => `Queue at the gate: ${n} cars waiting`)
    assert.deepEqual(counts(paragraph(lines)), [1, 1, 0, 0])
  })

  test('numbers that were stable for a check in between stay news', () => {
    const lines = [12, 15, 11, 19, 14, 20].map((n) => `Queue at the gate: ${n} cars waiting`)
    assert.deepEqual(counts(paragraph(lines), { stable: [1, 2, 3, 4, 5] }), [1, 1, 1, 1, 1])
  })

  test('its words are news, and so is what follows until it is learned again', () => {
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

  test('a text that comes back after one check flips; one that was never there is news', () => {
    const lines = [
      'Our guests love the terrace',
      'Try the fish soup of our cook',
      'Our guests love the terrace',
      'Try the fish soup of our cook',
      'The cellar is being painted',
    ]
    assert.deepEqual(counts(paragraph(lines)), [1, 0, 0, 1])
  })

  test('a text that comes back after a quiet time is news', () => {
    const lines = ['The museum shows old maps', 'The museum shows photographs', 'The museum shows old maps']
    assert.deepEqual(counts(paragraph(lines), { stable: [1, 2] }), [1, 1])
  })

  test('prices, stock, states, versions, scores and event dates are news at every check', () => {
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
    ])
      assert.deepEqual(counts(paragraph(lines)), Array(lines.length - 1).fill(1), lines[0])
  })

  test('a headline is news however often it is another one', () => {
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

  test('a list that gets new items is news, at every check', () => {
    const pages = list(['a b c', 'd a b', 'e d a', 'f e d', 'g f e', 'h g f'])
    assert.ok(told(pages).every((each) => each.some((text) => text.startsWith(' → ') || text.includes('→ The'))))
  })

  test('among advertisements and suggestions two changes are enough', () => {
    for (const place of ['related-posts', 'ad-slot', 'most-read', 'youMayAlsoLike recommended'])
      assert.deepEqual(
        told(list(['one two', 'three four', 'five six', 'seven eight', 'nine ten'], place)).map(
          ({ length }) => length > 0,
        ),
        [true, true, false, false],
        place,
      )
  })

  test('a list that is shuffled goes quiet', () => {
    const pages = list(['a b c d e', 'c a e b d', 'b e a d c', 'e c d a b', 'a d b c e'])
    assert.deepEqual(
      told(pages).map(({ length }) => length > 0),
      [true, true, false, false],
    )
  })

  test('a paragraph that has other words at nearly every check goes quiet after four', () => {
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

  test('a new paragraph beside noise is told', () => {
    const lines = [1, 2, 3, 4, 5].map((n) => `Queue at the gate: ${n} cars`)
    const pages = paragraph(lines).map((page, k) => (k === 4 ? `${page}<p>The bridge closes on Friday.</p>` : page))
    assert.deepEqual(told(pages)[3], [' → The bridge closes on Friday.'])
  })

  test('what was undone is not learned again', () => {
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
