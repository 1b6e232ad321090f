import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { profileOf, sourceOf } from '../../../test/watch/up-run.ts'
import type { Annotation } from '../../store/contracts/annotations.ts'
import { usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { postgresEngine } from '../../store/postgres/testkit/store.testkit.ts'
import { sqliteEngine } from '../../store/sqlite/testkit/store.testkit.ts'
import { type Stage, withStage } from './stage.testkit.ts'

usePostgres()

const ann = 'ann@example.org'

const told = (made: readonly Annotation[]): string[] => made.map(({ profile, kind }) => `${profile} ${kind}`).sort()
const shop = (...lines: string[]): string =>
  `<h1>Shop</h1><h2>Kettle</h2>${lines.map((line) => `<p>${line}</p>`).join('')}`

for (const engine of [sqliteEngine, postgresEngine]) {
  const stage = (work: (stage: Stage) => Promise<void>) => withStage(engine, work)

  describe(`content of annotations (${engine.name})`, () => {
    test(
      '"match: change" needs a match in the change, "match: page" on the page or a new page',
      stage(async ({ uri, put, serve }) => {
        const source = sourceOf(uri)
        await put(
          profileOf('change', ann, [source], { recall: 1 }, { match: 'change' }),
          profileOf('page', ann, [source], { recall: 1 }, { match: 'page' }),
        )
        const warning = 'A recall of last year is over and done.'
        assert.deepEqual(told(await serve(shop(warning, 'It boils water.'))), ['change new', 'page new'])
        assert.deepEqual(told(await serve(shop(warning, 'It boils milk.'))), ['page changed'])
        const added = await serve(shop(warning, 'It boils milk.', 'Another recall was announced today.'))
        assert.deepEqual(told(added), ['change changed', 'page changed'])
        assert.deepEqual(told(await serve(shop('It boils milk.', 'Another recall was announced today.'))), [
          'page changed',
        ])
        const { summary, changes, explanation } = added.find(({ profile }) => profile === 'change')!
        assert.equal(summary.text, '+ Another recall was announced today.')
        assert.deepEqual(summary.marks, [[10, 16]])
        assert.deepEqual(changes, {
          list: [{ kind: 'added', path: 'Shop › Kettle', after: 'Another recall was announced today.' }],
          more: 0,
        })
        const { match, terms } = explanation as { match: string; terms: { key: string; places: unknown[] }[] }
        assert.equal(match, 'change')
        assert.deepEqual(
          terms.map(({ key, places }) => [key, places]),
          [['recall', [{ where: 'change', change: 0, start: 8, end: 14 }]]],
        )
      }),
    )

    test(
      'headings above a change are matched too, and the whole page if the earlier version is lost',
      stage(async ({ uri, put, serve, lose }) => {
        await put(
          profileOf('heading', ann, [sourceOf(uri)], { kettle: 1, milk: 1 }, { threshold: 2 }),
          profileOf('word', ann, [sourceOf(uri)], { water: 1 }),
        )
        await serve(shop('It boils water.', 'It is blue.'))
        const [made, ...others] = await serve(shop('It boils milk.', 'It is blue.'))
        assert.deepEqual([made!.profile, others], ['heading', []])
        const { terms } = made!.explanation as { terms: { places: { where: string }[] }[] }
        assert.deepEqual(terms.flatMap(({ places }) => places.map(({ where }) => where)).sort(), ['change', 'path'])
        await lose()
        assert.deepEqual(told(await serve(shop('Milk and water.', 'It is blue.'))), ['heading changed', 'word changed'])
        await lose()
        const [whole] = await serve(shop('Milk and water.', 'It is red.'))
        assert.deepEqual(whole!.changes, { list: [], more: 0 })
      }),
    )

    test(
      'the summary reads old → new, and the list has the changes in order, up to a limit',
      stage(async ({ uri, put, serve }) => {
        await put(profileOf('all', ann, [sourceOf(uri, { process: 'track' })], {}))
        await serve(shop('€ 39.90', 'In stock', 'Boils water.'))
        const [made] = await serve(shop('€ 34.50', 'Only 3 left', 'Boils water.'))
        assert.equal(made!.summary.text, '€ 39.90 → € 34.50 · In stock → Only 3 left')
        assert.equal(made!.summary.parts!.map(({ text }) => text).join(''), made!.summary.text)
        assert.deepEqual(
          made!.changes.list.map(({ kind, path, before, after }) => [kind, path, before, after]),
          [
            ['changed', 'Shop › Kettle', '€ 39.90', '€ 34.50'],
            ['changed', 'Shop › Kettle', 'In stock', 'Only 3 left'],
          ],
        )
        const [removed] = await serve(shop('€ 34.50', 'Only 3 left'))
        assert.equal(removed!.summary.text, '− Boils water.')
        assert.deepEqual(await serve(`${shop('€ 34.50', 'Only 3 left')}<p hidden>seen by nobody</p>`), [])
        const many = Array.from({ length: 60 }, (_, n) => `line ${n} ${'x'.repeat(1000)}`)
        const [long] = await serve(shop(...many))
        assert.equal(long!.changes.list.length, 20)
        assert.ok(long!.changes.more >= 40)
        for (const { before = '', after = '' } of long!.changes.list)
          assert.ok(before.length <= 500 && after.length <= 500)
      }),
    )

    test(
      'the summary says if a page is gone, redirected, behind a sign-in or back',
      stage(async ({ uri, put, serve, gone }) => {
        await put(
          profileOf('all', ann, [sourceOf(uri, { process: 'track' })], {}),
          profileOf('some', ann, [sourceOf(uri)], { water: 1 }),
        )
        const day = 86_400_000
        await serve(shop('It boils water.'), { at: day })
        const textOf = (made: Annotation[]): string[] => [...new Set(made.map(({ summary }) => summary.text))].sort()
        assert.deepEqual(textOf(await gone({ at: 2 * day, status: 404 })), ['Gone: the server says 404 (not found)'])
        const back = await serve(shop('It boils water.'), { at: 5 * day + 7 })
        assert.deepEqual(textOf(back), ['Back after 3 days', 'Back after 3 days · … It boils water.'])
        const { summary } = back.find(({ profile }) => profile === 'some')!
        assert.deepEqual(
          summary.marks.map(([from, to]) => summary.text.slice(from, to)),
          ['water'],
        )
        const moved = await gone({ status: 301, location: 'http://b.example/' })
        assert.deepEqual(textOf(moved), ['Now redirects to http://b.example/'])
        await serve(shop('It boils water.'))
        assert.deepEqual(textOf(await gone({ status: 401 })), ['Now needs a sign-in (401)'])
      }),
    )

    test(
      'each new or edited feed entry gets its own annotation, with its title and link',
      stage(async ({ uri, put, serve }) => {
        await put(
          profileOf('all', ann, [sourceOf(uri, { process: 'track' })], {}),
          profileOf('rain', ann, [sourceOf(uri)], { rain: 1 }),
        )
        const entry = (id: string, title: string, text: string): string =>
          `<item><guid>${id}</guid><title>${title}</title><link>http://news.example/${id}</link><description>${text}</description></item>`
        const feed = (...entries: string[]): string =>
          `<?xml version="1.0"?><rss version="2.0"><channel><title>Weather</title>${entries.join('')}</channel></rss>`
        const given = { type: 'application/rss+xml', title: 'Weather' }
        const one = entry('one', 'Rain', 'It rains in the north.')
        const first = await serve(feed(one, entry('two', 'Sun', 'The sun shines.')), given)
        assert.deepEqual(told(first), ['all new', 'all new', 'rain new'])
        const next = await serve(
          feed(entry('three', 'More rain', 'In the south, too.'), one, entry('two', 'Sun', 'The sun sets.')),
          given,
        )
        assert.deepEqual(
          next.map(({ profile, kind, title, entry, link, channel }) => [profile, kind, title, entry, link, channel]),
          [
            ['all', 'new', 'More rain', 'three', 'http://news.example/three', 'Weather'],
            ['all', 'changed', 'Sun', 'two', 'http://news.example/two', 'Weather'],
            ['rain', 'new', 'More rain', 'three', 'http://news.example/three', 'Weather'],
          ],
        )
        assert.match(next[1]!.summary.text, /shines → sets/)
        assert.deepEqual(await serve(feed(one), given), [], 'what leaves a feed is no news')
      }),
    )
  })
}
