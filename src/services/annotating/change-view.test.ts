import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { profileOf, sourceOf } from '../../../test/watch/up-run.ts'
import { createOwnerBudgets, createWorkBudget } from '../../core/work/work-budget.ts'
import { createChangeViews, type VersionPair } from './change-view.ts'
import type { Recipient } from './recipients.ts'
import type { Content } from './source-blocks.ts'

const source = sourceOf('http://a.example/', { process: 'track' })
const notAside = { aside: '', asideUrl: '', selected: '', selectedSince: 0, selectedVersion: 0 } as const
const budgets = () => createOwnerBudgets(() => createWorkBudget(20_000_000))

function recipientOf(id: string, ignore: readonly string[], owner = 'ann@example.org'): Recipient {
  const urd = { id: 1, profile: id, place: 0, watch: 1, visitedAt: 1, paused: false, muted: false, ...notAside }
  return { slot: 1, profile: profileOf(id, owner, [source], {}, { ignore }), source, urd, interests: null }
}

const contentOf = (text: string | null, contentType = 'text/plain'): Content | null =>
  text === null ? null : { body: Buffer.from(text), contentType, omit: null }

describe('a change for a profile that ignores part of the text', () => {
  const viewsOf = createChangeViews()
  const counter = recipientOf('counter', ['Visitors: \\d+'])
  const all = recipientOf('all', [])
  const changed = (before: string | null, after: string | null): VersionPair => ({
    before: contentOf(before),
    after: contentOf(after),
    tellApart: (changes) => ({ told: changes, noise: [] }),
  })

  /** Old and new texts of what is told. */
  function toldOf(change: VersionPair, recipient = counter) {
    const { change: seen } = viewsOf(change, budgets()).of(recipient)
    return seen === null
      ? null
      : seen.told.flatMap(({ before, after }) => [before, after].filter((text) => text !== undefined))
  }

  test('is none where nothing else changed', () => {
    const change = changed('News\nVisitors: 1\nRain', 'News\nVisitors: 22\nRain')
    assert.deepEqual(toldOf(change), [])
    assert.deepEqual(toldOf(change, all), ['Visitors: 1', 'Visitors: 22'])
  })

  test('is shown without it where something else changed as well', () => {
    const change = changed('News\nVisitors: 1. Rain', 'News\nVisitors: 22. Sun')
    assert.deepEqual(toldOf(change), ['. Rain', '. Sun'])
    assert.deepEqual(toldOf(change, all), ['Visitors: 1. Rain', 'Visitors: 22. Sun'])
  })

  test('an expression that reaches over several blocks cuts each, and a block with nothing left is none', () => {
    const change = (n: number) => `News\nOnline now: ${n}\n${n + 1} today\nRain`
    const both = recipientOf('both', ['now: \\d+\\s+\\d+ today'])
    assert.deepEqual(toldOf(changed(change(1), change(7)), both), [])
    const views = viewsOf(changed(change(1), change(7)), budgets())
    assert.equal(views.of(both).page?.blocks.length, 4, 'the page itself is whole')
  })

  test('of pages without a text, and where nothing can be compared, there is none, and the page counts as a whole', () => {
    for (const change of [changed(null, 'Visitors: 1'), changed('Visitors: 1', null)])
      assert.equal(toldOf(change), null)
    const picture = { ...changed('a', 'b'), after: contentOf('b', 'image/png') }
    const view = viewsOf(picture, budgets()).of(counter)
    assert.deepEqual([view.change, view.page], [null, null])
  })

  test('is the same for all with the same list', () => {
    const twin = recipientOf('twin', ['Visitors: \\d+'], 'bob@example.org')
    const views = viewsOf(changed('Visitors: 1\nRain', 'Visitors: 2\nSun'), budgets())
    assert.equal(views.of(counter), views.of(twin))
    assert.equal(views.of(counter).change, views.of(twin).change)
    assert.notEqual(views.of(counter), views.of(all))
  })

  test('profiles of one owner share their work; beyond it they see the whole change and are named, and others have their own', () => {
    const tail = 'x'.repeat(400_000)
    const change = changed(`${tail} Visitors: 1`, `${tail} Visitors: 2`)
    const many = Array.from({ length: 100 }, (_, n) =>
      recipientOf(`many ${n}`, ['Visitors: \\d+', `${n}`], 'eve@example.org'),
    )
    const views = viewsOf(change, budgets())
    const isQuiet = (recipient: Recipient): boolean => views.of(recipient).change?.told.length === 0
    const seen = many.map(isQuiet)
    assert.equal(isQuiet(counter), true)
    assert.deepEqual([seen[0], seen.at(-1)], [true, false])
    assert.deepEqual(
      views.tooExpensive(),
      many.filter((_, n) => !seen[n]),
    )
  })
})
