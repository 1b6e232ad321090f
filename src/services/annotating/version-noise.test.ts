import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { profileOf, sourceOf } from '../../../test/watch/up-run.ts'
import { mutedBlocks } from '../../core/change/noise/muted-block.ts'
import { usePostgres } from '../../store/postgres/testkit/postgres.testkit.ts'
import { postgresEngine } from '../../store/postgres/testkit/store.testkit.ts'
import { sqliteEngine } from '../../store/sqlite/testkit/store.testkit.ts'
import { type Stage, withStage } from './stage.testkit.ts'

usePostgres()

const ann = 'ann@example.org'
const ben = 'ben@example.org'
const page = (...lines: string[]): string =>
  `<h1>Ferry</h1><p>Boats cross the bay all year.</p>${lines.map((line) => `<p>${line}</p>`).join('')}`
const queue = (n: number): string => page(`Queue at the pier: ${n} cars`)

for (const engine of [sqliteEngine, postgresEngine]) {
  const stage = (work: (stage: Stage) => Promise<void>) => withStage(engine, work)

  describe(`noise (${engine.name})`, () => {
    test(
      'a changing count is muted with a reason, its versions are kept, and unmuting reports it again',
      stage(async ({ uri, put, serve, versions, annotations, history }) => {
        const source = sourceOf(uri, { process: 'track' })
        await put(profileOf('anns', ann, [source], {}), profileOf('bens', ben, [source], {}))
        const made: number[] = []
        for (const n of [12, 14, 11, 19, 13]) made.push((await serve(queue(n))).length)
        assert.deepEqual(made, [2, 2, 2, 0, 0])
        const all = await history()
        assert.deepEqual(
          all.map(({ n, notice }) => [n, notice]),
          [
            [1, 'notified'],
            [2, 'notified'],
            [3, 'notified'],
            [4, 'noise'],
            [5, 'noise'],
          ],
        )
        const { documentId } = all[0]!
        const muted = async (owner = ann) => {
          const { state, undone } = await versions.noise(documentId)
          return mutedBlocks(state, undone, owner)
        }
        const [block, ...others] = await muted()
        assert.deepEqual(others, [])
        assert.deepEqual(
          { ...block, block: '' },
          {
            block: '',
            reason: 'numbers',
            why: 'only its numbers change, at nearly every check',
            text: 'Queue at the pier: 13 cars',
            path: 'Ferry',
            since: all[3]!.firstSeenAt,
            changes: 2,
            undone: null,
          },
        )
        const hers = { documentId, block: block!.block, owner: ann }
        await annotations.unmute({ ...hers, at: 1 })
        assert.deepEqual([(await muted())[0]!.undone, (await muted(ben))[0]!.undone], ['you', null])
        assert.deepEqual(
          (await serve(queue(22))).map(({ profile }) => profile),
          ['anns'],
        )
        await annotations.muteAgain(hers)
        assert.deepEqual(await serve(queue(23)), [])
        await annotations.unmute({ ...hers, owner: '', at: 2 })
        for (const n of [24, 25, 26, 27]) assert.equal((await serve(queue(n))).length, 2)
      }),
    )

    test(
      'only news next to noise is reported, and changed words of the noise are news',
      stage(async ({ uri, put, serve }) => {
        await put(profileOf('all', ann, [sourceOf(uri, { process: 'track' })], {}))
        for (const n of [12, 14, 11, 19]) await serve(queue(n))
        const [made] = await serve(page('Queue at the pier: 15 cars', 'The last boat leaves at noon.'))
        assert.equal(made!.summary.text, '+ The last boat leaves at noon.')
        const [closed] = await serve(page('The pier is closed', 'The last boat leaves at noon.'))
        assert.match(closed!.summary.text, /closed/)
      }),
    )

    test(
      'counters and timestamps are muted from the first change, for filtering profiles too',
      stage(async ({ uri, put, serve, history }) => {
        await put(
          profileOf('all', ann, [sourceOf(uri, { process: 'track' })], {}),
          profileOf('page', ann, [sourceOf(uri)], { boats: 1 }, { match: 'page' }),
        )
        await serve(page('Views: 12', 'Last updated: 3 May 2026, 10:00'))
        assert.deepEqual(await serve(page('Views: 15', 'Last updated: 3 May 2026, 11:00')), [])
        assert.equal((await history()).at(-1)!.notice, 'noise')
        assert.equal((await serve(page('Views: 16', 'Last updated: 3 May 2026, 11:30', 'Dogs are welcome.'))).length, 2)
      }),
    )

    test(
      'a profile is notified of its terms in a block that is muted for others',
      stage(async ({ uri, put, serve }) => {
        await put(
          profileOf('own', ann, [sourceOf(uri)], { cars: 1 }),
          profileOf('all', ann, [sourceOf(uri, { process: 'track' })], {}),
        )
        for (const n of [12, 14, 11]) await serve(queue(n))
        for (const n of [19, 13])
          assert.deepEqual(
            (await serve(queue(n))).map(({ profile }) => profile),
            ['own'],
          )
      }),
    )

    test(
      'a number that is unchanged at a check in between is always reported',
      stage(async ({ uri, put, serve }) => {
        await put(profileOf('all', ann, [sourceOf(uri, { process: 'track' })], {}))
        await serve(queue(1))
        for (const n of [12, 14, 11, 19, 13]) {
          assert.equal((await serve(queue(n))).length, 1)
          assert.equal((await serve(queue(n))).length, 0)
        }
      }),
    )

    test(
      'ignored text in a muted block does not unmute it',
      stage(async ({ uri, put, serve }) => {
        await put(
          profileOf('all', ann, [sourceOf(uri, { process: 'track' })], {}),
          profileOf('part', ann, [sourceOf(uri, { process: 'track' })], {}, { ignore: ['at the pier'] }),
        )
        for (const n of [12, 14, 11]) await serve(queue(n))
        assert.deepEqual(await serve(queue(19)), [])
      }),
    )
  })
}
