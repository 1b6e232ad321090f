import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deliveryDefaults, type Profile, partDefaults, type Source } from '../../core/profile.ts'
import { credentialsId } from '../../core/url/access.ts'
import type { AnnotationStore } from '../contracts/annotations.ts'
import type { KeyedProfile, ProfileStore } from '../contracts/profiles.ts'
import type { WatchOutcome, WatchStore } from '../contracts/watches.ts'
import { type OpenShard, openOne, type StoreEngine, type StoreSystem, withSystem } from './engine.testkit.ts'
import { pageOf } from './samples.testkit.ts'

export type WatchingStores = { profiles: ProfileStore; watches: WatchStore; annotations: AnnotationStore }

export type WatchingTarget = WatchingStores & { shard: OpenShard; host: string; system: StoreSystem }

export function withWatchingStores(
  engine: StoreEngine,
  work: (place: WatchingTarget) => Promise<void>,
): () => Promise<void> {
  return withSystem(engine, {}, async (system) => {
    const shard = await openOne(system)
    const { close, ...stores } = engine.openStores(system)
    try {
      await work({ ...stores, shard, host: system.hostOf(0, 0), system })
    } finally {
      close()
    }
  })
}

/** A profile with a source for each URI; the URI is also the watch key. */
export function keyedOf(
  id: string,
  owner: string,
  uris: readonly string[],
  parts: Partial<Profile> = {},
): KeyedProfile {
  const sources = uris.map((uri): Source => {
    const place = { ...partDefaults, uri, template: `${uri}?{keywords}`, depth: 1 }
    const scope = { kind: 'pattern', source: '\\.html$' } as const
    return { ...place, scope, everyMs: 60_000, everyMaxMs: 3_600_000, process: 'filter', window: null }
  })
  const interests = { keywords: [{ key: 'naïve 日本', weight: 1.5 }], exclude: ['a "b"'], expression: '', threshold: 1 }
  const profile: Profile = {
    id,
    owner,
    name: `${id} of ${owner}`,
    paused: false,
    sources,
    interests: { ...interests, stemming: '', scorer: 'keywords', ignore: ['\\d+ visitors'], match: 'page' },
    urgency: 2,
    amount: 'full',
    delivery: deliveryDefaults,
    ...parts,
  }
  return { profile, keys: [...uris] }
}

const [a, b, c] = ['http://a.example/', 'http://b.example/', 'http://c.example/']

function outcomeOf(watch: number, parts: Partial<WatchOutcome> = {}): WatchOutcome {
  return { watch, checkedAt: 500, outcome: 'changed', status: 200, changes: 1, landed: null, visited: [], ...parts }
}

/** What every engine promises about profiles, URDs and watches. */
export function profilesSuite(engine: StoreEngine): void {
  const place = (work: (place: WatchingTarget) => Promise<void>) => withWatchingStores(engine, work)

  describe(`profiles (${engine.name})`, () => {
    test(
      'the URL of a watch includes rendering and credentials, and the profile keeps the plain URL',
      place(async ({ profiles, watches }) => {
        const { profile, keys } = keyedOf('p', 'ann', [a, b])
        const sources = profile.sources.map((source) => ({
          ...source,
          render: 'browser' as const,
          credentials: 'shop',
        }))
        await profiles.put([{ profile: { ...profile, sources: [sources[0]!, profile.sources[1]!] }, keys }])
        const urds = await profiles.urdsOf('p')
        const rows = await watches.find(urds.map(({ watch }) => watch))
        const signedIn = `http://~b-${credentialsId('ann', 'shop')}@a.example/`
        assert.deepEqual(rows.map(({ uri }) => uri).sort(), [b, signedIn].sort())
        assert.deepEqual((await profiles.find('p'))!.sources[0], sources[0])
      }),
    )
    test(
      'a profile is returned as stored, and profiles are listed in pages by id',
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
      'a profile stored before parts and aspects existed gets the defaults',
      place(async ({ profiles }) => {
        const { profile, keys } = keyedOf('p', 'ann', [a])
        const { ignore: _, match: __, ...interests } = profile.interests
        const { select, omit, aspects, conditions, ...source } = profile.sources[0]!
        const earlier = { ...profile, interests, sources: [source] } as unknown as Profile
        await profiles.put([{ profile: earlier, keys }])
        const expected = { ...profile, interests: { ...interests, ignore: [], match: 'change' } }
        assert.deepEqual(await profiles.find('p'), expected)
        assert.deepEqual(await profiles.list({ after: '', limit: 9 }), [expected])
        const chosen = { ...profile.sources[0]!, select: ['.price'], aspects: ['status'] as const }
        await profiles.put([{ profile: { ...profile, sources: [chosen] }, keys }])
        assert.deepEqual((await profiles.find('p'))?.sources, [chosen])
      }),
    )

    test(
      'only one of several concurrent writes based on the same revision succeeds',
      place(async ({ profiles }) => {
        assert.equal(await profiles.put([keyedOf('p', 'ann', [a])], await profiles.revision()), true)
        const basis = await profiles.revision()
        const puts = await Promise.all(['q', 'r', 's'].map((id) => profiles.put([keyedOf(id, 'ann', [b])], basis)))
        assert.deepEqual(puts.toSorted(), [false, false, true])
        assert.equal((await profiles.list({ after: '', limit: 9 })).length, 2)
        assert.equal(await profiles.put([keyedOf('t', 'ann', [b])], await profiles.revision()), true)
      }),
    )

    test(
      'every change creates a new revision, and stamps show the changed profiles',
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
      'equal sources share one watch, regardless of their owners',
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
      'a source keeps its URD and first visit when it moves within the profile',
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
      'a first visit does not count for sources added meanwhile',
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
      'the same source twice in a profile has two URDs of one watch',
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
      'sources are paused and muted one by one, which changes only their own profiles',
      place(async ({ profiles }) => {
        await profiles.put([keyedOf('p', 'ann', [a, b]), keyedOf('q', 'ann', [a]), keyedOf('r', 'bob', [a])])
        const [one, two] = await profiles.urdsOf('p')
        const [other] = await profiles.urdsOf('q')
        assert.deepEqual([one!.paused, one!.muted], [false, false])
        const before = await profiles.revision()
        await profiles.setUrds([one!.id, other!.id, 999_999], { paused: true })
        await profiles.setUrds([one!.id], { muted: true })
        assert.deepEqual(await profiles.urdsOf('p'), [{ ...one!, paused: true, muted: true }, two])
        assert.deepEqual(await profiles.findUrd(other!.id), { ...other!, paused: true })
        assert.equal(await profiles.findUrd(999_999), null)
        const stamps = new Map((await profiles.stamps()).map(({ id, revision }) => [id, revision]))
        assert.deepEqual([stamps.get('p'), stamps.get('q')], [before + 2, before + 1])
        assert.ok(stamps.get('r')! <= before)
        await profiles.setUrds([999_999], { paused: true })
        assert.equal(await profiles.revision(), before + 2, 'nothing was changed')
        await profiles.setUrds([one!.id], { paused: false })
        assert.deepEqual(await profiles.findUrd(one!.id), { ...one!, paused: false, muted: true })
      }),
    )

    test(
      'a source that was set aside keeps the reason until its profile is saved again',
      place(async ({ profiles }) => {
        await profiles.put([keyedOf('p', 'ann', [a, b]), keyedOf('q', 'bob', [a])])
        const [one, two] = await profiles.urdsOf('p')
        const others = await profiles.urdsOf('q')
        assert.deepEqual([one!.aside, one!.asideUrl], ['', ''])
        const before = await profiles.revision()
        await profiles.setUrds([one!.id], { aside: 'scope', asideUrl: 'http://a.example/long\u0000' })
        const [aside] = await profiles.urdsOf('p')
        assert.equal(aside!.aside, 'scope')
        assert.match(aside!.asideUrl, /^http:\/\/a\.example\/long/)
        assert.equal(await profiles.revision(), before + 1)
        await profiles.setUrds([one!.id], { muted: true })
        assert.equal((await profiles.findUrd(one!.id))!.aside, 'scope', 'other marks leave it alone')
        await profiles.put([keyedOf('p', 'ann', [a, b])])
        assert.deepEqual(await profiles.urdsOf('p'), [{ ...one!, muted: true }, two])
        assert.deepEqual(await profiles.urdsOf('q'), others)
      }),
    )

    test(
      'the selection state of a source is kept until its profile is saved again',
      place(async ({ profiles }) => {
        await profiles.put([keyedOf('p', 'ann', [a, b])])
        const [one, two] = await profiles.urdsOf('p')
        assert.deepEqual([one!.selected, one!.selectedSince, one!.selectedVersion], ['', 0, 0])
        const before = await profiles.revision()
        const selection = { selected: 'nothing', selectedSince: 1_700_000_000_000, selectedVersion: 2 ** 40 } as const
        await profiles.setUrds([one!.id], selection)
        assert.equal(await profiles.revision(), before + 1)
        await profiles.setUrds([one!.id], { muted: true })
        assert.deepEqual(await profiles.urdsOf('p'), [{ ...one!, ...selection, muted: true }, two])
        await profiles.put([keyedOf('p', 'ann', [a, b])])
        assert.deepEqual(await profiles.urdsOf('p'), [{ ...one!, muted: true }, two])
      }),
    )

    test(
      'marks stay with a source that stays, even if listed twice, and are removed with the source',
      place(async ({ profiles }) => {
        await profiles.put([keyedOf('p', 'ann', [a, b, a])])
        const [first, , second] = await profiles.urdsOf('p')
        await profiles.setUrds([first!.id], { paused: true })
        await profiles.setUrds([second!.id], { muted: true })
        await profiles.put([keyedOf('p', 'ann', [c, a, a])])
        const marks = (await profiles.urdsOf('p')).map(({ id, paused, muted }) => [id, paused, muted])
        assert.deepEqual(marks.slice(1), [
          [first!.id, true, false],
          [second!.id, false, true],
        ])
        assert.deepEqual(marks[0]!.slice(1), [false, false])
        await profiles.put([keyedOf('p', 'ann', [b])])
        await profiles.put([keyedOf('p', 'ann', [a])])
        const [back] = await profiles.urdsOf('p')
        assert.deepEqual([back!.paused, back!.muted], [false, false])
      }),
    )

    test(
      'removing a profile removes its URDs, and no others',
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
      'the row of a watch records the start and the result of a check',
      place(async ({ profiles, watches, shard, host }) => {
        await profiles.put([keyedOf('p', 'ann', [a])])
        const [urd] = await profiles.urdsOf('p')
        const row = async () => ({ ...(await watches.all())[0]! })
        const fresh = {
          landed: '',
          round: 0,
          mark: 0,
          finishedMark: 0,
          checkedAt: 0,
          outcome: '',
          status: 0,
          state: '',
        }
        const never = { since: 0, changedAt: 0, visits: [] }
        assert.deepEqual(await row(), { id: urd!.watch, key: a, uri: a, ...fresh, ...never })
        await shard.documents.record([pageOf(host, '/', 'one')])
        const mark = await watches.begin([{ watch: urd!.watch, round: 400, visits: [urd!.id, 99] }])
        assert.ok(mark > 0)
        await shard.documents.record([pageOf(host, '/', 'two')])
        const begun = await row()
        assert.deepEqual(
          [begun.round, begun.checkedAt, begun.mark, begun.finishedMark, begun.visits],
          [400, 0, mark, 0, [urd!.id, 99]],
        )
        await watches.finish([outcomeOf(urd!.watch, { landed: b, visited: [urd!.id] })])
        await watches.saveStates([{ watch: urd!.watch, state: '{"x":1}' }])
        const over = {
          round: 400,
          mark,
          finishedMark: mark,
          checkedAt: 500,
          outcome: 'changed',
          status: 200,
          since: 500,
        }
        const last = { changedAt: 500, state: '{"x":1}', visits: [] }
        assert.deepEqual(await row(), { id: urd!.watch, key: a, uri: a, landed: b, ...over, ...last })
        assert.equal((await profiles.urdsOf('p'))[0]!.visitedAt, 500)
      }),
    )

    test(
      'the newest round is taken from all watches, even those without an owner',
      place(async ({ profiles, watches }) => {
        assert.equal(await watches.newestRound(), 0)
        await profiles.put([keyedOf('p', 'ann', [a, b])])
        const [one, two] = (await profiles.urdsOf('p')).map(({ watch }) => watch)
        await watches.begin([{ watch: one!, round: 700 }])
        await watches.finish([outcomeOf(two!, { checkedAt: 600 })])
        assert.equal(await watches.newestRound(), 700)
        await watches.finish([outcomeOf(one!, { checkedAt: 900 })])
        await profiles.remove(['p'])
        assert.equal(await watches.newestRound(), 900)
      }),
    )

    test(
      'a watch records since when it has failed or worked, and its last change',
      place(async ({ profiles, watches }) => {
        await profiles.put([keyedOf('p', 'ann', [a])])
        const [urd] = await profiles.urdsOf('p')
        const told: (readonly number[])[] = []
        const outcomes = [
          'failed',
          'failed: x',
          'skipped: robots',
          'unchanged',
          'changed',
          'redirect',
          'skipped',
          'stored',
        ]
        for (const [n, outcome] of outcomes.entries()) {
          const changes = outcome === 'changed' || outcome === 'stored' ? 2 : 0
          await watches.finish([outcomeOf(urd!.watch, { checkedAt: 100 * (n + 1), outcome, changes })])
          const [row] = await watches.find([urd!.watch])
          told.push([row!.since, row!.changedAt])
        }
        const failing = [100, 0] as const
        assert.deepEqual(told, [failing, failing, failing, [400, 0], [400, 500], [400, 500], [700, 500], [800, 800]])
      }),
    )

    test(
      'the last checks of a watch are listed newest first, and old ones are removed',
      place(async ({ profiles, watches }) => {
        await profiles.put([keyedOf('p', 'ann', [a, b])])
        const [one, two] = (await profiles.urdsOf('p')).map(({ watch }) => watch)
        await watches.finish([outcomeOf(two!, { checkedAt: 7 })])
        for (let n = 1; n <= 60; n++) {
          await watches.begin([{ watch: one!, round: 1000 * n }])
          const parts = { checkedAt: 1000 * n + n, outcome: 'failed', status: 500, changes: n % 3 }
          await watches.finish([outcomeOf(one!, parts)])
        }
        const [last, before] = await watches.checks(one!, 2)
        assert.deepEqual(last, { at: 60_060, outcome: 'failed', status: 500, changed: 0, tookMs: 60 })
        assert.deepEqual(before, { at: 59_059, outcome: 'failed', status: 500, changed: 2, tookMs: 59 })
        const all = await watches.checks(one!, 1000)
        assert.ok(all.length >= 24 && all.length < 60, `${all.length} are kept`)
        assert.deepEqual(
          all.map(({ at }) => at),
          all.map((_, n) => 1001 * (60 - n)),
        )
        // Showing stored versions to new owners is not a check.
        await watches.finish([outcomeOf(two!, { checkedAt: 9, isVisit: true })])
        assert.equal((await watches.checks(two!, 9)).length, 1)
        assert.deepEqual(await watches.checks(999_999, 9), [])
      }),
    )

    test(
      'the newest check is listed first even after the clock was set back',
      place(async ({ profiles, watches }) => {
        await profiles.put([keyedOf('p', 'ann', [a])])
        const { watch } = (await profiles.urdsOf('p'))[0]!
        for (let n = 0; n < 60; n++) await watches.finish([outcomeOf(watch, { checkedAt: 90_000 + n })])
        await watches.begin([{ watch, round: 50_000 }])
        await watches.finish([outcomeOf(watch, { checkedAt: 40_000, outcome: 'unchanged', changes: 0 })])
        const told = { at: 40_000, outcome: 'unchanged', status: 200, changed: 0, tookMs: 0 }
        assert.deepEqual((await watches.checks(watch, 9))[0], told)
      }),
    )

    test(
      'a first visit is recorded once, and the redirect target is kept until it changes',
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

    test(
      'a profile of an older version gets delivery defaults, also for an invalid cadence',
      place(async ({ profiles }) => {
        for (const [id, cadence] of [
          ['p', 'hourly'],
          ['q', 'now and then'],
        ] as const) {
          const { profile, keys } = keyedOf(id, 'ann', [a])
          const delivery = { channels: ['inbox', 'c_1'], cadence } as unknown as Profile['delivery']
          await profiles.put([{ profile: { ...profile, delivery }, keys }])
        }
        const found = (await profiles.list({ after: '', limit: 9 })).map(({ delivery }) => delivery)
        const usual = { ...deliveryDefaults, channels: ['inbox', 'c_1'] }
        assert.deepEqual(found, [{ ...usual, cadence: 'hourly' }, usual])
        assert.deepEqual((await profiles.find('q'))!.delivery, usual)
      }),
    )
  })
}
