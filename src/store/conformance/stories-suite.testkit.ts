import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AlsoAt, AnnotationFields, JoinedDraft } from '../contracts/annotations.ts'
import { type NearDuplicate, type StoryLookup, storyLimits } from '../contracts/stories.ts'
import type { Version } from '../contracts/versions.ts'
import { draftOf, kept, nothing } from './annotations-suite.testkit.ts'
import type { StoreEngine } from './engine.testkit.ts'
import { type WatchingTarget, withWatchingStores } from './profiles-suite.testkit.ts'

/** What every engine promises about near-duplicates. */
export function storiesSuite(engine: StoreEngine): void {
  const place = (work: (place: WatchingTarget) => Promise<void>) => withWatchingStores(engine, work)

  describe(`near-duplicates (${engine.name})`, () => {
    test(
      'a near-duplicate in the same profile is found by its cluster, and its URL is listed once',
      place(async (all) => {
        const { annotations, host } = all
        const [one, two] = await kept(all, ['/a', '/b'])
        const cluster = one!.id
        const [first] = await annotations.commit({
          ...nothing,
          annotations: [draftOf(one!.documentId, one!.id, { cluster })],
          nearDuplicates: [textOf(one!, { cluster })],
        })
        const storyOf = (parts: Partial<StoryLookup>) =>
          annotations.ofCluster({ owner: 'ann', profile: 'p', cluster, documentId: two!.documentId, ...parts })
        assert.deepEqual(await storyOf({}), { kind: 'known', annotation: first! })
        assert.deepEqual(await storyOf({ documentId: one!.documentId }), { kind: 'none' }, 'its own')
        assert.deepEqual(await storyOf({ profile: 'q' }), { kind: 'none' })
        assert.deepEqual(await storyOf({ cluster: 0 }), { kind: 'none' })
        const alsoAt = [alsoAtOf(first!.id, two!)]
        const nearDuplicates = [textOf(two!, { cluster })]
        for (let times = 0; times < 2; times++) await annotations.commit({ ...nothing, alsoAt, nearDuplicates })
        assert.deepEqual((await annotations.find(first!.id))?.alsoAt, [`http://${host}/b`])
      }),
    )

    test(
      'texts are found by bands, best match first, and by host',
      place(async (all) => {
        const { annotations } = all
        const versions = await kept(all, ['/a', '/b', '/c', '/d'])
        const bands = [[1, 2 ** 37, 3], [1, 2 ** 37, 9], [7, 8, 3], [1]]
        for (const [n, version] of versions.entries())
          await annotations.commit({ ...nothing, nearDuplicates: [textOf(version, { bands: bands[n]! })] })
        const found = await annotations.textsInBands([1, 2 ** 37, 3])
        assert.deepEqual(
          found.map(({ cluster }) => cluster),
          [versions[0]!, versions[1]!, versions[3]!, versions[2]!].map(({ id }) => id),
        )
        assert.deepEqual([found[0]!.host, [...found[0]!.sketch]], ['host.example', [1, 0, 255, versions[0]!.n]])
        assert.deepEqual(await annotations.textsInBands([2, 4]), [])
        const ofHost = await annotations.textsOfHost('host.example', versions[2]!.documentId)
        assert.deepEqual(
          ofHost.map(({ cluster }) => cluster),
          [versions[3]!, versions[1]!, versions[0]!].map(({ id }) => id),
        )
        assert.deepEqual(await annotations.textsOfHost('other.example', 0), [])
      }),
    )

    test(
      'only the newest texts of a crowded band are compared, and old texts are removed',
      place(async (all) => {
        const { annotations } = all
        const [one, ...others] = await kept(
          all,
          Array.from({ length: storyLimits.ofBand + 3 }, (_, n) => `/${n}`),
        )
        const add = (version: Version, parts: Partial<NearDuplicate>) =>
          annotations.commit({ ...nothing, nearDuplicates: [textOf(version, { bands: [5], ...parts })] })
        await add(one!, { bands: [5, 6] })
        for (const version of others.slice(0, -1)) await add(version, {})
        const clusters = (await annotations.textsInBands([5])).map(({ cluster }) => cluster)
        assert.deepEqual(
          clusters,
          others
            .slice(1, -1)
            .map(({ id }) => id)
            .reverse(),
        )
        assert.equal((await annotations.textsInBands([6])).length, 1)
        await add(others.at(-1)!, { at: 10 + storyLimits.maxAgeMs + 1, bands: [8] })
        assert.deepEqual(await annotations.textsInBands([6]), [])
        const left = await annotations.textsOfHost('host.example', 0)
        assert.equal(
          left.some(({ cluster }) => cluster === one!.id),
          false,
        )
      }),
    )

    test(
      'a page that is split off gets its own annotation for each profile, and stays separate',
      place(async (all) => {
        const { annotations, host } = all
        const [one, two, three] = await kept(all, ['/a', '/b', '/c'])
        const cluster = one!.id
        const made = await annotations.commit({
          ...nothing,
          annotations: ['p', 'q'].map((profile) => draftOf(one!.documentId, one!.id, { cluster, profile })),
        })
        const draft = joinedDraft({ title: 'Its own', at: 77, relevance: 0.25 })
        await annotations.commit({
          ...nothing,
          alsoAt: made.flatMap(({ id }) => [{ ...alsoAtOf(id, two!), draft }, alsoAtOf(id, three!)]),
        })
        const { owner, id } = made[0]!
        const url = `http://${host}/b`
        const wish = { owner, annotation: id, url, at: 100 }
        assert.deepEqual(await annotations.split({ ...wish, owner: 'bob' }), { kind: 'unknown' }, 'of another')
        assert.deepEqual(await annotations.split({ ...wish, url: `http://${host}/x` }), { kind: 'unknown' })
        const split = await annotations.split(wish)
        assert.ok(split.kind === 'split')
        assert.deepEqual(
          split.fresh.map(({ id: _, n: __, changes: ___, ...rest }) => rest.profile),
          ['p', 'q'],
        )
        const [fresh] = split.fresh
        assert.deepEqual(await annotations.find(fresh!.id), fresh)
        assert.deepEqual(
          [fresh!.documentId, fresh!.versionId, fresh!.url, fresh!.title, fresh!.at, fresh!.relevance, fresh!.cluster],
          [two!.documentId, two!.id, url, 'Its own', 77, 0.25, 0],
        )
        for (const { id: left } of made)
          assert.deepEqual((await annotations.find(left))?.alsoAt, [`http://${host}/c`], 'the other stays')
        assert.deepEqual(await annotations.split(wish), { kind: 'unknown' }, 'once only')
        const storyOf = (documentId: number, parts: Partial<StoryLookup> = {}) =>
          annotations.ofCluster({ owner, profile: 'p', cluster, documentId, ...parts })
        assert.equal((await storyOf(two!.documentId)).kind, 'split')
        assert.equal((await storyOf(two!.documentId, { owner: 'bob' })).kind, 'known', 'for its owner alone')
        assert.equal((await storyOf(three!.documentId)).kind, 'known')
        // Another story, which begins with the split-off page.
        await annotations.commit({
          ...nothing,
          annotations: [draftOf(two!.documentId, two!.id, { cluster: two!.id, entry: 'later' })],
        })
        assert.equal((await storyOf(one!.documentId, { cluster: two!.id })).kind, 'split', 'the other way round')
      }),
    )
  })
}

/** The stored text of a version; its sketch identifies the version. */
export function textOf(version: Version, parts: Partial<NearDuplicate> = {}): NearDuplicate {
  return {
    ...{ versionId: version.id, documentId: version.documentId, host: 'host.example', at: 10, cluster: version.id },
    ...{ bands: [version.id], sketch: Buffer.from([1, 0, 255, version.n]) },
    ...parts,
  }
}

export function joinedDraft(parts: Partial<AnnotationFields> = {}): JoinedDraft {
  const { owner: _, profile: __, documentId: ___, versionId: ____, cluster: _____, ...draft } = draftOf(0, 0, parts)
  return draft
}

/** A page that is listed with an annotation. */
export function alsoAtOf(
  annotation: number,
  { id, documentId, url }: Pick<Version, 'id' | 'documentId' | 'url'>,
): AlsoAt {
  return { annotation, versionId: id, documentId, url, draft: joinedDraft() }
}
