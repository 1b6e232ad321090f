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
  return {
    slot: 1,
    profile: profileOf(id, owner, [source], {}, { ignore }),
    source,
    uri: source.uri,
    urd,
    interests: null,
  }
}

const contentOf = (text: string | null, contentType = 'text/plain'): Content | null =>
  text === null ? null : { body: Buffer.from(text), contentType, omit: null }

describe('change for a profile that ignores part of the text', () => {
  const viewsOf = createChangeViews()
  const counter = recipientOf('counter', ['Visitors: \\d+'])
  const all = recipientOf('all', [])
  const changed = (before: string | null, after: string | null): VersionPair => ({
    before: contentOf(before),
    after: contentOf(after),
    tellApart: (changes) => ({ told: changes, noise: [] }),
  })

  /** Old and new texts of the reported changes. */
  function toldOf(change: VersionPair, recipient = counter) {
    const { change: seen } = viewsOf(change, budgets()).of(recipient)
    return seen === null
      ? null
      : seen.told.flatMap(({ before, after }) => [before, after].filter((text) => text !== undefined))
  }

  test('is empty if nothing else changed', () => {
    const change = changed('News\nVisitors: 1\nRain', 'News\nVisitors: 22\nRain')
    assert.deepEqual(toldOf(change), [])
    assert.deepEqual(toldOf(change, all), ['Visitors: 1', 'Visitors: 22'])
  })

  test('is shown without the ignored text if something else changed too', () => {
    const change = changed('News\nVisitors: 1. Rain', 'News\nVisitors: 22. Sun')
    assert.deepEqual(toldOf(change), ['. Rain', '. Sun'])
    assert.deepEqual(toldOf(change, all), ['Visitors: 1. Rain', 'Visitors: 22. Sun'])
  })

  test('an expression across several blocks is cut out of each, and empty blocks are dropped', () => {
    const change = (n: number) => `News\nOnline now: ${n}\n${n + 1} today\nRain`
    const both = recipientOf('both', ['now: \\d+\\s+\\d+ today'])
    assert.deepEqual(toldOf(changed(change(1), change(7)), both), [])
    const views = viewsOf(changed(change(1), change(7)), budgets())
    assert.equal(views.of(both).page?.blocks.length, 4, 'the page itself is whole')
  })

  test('is null if the page has no text or no other version to compare with', () => {
    for (const change of [changed(null, 'Visitors: 1'), changed('Visitors: 1', null)])
      assert.equal(toldOf(change), null)
    const picture = { ...changed('a', 'b'), after: contentOf('b', 'image/png') }
    const view = viewsOf(picture, budgets()).of(counter)
    assert.deepEqual([view.change, view.page], [null, null])
  })

  test('is shared by profiles that ignore the same', () => {
    const twin = recipientOf('twin', ['Visitors: \\d+'], 'bob@example.org')
    const views = viewsOf(changed('Visitors: 1\nRain', 'Visitors: 2\nSun'), budgets())
    assert.equal(views.of(counter), views.of(twin))
    assert.equal(views.of(counter).change, views.of(twin).change)
    assert.notEqual(views.of(counter), views.of(all))
  })

  test('beyond the work budget of an owner, profiles see the whole change and are reported', () => {
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

describe('change of a part of a page', () => {
  const html = (body: string): Content => ({
    ...contentOf(`<base href="/x/">${body}`, 'text/html')!,
    answer: { url: 'http://a.example/', status: 200, header: '' },
  })
  const page = (inside: string, outside: string, id = 'in') =>
    html(`<div id="${id}"><p>Files<a href="${inside}.pdf">Plan</a></p><p><img src="${inside}.png" alt="Map"></p></div>
      <p class="out"><a href="${outside}.pdf">Terms</a></p>`)
  function toldOf(before: Content, after: Content, parts: Partial<typeof source>, earlier?: Content) {
    const watched = { ...source, ...parts }
    const recipient = { ...recipientOf('part', []), source: watched }
    const tellApart: VersionPair['tellApart'] = (changes) => ({ told: changes, noise: [] })
    const views = createChangeViews()({ before, after, tellApart }, budgets())
    const view = views.of(recipient, earlier === undefined ? undefined : { versionId: 1, content: earlier })
    return { again: view.isMatchedAgain, told: view.change?.told.map(({ before, after }) => `${before} → ${after}`) }
  }

  test('includes changed links and images if they are watched', () => {
    const [old, next] = [page('a', 'a'), page('b', 'c')]
    const all = ['text', 'links', 'images'] as const
    assert.deepEqual(toldOf(old, next, { select: ['#in'], aspects: all }).told, [
      'Plan: a.pdf → Plan: b.pdf',
      'Map: a.png → Map: b.png',
    ])
    assert.deepEqual(toldOf(old, next, { select: ['#in'], omit: ['a'], aspects: all }).told, [
      'Map: a.png → Map: b.png',
    ])
    assert.deepEqual(toldOf(old, next, { select: ['#in'] }).told, ['Plan: a.pdf → Plan: b.pdf'])
    assert.deepEqual(toldOf(old, next, { omit: ['.out'] }).told, ['Plan: a.pdf → Plan: b.pdf'])
    assert.deepEqual(toldOf(old, next, { omit: ['div'] }).told, ['Terms: a.pdf → Terms: c.pdf'])
    assert.deepEqual(toldOf(old, next, { select: ['img'], aspects: ['images'] }).told, ['Map: a.png → Map: b.png'])
    assert.deepEqual(toldOf(old, next, { select: ['/Files/'] }).told, [], 'a pattern chooses text')
    assert.deepEqual(toldOf(old, next, { select: ['#in'], aspects: ['text'] }).told, [])
  })

  test('compares a reappearing part with the last version that had it', () => {
    const [old, without, next] = [page('a', 'a'), page('a', 'a', 'away'), page('b', 'a')]
    const whole = toldOf(without, next, { select: ['#in'] })
    assert.deepEqual(whole, { again: true, told: undefined })
    const since = toldOf(without, next, { select: ['#in'] }, old)
    assert.deepEqual(since, { again: false, told: ['Plan: a.pdf → Plan: b.pdf'] })
    assert.equal(toldOf(without, next, { select: ['#in'] }, without).again, true)
  })
})
