import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { profileOf, sourceOf } from '../../../test/watch/up-run.ts'
import { createOwnerBudgets, createWorkBudget } from '../../core/work/work-budget.ts'
import { createChangeViews, type TextChange } from './change-view.ts'
import type { Recipient } from './recipients.ts'

const source = sourceOf('http://a.example/', { process: 'track' })
const notAside = { aside: '', asideUrl: '' } as const
const budgets = () => createOwnerBudgets(() => createWorkBudget(20_000_000))

function recipientOf(id: string, ignore: readonly string[], owner = 'ann@example.org'): Recipient {
  const urd = { id: 1, profile: id, place: 0, watch: 1, visitedAt: 1, paused: false, muted: false, ...notAside }
  return { slot: 1, profile: profileOf(id, owner, [source], {}, { ignore }), source, urd, interests: null }
}

describe('a change for a profile that ignores part of the text', () => {
  const viewsOf = createChangeViews()
  const counter = recipientOf('counter', ['Visitors: \\d+'])
  const all = recipientOf('all', [])
  const changed = (before: string | null, after: string | null): TextChange => ({ reason: 'changed', before, after })

  function viewOf(change: TextChange, recipient = counter) {
    return viewsOf(change, budgets()).of(recipient)
  }

  test('is none where nothing else changed', () => {
    const change = changed('News\nVisitors: 1\nRain', 'News\nVisitors: 22\nRain')
    assert.equal(viewOf(change).isIgnored, true)
    assert.equal(viewOf(change, all).isIgnored, false)
    assert.equal(viewOf(change, all).describe().summary.text, '22')
  })

  test('is shown without it where something else changed as well', () => {
    const change = changed('News\nVisitors: 1\nRain', 'News\nVisitors: 22\nSun')
    const view = viewOf(change)
    assert.equal(view.isIgnored, false)
    assert.deepEqual(view.describe(), {
      summary: { text: 'Sun', marks: [[0, 3]] },
      explanation: { tracked: true, added: 1, removed: 1 },
    })
    assert.deepEqual(viewOf(change, all).describe().explanation, { tracked: true, added: 2, removed: 2 })
  })

  test('of new and returned pages, of pages without a text, and where nothing can be compared, there is always a description', () => {
    const texts = { before: 'Visitors: 1', after: 'Visitors: 2' }
    assert.equal(viewOf({ reason: 'back', ...texts }).isIgnored, false)
    assert.equal(viewOf({ reason: 'back', before: 'Rain', after: 'Rain' }, all).describe().summary.text, 'Rain')
    assert.equal(viewOf({ reason: 'new', before: null, after: 'Visitors: 2\nRain' }).describe().summary.text, 'Rain')
    for (const change of [changed(null, 'Visitors: 1'), changed('Visitors: 1', null), changed('a', 'a')])
      assert.equal(viewOf(change).isIgnored, false)
  })

  test('is the same for all with the same list', () => {
    const twin = recipientOf('twin', ['Visitors: \\d+'], 'bob@example.org')
    const views = viewsOf(changed('Visitors: 1\nRain', 'Visitors: 2\nSun'), budgets())
    assert.equal(views.of(counter), views.of(twin))
    assert.notEqual(views.of(counter), views.of(all))
  })

  test('profiles of one owner share their work; beyond it they see the whole change and are named, and others have their own', () => {
    const tail = 'x'.repeat(400_000)
    const change = changed(`${tail} Visitors: 1`, `${tail} Visitors: 2`)
    const many = Array.from({ length: 100 }, (_, n) =>
      recipientOf(`many ${n}`, ['Visitors: \\d+', `${n}`], 'eve@example.org'),
    )
    const views = viewsOf(change, budgets())
    const seen = many.map((recipient) => views.of(recipient).isIgnored)
    assert.equal(views.of(counter).isIgnored, true)
    assert.deepEqual([seen[0], seen.at(-1)], [true, false])
    assert.deepEqual(
      views.tooExpensive(),
      many.filter((_, n) => !seen[n]),
    )
  })
})
