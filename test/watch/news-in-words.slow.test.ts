import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileInterests } from '../../src/matching/interests/compile-interests.ts'
import { matchNaively, noInterests } from '../../src/matching/match/naive-match.testkit.ts'
import { readDocument } from '../../src/matching/terms/document-terms.ts'
import type { Annotation } from '../../ui/src/api/types.ts'
import { until } from './up-run.ts'
import { engines, type Page, withWorld } from './world.ts'

const lines = (items: readonly Annotation[]): string[] => items.map(({ kind, summary }) => `${kind}: ${summary.text}`)

for (const [engine, start] of Object.entries(engines)) {
  test(`pages that disappear, return, redirect or need a sign-in are reported in words, on ${engine}`, async () => {
    const page: Page = { body: '<title>Ferry</title><p>The ferry leaves at noon.</p>' }
    await withWorld(start, { '/ferry': page, '/new': { body: '<p>The new ferry.</p>' } }, async (world) => {
      const { site, me, serve, told } = world
      await me.watch(`${site.origin}/ferry`)
      await me.visited()
      const ofFerry = async () => (await told()).filter(({ url }) => url.endsWith('/ferry'))
      const steps: [Page, string][] = [
        [{ body: '', status: 404 }, 'gone: Gone: the server says 404 (not found)'],
        [page, 'back: Back after less than a minute'],
        [{ body: '', status: 302, location: '/new' }, `gone: Now redirects to ${site.origin}/new`],
        [page, 'back: Back after less than a minute'],
        [{ body: 'Please sign in', status: 401 }, 'gone: Now needs a sign-in (401)'],
        [page, 'back: Back after less than a minute'],
      ]
      const expected: string[] = []
      for (const [next, line] of steps) {
        serve('/ferry', next)
        await me.checkAll()
        expected.push(line)
        await until(line, async () => (await ofFerry()).length >= expected.length)
        assert.deepEqual(lines(await ofFerry()), expected)
      }
      const others = (await told()).filter(({ url }) => !url.endsWith('/ferry'))
      assert.deepEqual(lines(others), ['new: The new ferry.'], 'where it leads to is told once')
    })
  })

  test(`interests are matched against the change, as in a naive evaluation, on ${engine}`, async () => {
    const old = 'The recall of last year is over.'
    const page = (...texts: string[]): Page => ({
      body: `<title>Shop</title><h1>Kettles</h1>${[old, ...texts].map((text) => `<p>${text}</p>`).join('')}`,
    })
    await withWorld(start, { '/': page('The shop is open.') }, async ({ site, me, serve, told }) => {
      const interests = {
        keywords: [
          { key: 'recall', weight: 3 },
          { key: 'kettles', weight: 1 },
        ],
        threshold: 3,
      }
      await me.watch(`${site.origin}/`, { name: 'change', interests })
      await me.watch(`${site.origin}/`, { name: 'page', interests: { ...interests, match: 'page' } })
      await me.visited()
      const ofChange = async () => (await told()).filter(({ profile }) => profile?.name === 'change')
      const relevanceOf = (text: string): number =>
        matchNaively(
          [[1, compileInterests({ ...noInterests, ...interests })]],
          readDocument({ url: `${site.origin}/`, title: 'Shop', text, hasBlocks: true }),
        )[0]?.relevance ?? 0

      serve('/', page('The shop is closed.'))
      await me.checkAll()
      await until('the page to be told', async () => (await told()).length === 1)
      assert.equal(relevanceOf('Kettles\nThe shop is closed.'), 0)
      assert.deepEqual(await ofChange(), [], 'an unrelated change')

      serve('/', page('The shop is closed.', 'A recall of lamps was announced.'))
      await me.checkAll()
      await until('the change to be told', async () => (await ofChange()).length === 1)
      const [item] = await ofChange()
      assert.deepEqual(lines([item!]), ['changed: + A recall of lamps was announced.'])
      assert.equal(item!.relevance, relevanceOf('Kettles\nA recall of lamps was announced.'))
      const { text, marks } = item!.summary
      assert.deepEqual(
        marks.map(([from, to]) => text.slice(from, to)),
        ['recall'],
      )
      const whole = await me.ask<Annotation>('GET', `/annotations/${item!.id}`)
      const { terms } = whole.explanation as {
        terms: { key: string; worth: number; places: { where: string; change: number; start: number; end: number }[] }[]
      }
      const shown = terms.map(({ key, worth, places }) => {
        const [{ where, change, start, end }] = places as [(typeof places)[0]]
        const of = whole.changes[change]!
        return [key, worth, where, (where === 'path' ? of.path : of.after!).slice(start, end)]
      })
      assert.deepEqual(shown, [
        ['recall', 3, 'change', 'recall'],
        ['kettles', 1, 'path', 'Kettles'],
      ])

      const draft = { name: 'draft', sources: [{ uri: `${site.origin}/` }], interests }
      const { examples } = await me.ask<{ examples: { version: number }[] }>('POST', '/profiles/preview', draft)
      const { items } = await me.ask<{ items: { id: number }[] }>('GET', `/documents/${item!.document}/versions`)
      assert.deepEqual(
        examples.map(({ version }) => items.findIndex(({ id }) => id === version)),
        [0, 2],
        'the preview follows the same rule: the change, and the page when it was new',
      )
    })
  })

  test(`feeds are reported by entry, JSON by path, and noise is muted, on ${engine}`, async () => {
    const feed = (...entries: [id: string, title: string, text: string][]): Page => ({
      type: 'application/rss+xml',
      body: `<rss version="2.0"><channel><title>Town news</title>${entries
        .map(
          ([id, title, text]) =>
            `<item><guid>${id}</guid><title>${title}</title><link>http://a.example/${id}</link><description>${text}</description></item>`,
        )
        .join('')}</channel></rss>`,
    })
    const json = (price: number, tag: string): Page => ({
      type: 'application/json',
      body: JSON.stringify({ offers: [{ sku: 'a', price }], tag }),
    })
    const queue = (cars: number, text: string): Page => ({
      body: `<title>Harbour</title><p>${text}</p><p>Cars in the queue: ${cars}</p>`,
    })
    const pages = { '/feed': feed(['1', 'Storm', 'It nears.']), '/data': json(39.9, 'x'), '/queue': queue(12, 'Calm.') }
    await withWorld(start, pages, async ({ site, me, serve, told }) => {
      for (const path of Object.keys(pages)) await me.watch(site.origin + path, { name: path })
      await me.visited()
      const toldOf = async (name: string) => (await told()).filter(({ profile }) => profile?.name === name)

      serve('/feed', feed(['2', 'Fair', 'It opens.'], ['1', 'Storm', 'It passes.']))
      serve('/data', json(34.5, 'x'))
      serve('/queue', queue(15, 'Calm.'))
      await me.checkAll()
      await until('the news', async () => (await told()).length >= 4)
      assert.deepEqual(
        (await toldOf('/feed'))
          .map(({ kind, title, entry, summary }) => [kind, title, entry?.link, summary.text])
          .sort(),
        [
          ['changed', 'Storm', 'http://a.example/1', 'Storm: It nears → passes.'],
          ['new', 'Fair', 'http://a.example/2', 'It opens.'],
        ],
      )
      assert.deepEqual(lines(await toldOf('/data')), ['changed: $.offers[sku=a].price: 39.9 → 34.5'])

      for (const cars of [11, 19, 14, 18]) {
        serve('/queue', queue(cars, 'Calm.'))
        await me.checkAll()
      }
      assert.deepEqual(lines(await toldOf('/queue')), [
        'changed: Cars in the queue: 12 → 15',
        'changed: Cars in the queue: 15 → 11',
      ])
      const source = (await me.sources()).find(({ uri }) => uri.endsWith('/queue'))!
      const { items } = await me.ask<{ items: { block: string; why: string; text: string; changes: number }[] }>(
        'GET',
        `/documents/${source.document}/muted`,
      )
      assert.deepEqual(
        items.map(({ why, text, changes }) => [why, text, changes]),
        [['only its numbers change, at nearly every check', 'Cars in the queue: 18', 3]],
      )
      serve('/queue', queue(13, 'A ship has arrived.'))
      await me.checkAll()
      await until('the words', async () => (await toldOf('/queue')).length === 3)
      assert.equal((await toldOf('/queue'))[2]!.summary.text, 'Calm → A ship has arrived.')

      await me.ask('PATCH', `/documents/${source.document}/muted/${items[0]!.block}`, { undone: 'you' })
      serve('/queue', queue(16, 'A ship has arrived.'))
      await me.checkAll()
      await until('what was undone', async () => (await toldOf('/queue')).length === 4)
      assert.equal((await toldOf('/queue'))[3]!.summary.text, 'Cars in the queue: 13 → 16')
    })
  })
}
