import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Profile, Source } from '../../core/profile.ts'
import type { AnnotationStore } from '../annotations.ts'
import type { KeyedProfile, ProfileStore } from '../profiles.ts'
import type { WatchOutcome, WatchStore } from '../watches.ts'
import { type OpenShard, openOne, type StoreEngine, type StoreSystem, withSystem } from './engine.testkit.ts'
import { pageOf } from './samples.testkit.ts'

export type WatchingStores = { profiles: ProfileStore; watches: WatchStore; annotations: AnnotationStore }

/** An engine with its stores of profiles, watches and annotations, beside the shards of a system. */
export type WatchingEngine = StoreEngine & { openWatching(system: StoreSystem): WatchingStores & { close(): void } }

export type WatchingPlace = WatchingStores & { shard: OpenShard; host: string; system: StoreSystem }

export function withWatchingStores(
  engine: WatchingEngine,
  work: (place: WatchingPlace) => Promise<void>,
): () => Promise<void> {
  return withSystem(engine, {}, async (system) => {
    const shard = await openOne(system)
    const { close, ...stores } = engine.openWatching(system)
    try {
      await work({ ...stores, shard, host: system.hostOf(0, 0), system })
    } finally {
      close()
    }
  })
}

/** A profile with a source for each URI; the URI is its watch key too. */
export function keyedOf(
  id: string,
  owner: string,
  uris: readonly string[],
  parts: Partial<Profile> = {},
): KeyedProfile {
  const sources = uris.map((uri): Source => {
    const place = { uri, depth: 1, scope: { kind: 'pattern', source: '\\.html$' } as const }
    return { ...place, everyMs: 60_000, everyMaxMs: 3_600_000, process: 'filter', window: null }
  })
  const interests = { keywords: [{ key: 'naïve 日本', weight: 1.5 }], exclude: ['a "b"'], expression: '', threshold: 1 }
  const profile: Profile = {
    id,
    owner,
    name: `${id} of ${owner}`,
    paused: false,
    sources,
    interests: { ...interests, stemming: '', scorer: 'keywords' },
    urgency: 2,
    amount: 'full',
    delivery: { channels: ['inbox'], cadence: 'immediate' },
    ...parts,
  }
  return { profile, keys: [...uris] }
}

const [a, b, c] = ['http://a.example/', 'http://b.example/', 'http://c.example/']

function outcomeOf(watch: number, parts: Partial<WatchOutcome> = {}): WatchOutcome {
  return { watch, checkedAt: 500, outcome: 'changed', status: 200, changes: 1, landed: null, visited: [], ...parts }
}

/** What every engine promises about the profile base. */
export function profilesSuite(engine: WatchingEngine): void {
  const place = (work: (place: WatchingPlace) => Promise<void>) => withWatchingStores(engine, work)

  describe(`profiles (${engine.name})`, () => {
    test(
      'a profile comes back as it was put, and pages list all in the order of their ids',
      place(async ({ profiles }) => {
        const given = ['p3', 'p1', 'p2'].map((id, n) => keyedOf(id, n === 2 ? 'bob' : 'ann', [a, b]))
        await profiles.put(given)
        assert.deepEqual(await profiles.find('p1'), given[1]!.profile)
        assert.equal(await profiles.find('p9'), null)
        const ids = async (page: Parameters<ProfileStore['list']>[0]) => (await profiles.list(page)).map(({ id }) => id)
        assert.deepEqual(await ids({ after: '', limit: 2 }), ['p1', 'p2'])
        assert.deepEqual(await ids({ after: 'p2', limit: 2 }), ['p3'])
        assert.deepEqual(await ids({ after: '', limit: 9, owner: 'bob' }), ['p2'])
        assert.deepEqual(await ids({ after: '', limit: 9, owner: 'nobody' }), [])
      }),
    )

    test(
      'every change is a new revision, and stamps tell what it changed',
      place(async ({ profiles }) => {
        const stamps = async () => new Map((await profiles.stamps()).map(({ id, revision }) => [id, revision]))
        const revisions = [await profiles.revision()]
        await profiles.put([keyedOf('p', 'ann', [a]), keyedOf('q', 'ann', [a])])
        revisions.push(await profiles.revision())
        const before = await stamps()
        await profiles.put([keyedOf('q', 'ann', [b])])
        revisions.push(await profiles.revision())
        const after = await stamps()
        assert.equal(after.get('p'), before.get('p'))
        assert.ok(after.get('q')! > before.get('q')!)
        assert.equal(await profiles.remove(['p', 'unknown']), 1)
        revisions.push(await profiles.revision())
        assert.deepEqual([...(await stamps()).keys()], ['q'])
        assert.ok(
          revisions.every((revision, n) => n === 0 || revision > revisions[n - 1]!),
          `${revisions}`,
        )
      }),
    )

    test(
      'equal sources are one watch, whoever has them',
      place(async ({ profiles, watches }) => {
        await profiles.put([keyedOf('p', 'ann', [a, b]), keyedOf('q', 'bob', [b, c])])
        const [p, q] = [await profiles.urdsOf('p'), await profiles.urdsOf('q')]
        assert.deepEqual(
          [...p, ...q].map(({ profile, place, visitedAt }) => `${profile}${place} ${visitedAt}`),
          ['p0 0', 'p1 0', 'q0 0', 'q1 0'],
        )
        assert.equal(p[1]!.watch, q[0]!.watch)
        const rows = await watches.all()
        assert.deepEqual(rows.map(({ key }) => key).sort(), [a, b, c])
        assert.equal(rows.find(({ id }) => id === p[1]!.watch)?.uri, b)
        assert.equal(new Set([...p, ...q].map(({ id }) => id)).size, 4)
      }),
    )

    test(
      'a source that stays keeps its URD and its first visit, wherever it moves in the profile',
      place(async ({ profiles, watches }) => {
        await profiles.put([keyedOf('p', 'ann', [a, b])])
        const before = await profiles.urdsOf('p')
        await watches.finish([outcomeOf(before[1]!.watch, { visited: [before[1]!.id] })])
        await profiles.put([keyedOf('p', 'ann', [c, b, a], { urgency: 9 })])
        const after = await profiles.urdsOf('p')
        assert.deepEqual(
          after.map(({ place, watch, visitedAt }) => [place, watch, visitedAt]),
          [
            [0, after[0]!.watch, 0],
            [1, before[1]!.watch, 500],
            [2, before[0]!.watch, 0],
          ],
        )
        assert.deepEqual([after[1]!.id, after[2]!.id], [before[1]!.id, before[0]!.id])
        assert.ok(!before.some(({ id }) => id === after[0]!.id))
        await profiles.put([keyedOf('p', 'ann', [c])])
        await profiles.put([keyedOf('p', 'ann', [c, b])])
        assert.equal((await profiles.urdsOf('p'))[1]!.visitedAt, 0, 'what was left and came back is new')
      }),
    )

    test(
      'a first visit counts for the source that was visited alone, whatever a profile was changed to meanwhile',
      place(async ({ profiles, watches }) => {
        await profiles.put([keyedOf('p', 'ann', [a])])
        const [before] = await profiles.urdsOf('p')
        await profiles.put([keyedOf('p', 'ann', [b])])
        await profiles.remove(['p'])
        await profiles.put([keyedOf('q', 'bob', [c])])
        await watches.finish([outcomeOf(before!.watch, { visited: [before!.id] })])
        assert.equal((await profiles.urdsOf('q'))[0]!.visitedAt, 0)
      }),
    )

    test(
      'the same source twice in a profile is two URDs of one watch',
      place(async ({ profiles }) => {
        await profiles.put([keyedOf('p', 'ann', [a, a])])
        await profiles.put([keyedOf('p', 'ann', [a, a])])
        const urds = await profiles.urdsOf('p')
        assert.equal(urds.length, 2)
        assert.equal(urds[0]!.watch, urds[1]!.watch)
        assert.notEqual(urds[0]!.id, urds[1]!.id)
      }),
    )

    test(
      'with a profile go its URDs, and those of others stay',
      place(async ({ profiles }) => {
        await profiles.put([keyedOf('p', 'ann', [a]), keyedOf('q', 'bob', [a])])
        const [kept] = await profiles.urdsOf('q')
        assert.equal(await profiles.remove(['p']), 1)
        assert.equal(await profiles.remove(['p']), 0)
        assert.deepEqual(await profiles.urdsOf('p'), [])
        assert.deepEqual(await profiles.urdsOf('q'), [kept])
      }),
    )
  })

  describe(`watches (${engine.name})`, () => {
    test(
      'a check begins and ends, and its row tells what came of it',
      place(async ({ profiles, watches, shard, host }) => {
        await profiles.put([keyedOf('p', 'ann', [a])])
        const [urd] = await profiles.urdsOf('p')
        const row = async () => ({ ...(await watches.all())[0]! })
        const fresh = { landed: '', round: 0, finishedMark: 0, checkedAt: 0, outcome: '', status: 0, state: '' }
        assert.deepEqual(await row(), { id: urd!.watch, key: a, uri: a, ...fresh })
        await shard.documents.record([pageOf(host, '/', 'one')])
        const mark = await watches.begin([{ watch: urd!.watch, round: 400 }])
        assert.ok(mark > 0)
        await shard.documents.record([pageOf(host, '/', 'two')])
        const begun = await row()
        assert.deepEqual([begun.round, begun.checkedAt, begun.finishedMark], [400, 0, 0])
        await watches.finish([outcomeOf(urd!.watch, { landed: b, visited: [urd!.id] })])
        await watches.saveStates([{ watch: urd!.watch, state: '{"x":1}' }])
        const over = { round: 400, finishedMark: mark, checkedAt: 500, outcome: 'changed', status: 200 }
        assert.deepEqual(await row(), { id: urd!.watch, key: a, uri: a, landed: b, ...over, state: '{"x":1}' })
        assert.equal((await profiles.urdsOf('p'))[0]!.visitedAt, 500)
      }),
    )

    test(
      'a first visit is noted once, and where a source landed stays until it lands elsewhere',
      place(async ({ profiles, watches }) => {
        await profiles.put([keyedOf('p', 'ann', [a])])
        const [urd] = await profiles.urdsOf('p')
        await watches.finish([outcomeOf(urd!.watch, { landed: b, visited: [urd!.id] })])
        await watches.finish([outcomeOf(urd!.watch, { checkedAt: 900, outcome: 'failed', visited: [urd!.id] })])
        assert.equal((await profiles.urdsOf('p'))[0]!.visitedAt, 500)
        const [row] = await watches.all()
        assert.deepEqual([row!.landed, row!.outcome, row!.checkedAt], [b, 'failed', 900])
        await watches.finish([outcomeOf(urd!.watch, { landed: c })])
        assert.equal((await watches.all())[0]!.landed, c)
      }),
    )
  })
}
