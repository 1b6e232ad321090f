import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { profileOf, sourceOf } from '../../../test/watch/up-run.ts'
import type { Annotation } from '../../store/contracts/annotations.ts'
import { usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { postgresEngine } from '../../store/postgres/testkit/store.testkit.ts'
import { sqliteEngine } from '../../store/sqlite/testkit/store.testkit.ts'
import { type Stage, withStage } from './stage.testkit.ts'

usePostgres()

const article = [
  'The ministry of finance said on Monday that the java budget for next year grows by four percent.',
  'Most of the new money goes to schools, hospitals and the repair of bridges all over the country.',
  'Opposition parties called the plan a gift to builders and asked for a debate in parliament this week.',
]
/** The article with one word replaced in each sentence. */
const rewritten = [
  'The ministry of finance said on Monday that the java budget for next year rises by four percent.',
  'Most of the new money goes to schools, clinics and the repair of bridges all over the country.',
  'Opposition parties called the plan a present to builders and asked for a debate in parliament this week.',
]
const notice =
  'We use cookies and similar technologies to give you the best experience on our site, to measure its use and to show you java advertising that suits you. By clicking accept you agree that we and our 214 partners may store information on your device and read it.'
/** Boilerplate that no typical word gives away. */
const promise =
  'Every java machine that leaves our house was taken apart, cleaned and put together again by one of our eleven engineers, who sign their name inside of the case, and who will answer the telephone themselves should it ever give you reason to complain about it.'

const offers = ['A java kettle of steel, 34 euros', 'A java toaster for four, 20 euros', 'A java pan, 12 euros']

const html = (lines: readonly string[]): string => lines.map((line) => `<p>${line}</p>`).join('')

async function watchAll({ uri, put }: Stage): Promise<void> {
  const scope = { kind: 'pattern', source: '.' } as const
  await put(profileOf('java', 'ann@example.org', [sourceOf(uri, { depth: 3, scope })], { java: 4 }))
}

const alsoAtOf = async ({ annotations }: Stage, { id }: Annotation): Promise<number> =>
  (await annotations.find(id))!.alsoAt.length

for (const engine of [sqliteEngine, postgresEngine]) {
  const stage = (work: (stage: Stage) => Promise<void>) => withStage(engine, work)

  describe(`the same story on several pages (${engine.name})`, () => {
    test(
      'a rewritten article on another site joins the annotation, regardless of the text around it',
      stage(async (all) => {
        await watchAll(all)
        const [first] = await all.serve(`<nav>Home</nav>${html(article)}<footer><p>Daily Planet</p></footer>`)
        const there = `${html([notice, ...rewritten])}<div class="related">${html(['Ten more things'])}</div>`
        assert.deepEqual(await all.serve(there, { host: 1 }), [])
        assert.equal(await alsoAtOf(all, first!), 1)
        const another = [article[0]!, promise, ...offers.map((offer) => `${offer}, as they say in the south`)]
        assert.equal((await all.serve(html(another), { host: 2 })).length, 1)
      }),
    )

    test(
      'different offers with the same boilerplate stay apart, on several sites and on one',
      stage(async (all) => {
        await watchAll(all)
        for (const [n, text] of offers.entries())
          for (const shared of [notice, promise]) {
            const path = shared === notice ? '/cookies' : '/promise'
            assert.equal((await all.serve(html([text, shared]), { host: n, path })).length, 1, `${text} ${path}`)
          }
        for (const [n, text] of ['A java lamp, 5 euros', 'A java chair of oak, 90 euros', 'A java desk, 300'].entries())
          assert.equal((await all.serve(html([text, promise]), { host: 9, path: `/${n}` })).length, 1, `${text} on one`)
      }),
    )

    test(
      'pages of one template get separate annotations',
      stage(async (all) => {
        await watchAll(all)
        const names = ['Ada', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay']
        for (const [n, name] of names.entries()) {
          const text = [
            `In the java match of this evening ${name} won against a guest from the north in ${n + 3} rounds.`,
            `The hall was full to the last seat when ${name} came in, and ${n * 90 + 800} people stood up.`,
            `Next week ${name} plays again at the same place, and tickets are to be had for ${n + 11} euros.`,
          ]
          assert.equal((await all.serve(html(text), { path: `/${n}` })).length, 1, name)
        }
      }),
    )

    test(
      'a page that was split off stays apart, with its later versions',
      stage(async (all) => {
        await watchAll(all)
        const [first] = await all.serve(html(article))
        await all.serve(html(rewritten), { host: 1, title: 'There' })
        const { owner, id } = first!
        const [url] = (await all.annotations.find(id))!.alsoAt
        const split = await all.annotations.split({ owner, annotation: id, url: url!, at: 9 })
        assert.ok(split.kind === 'split')
        assert.deepEqual(
          split.fresh.map(({ title, cluster, url: own }) => [title, cluster, own]),
          [['There', 0, url]],
        )
        assert.equal(await alsoAtOf(all, first!), 0)
        const more = 'A java spokesman said late at night that nothing of this was decided yet, and hung up.'
        assert.equal((await all.serve(html([...article, more]))).length, 1)
        const [later] = await all.serve(html([...rewritten, more]), { host: 1 })
        assert.deepEqual([later?.url, later?.cluster], [url, 0])
        // Others are still joined.
        assert.deepEqual(await all.serve(html(rewritten), { host: 2 }), [])
      }),
    )
  })
}
