import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangingPage } from '../site/handler-site.ts'
import { profileOf, sourceOf } from './up-run.ts'
import { withWatching } from './watching.ts'

const ann = 'ann@example.org'

function shop(price: string, visitors: number, kind = 'price'): string {
  return `Kettle</p><p>Now <b class="${kind}">${price}</b></p><p>${visitors} visitors today</p><p>In stock, ships ${visitors}`
}

test('only the selected part counts, and a selector that matches nothing is reported once', async () => {
  const pages: Record<string, ChangingPage> = { '/kettle': { words: shop('39.90', 1) } }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, annotations, query }) => {
    const source = { ...sourceOf(`${news.origin}/kettle`), process: 'track' as const }
    await put(
      profileOf('part', ann, [{ ...source, select: ['.price'] }], {}),
      profileOf('rest', ann, [{ ...source, omit: ['.price, .cost', '/visitors|ships/'] }], {}),
      profileOf('never', ann, [{ ...source, select: ['#nowhere'] }], {}),
    )
    begin()
    await checked()
    const selected = (profile: string) =>
      query(`SELECT selected, selected_since > 0 AS since FROM urds WHERE profile = '${profile}'`).map((row) => ({
        ...row,
      }))
    assert.deepEqual(selected('part'), [{ selected: 'some', since: 1 }])
    assert.deepEqual(selected('rest'), [{ selected: '', since: 0 }])
    assert.deepEqual(selected('never'), [{ selected: 'nothing', since: 1 }], 'at the first check')
    const told = async () =>
      (await annotations())
        .filter(({ backlog }) => !backlog)
        .map(({ profile, summary }) => `${profile}: ${summary.text}`)
    const first = ['never: Nothing on the page matches “#nowhere”']
    assert.deepEqual(await told(), first)

    const steps: [words: string, told: string[]][] = [
      [shop('39.90', 2), []],
      [shop('34.50', 3), ['part: 39.90 → 34.50']],
      [shop('34.50', 4, 'cost'), ['part: Nothing on the page matches “.price”']],
      [shop('33.00', 5, 'cost'), []],
      [shop('29.00', 6), ['part: 34.50 → 29.00']],
      [shop('28.00', 7), ['part: 29.00 → 28.00']],
    ]
    const expected = [...first]
    for (const [words, news] of steps) {
      pages['/kettle']!.words = words
      await checked(2)
      expected.push(...news)
      assert.deepEqual(await told(), expected, words)
      assert.deepEqual(selected('part')[0]!.selected, words.includes('cost') ? 'nothing' : 'some')
    }
  })
})

test('selectors saved later are applied even if the page does not change', async () => {
  const pages: Record<string, ChangingPage> = { '/kettle': { words: shop('39.90', 1) } }
  await withWatching({ pages: [pages] }, async ({ news, put, begin, checked, annotations, query }) => {
    const source = { ...sourceOf(`${news.origin}/kettle`), process: 'track' as const }
    await put(profileOf('part', ann, [source], {}))
    begin()
    await checked()
    const count = (await annotations()).length
    await put(profileOf('part', ann, [{ ...source, select: ['.prize'] }], {}))
    await checked(2)
    assert.equal((query('SELECT selected FROM urds')[0] as { selected: string }).selected, 'nothing')
    await put(profileOf('part', ann, [{ ...source, select: ['.price'] }], {}))
    await checked(2)
    assert.equal((query('SELECT selected FROM urds')[0] as { selected: string }).selected, 'some')
    assert.equal((await annotations()).length, count, 'the version had its annotation already')
  })
})
