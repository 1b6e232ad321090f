import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type InboxCounts, type InboxFilter, type InboxStore, inboxStates, type Marks } from '../contracts/inbox.ts'
import { draftOf, nothing } from './annotations-suite.testkit.ts'
import type { StoreEngine } from './engine.testkit.ts'
import { pageCountsByHand, pagesAgree } from './inbox-pages-suite.testkit.ts'
import { type InboxPlace, tell, withInbox } from './inbox-suite.testkit.ts'
import { alsoAtOf } from './stories-suite.testkit.ts'

const everything = { before: null, limit: 10_000 }

/** Pseudo-random choices, the same in every run. */
function createChoices(seed: number) {
  let state = seed
  const below = (count: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
  return { below, of: <T>(items: readonly T[]): T => items[below(items.length)]! }
}

/** What every engine promises about marks, counts and removal. */
export function inboxMarksSuite(engine: StoreEngine): void {
  const place = (work: (place: InboxPlace) => Promise<void>) => withInbox(engine, work)
  const holderOf = async ({ collection }: InboxPlace, versionId: number): Promise<string | null> =>
    (await collection.find([versionId]))[0]!.pinnedBy

  describe(`inbox marks (${engine.name})`, () => {
    test(
      'marks are set and removed, and the result lists the changed annotations',
      place(async (where) => {
        const { inbox } = where
        const [one, two, bobs] = (await tell(where, [{}, {}, { owner: 'bob' }])).map(({ id }) => id)
        const marksOf = async (id: number) => {
          const { read, starred, archived } = (await inbox.find('ann', id))!
          return { read, starred, archived }
        }
        assert.deepEqual(await inbox.mark('ann', [two!, one!, bobs!, 999_999], { read: true }), [two!, one!])
        assert.deepEqual(await inbox.mark('ann', [one!, two!], { read: true }), [])
        assert.deepEqual(await inbox.mark('ann', [one!], { read: true, starred: true }), [one!])
        assert.deepEqual(await inbox.mark('ann', [one!, one!], { archived: true }), [one!])
        assert.deepEqual(await inbox.mark('ann', [one!], {}), [])
        assert.deepEqual(await inbox.mark('ann', [], { read: false }), [])
        assert.deepEqual(await marksOf(one!), { read: true, starred: true, archived: true })
        assert.deepEqual(await marksOf(two!), { read: true, starred: false, archived: false })
        assert.equal((await inbox.find('bob', bobs!))!.read, false)
        assert.deepEqual(await where.open().inbox.list('ann', { state: 'archived' }, everything), [
          await inbox.find('ann', one!),
        ])
        assert.deepEqual(await inbox.mark('ann', [one!], { read: false, starred: false, archived: false }), [one!])
        assert.deepEqual(await marksOf(one!), { read: false, starred: false, archived: false })
      }),
    )

    test(
      'annotations that match a filter are marked newest first, up to a limit of changed ones',
      place(async (where) => {
        const { inbox } = where
        const ids = (await tell(where, [{}, { profile: 'q' }, {}, { owner: 'bob' }, {}, {}])).map(({ id }) => id)
        const at = (...places: number[]) => places.map((n) => ids[n]!)
        const read = { read: true }
        assert.deepEqual(await inbox.markAll('ann', { state: 'all', upTo: ids[4]! }, read, 2), at(4, 2))
        assert.deepEqual(await inbox.markAll('ann', { state: 'all', profile: 'p' }, read, 2), at(5, 0))
        assert.deepEqual(await inbox.markAll('ann', { state: 'all' }, read, 2), at(1))
        assert.deepEqual(await inbox.markAll('ann', { state: 'all' }, read, 2), [])
        assert.deepEqual(await inbox.markAll('ann', { state: 'all' }, { read: false, starred: true }, 1), at(5))
        assert.deepEqual(await inbox.markAll('ann', { state: 'all' }, { read: false, starred: true }, 1), at(4))
        assert.deepEqual(await inbox.markAll('ann', { state: 'starred' }, { archived: true }, 9), at(5, 4))
        assert.deepEqual(await inbox.markAll('ann', { state: 'all' }, {}, 9), [])
        assert.equal((await inbox.counts('bob')).unread, 1)
      }),
    )

    test(
      'a version is pinned for its owner while its annotation is unread or starred, and not archived',
      place(async (where) => {
        const { inbox } = where
        const [told, muted] = await tell(where, [{}, { muted: true }])
        const steps: [Marks, string | null][] = [
          [{ read: true }, null],
          [{ starred: true }, 'ann'],
          [{ archived: true }, null],
          [{ read: false }, null],
          [{ archived: false }, 'ann'],
          [{ starred: false }, 'ann'],
          [{ read: true, starred: false }, null],
          [{ read: false }, 'ann'],
        ]
        assert.equal(await holderOf(where, told!.versionId), 'ann')
        assert.equal(await holderOf(where, muted!.versionId), null)
        for (const [n, [marks, holder]] of steps.entries()) {
          await inbox.mark('ann', [told!.id], marks)
          assert.equal(await holderOf(where, told!.versionId), holder, `step ${n}`)
        }
        await inbox.mark('ann', [muted!.id], { archived: false, read: false })
        assert.equal(await holderOf(where, muted!.versionId), 'ann')
      }),
    )

    test(
      'a version with several annotations is pinned while any annotation requires it',
      place(async (where) => {
        const { inbox, annotations } = where
        const [first] = await tell(where, [{ path: '/a' }])
        const draft = draftOf(first!.documentId, first!.versionId)
        const [second, bobs] = await annotations.commit({
          ...nothing,
          annotations: [
            { ...draft, profile: 'q' },
            { ...draft, owner: 'bob', profile: 'r' },
          ],
        })
        await inbox.mark('bob', [bobs!.id], { read: true })
        assert.equal(await holderOf(where, first!.versionId), 'ann', 'what another has read is of no account')
        await inbox.mark('ann', [first!.id], { read: true })
        assert.equal(await holderOf(where, first!.versionId), 'ann')
        await inbox.mark('ann', [second!.id], { archived: true })
        assert.equal(await holderOf(where, first!.versionId), null)
        await inbox.mark('bob', [bobs!.id], { starred: true })
        assert.equal(await holderOf(where, first!.versionId), 'bob')
        await inbox.mark('ann', [first!.id], { read: false })
        await inbox.remove('bob', { limit: 9 })
        assert.equal(await holderOf(where, first!.versionId), 'ann')
        await inbox.remove('ann', { profile: 'p', limit: 9 })
        assert.equal(await holderOf(where, first!.versionId), null, 'the other one is archived')
      }),
    )
  })

  describe(`inbox counts and removal (${engine.name})`, () => {
    test(
      'counts, lists and pins stay consistent after random marks and removals on two connections',
      place(async (where) => {
        const { inbox } = where
        const { below, of } = createChoices(20_260)
        const owners = ['ann', 'bob']
        const stores = [inbox, where.open().inbox]
        await tell(
          where,
          Array.from({ length: 60 }, (_, n) => {
            const owner = of(owners)
            return { path: `/${n % 20}`, owner, profile: `${owner}-${below(3)}`, muted: below(5) === 0 }
          }),
        )
        for (let step = 0; step < 150; step++) {
          const owner = of(owners)
          const marks: Marks = {}
          for (const mark of ['read', 'starred', 'archived'] as const) if (below(2) === 0) marks[mark] = below(2) === 0
          const store = of(stores)
          if (below(20) === 0) await store.remove(owner, { limit: 1 })
          else if (below(3) > 0)
            await store.mark(
              owner,
              Array.from({ length: below(6) }, () => 1 + below(60)),
              marks,
            )
          else {
            const filter: InboxFilter = {
              state: of(inboxStates),
              ...(below(2) === 0 ? { profile: `${owner}-${below(3)}` } : {}),
            }
            await store.markAll(owner, filter, marks, 1 + below(5))
          }
          if (step % 10 === 0) for (const each of owners) await agrees(where, of(stores), each)
        }
        for (const each of owners) await agrees(where, where.open().inbox, each)
      }),
    )

    test(
      'annotations of a profile or owner are removed in batches, with their counts and pins',
      place(async (where) => {
        const { inbox, annotations } = where
        const given = Array.from({ length: 5 }, (_, n) => ({
          path: `/${n}`,
          profile: n < 3 ? 'p' : 'q',
          muted: n === 1,
        }))
        const told = await tell(where, [...given, { owner: 'bob', profile: 'r', path: '/0' }])
        const [one, , , four, , bobs] = told
        await annotations.commit({
          ...nothing,
          alsoAt: [alsoAtOf(one!.id, { ...four!, id: four!.versionId })],
        })
        const removed: number[] = []
        for (let n = -1; n !== 0; removed.push(n)) n = await inbox.remove('ann', { profile: 'p', limit: 2 })
        assert.deepEqual(removed, [2, 1, 0])
        assert.deepEqual(
          (await inbox.counts('ann')).profiles.map(({ profile, all }) => [profile, all]),
          [['q', 2]],
        )
        assert.equal(await inbox.find('ann', one!.id), null)
        assert.equal(await holderOf(where, one!.versionId), null)
        assert.equal(await holderOf(where, four!.versionId), 'ann')
        assert.equal(await inbox.remove('ann', { profile: 'r', limit: 9 }), 0, "another's profile")
        assert.equal(await inbox.remove('ann', { limit: 9 }), 2)
        assert.equal(await inbox.remove('ann', { limit: 9 }), 0)
        assert.deepEqual((await inbox.counts('ann')).profiles, [])
        assert.equal((await inbox.counts('bob')).unread, 1)
        assert.equal(await holderOf(where, bobs!.versionId), 'bob')
        await agrees(where, inbox, 'bob')
      }),
    )
  })
}

/** Compares the counts with those of all annotations, counted one by one. */
async function agrees({ annotations, collection }: InboxPlace, inbox: InboxStore, owner: string): Promise<void> {
  const mine = await annotations.list({ after: 0, limit: 10_000, owner })
  const items = (await Promise.all(mine.map(({ id }) => inbox.find(owner, id)))).map((item) => item!)
  const inState = {
    unread: items.filter(({ read, archived }) => !read && !archived),
    all: items.filter(({ archived }) => !archived),
    starred: items.filter(({ starred }) => starred),
    archived: items.filter(({ archived }) => archived),
  }
  const countsOf = (profile?: string) => {
    const count = (some: typeof items) =>
      some.filter((item) => profile === undefined || item.profile === profile).length
    const { unread, all, starred, archived } = inState
    return { unread: count(unread), all: count(all), starred: count(starred), archived: count(archived) }
  }
  const profiles = [...new Set(items.map(({ profile }) => profile))].sort()
  const expected: InboxCounts = {
    ...countsOf(),
    pages: pageCountsByHand(items),
    profiles: profiles.map((profile) => ({ profile, ...countsOf(profile), pages: pageCountsByHand(items, profile) })),
  }
  const counts = await inbox.counts(owner)
  assert.deepEqual(
    { ...counts, profiles: counts.profiles.toSorted((x, y) => (x.profile < y.profile ? -1 : 1)) },
    expected,
  )
  for (const state of inboxStates)
    assert.deepEqual(await inbox.list(owner, { state }, everything), inState[state].toReversed(), state)
  await pagesAgree(inbox, owner)
  const held = await collection.find(items.map(({ versionId }) => versionId))
  const isWanted = (id: number): boolean =>
    items.some(({ versionId, read, starred, archived }) => versionId === id && !archived && (!read || starred))
  assert.deepEqual(
    held.map(({ id, pinnedBy }) => [id, pinnedBy === owner]),
    held.map(({ id }) => [id, isWanted(id)]),
  )
}
