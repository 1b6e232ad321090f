import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NoiseState } from '../../core/change/noise/learned-block.ts'
import { noNoise } from '../../core/change/noise/learning.ts'
import type { PriceRow } from '../contracts/versions.ts'
import { MAX_PRICES } from '../rules/prices.ts'
import { kept, nothing } from './annotations-suite.testkit.ts'
import type { StoreEngine } from './engine.testkit.ts'
import { type WatchingTarget, withWatchingStores } from './profiles-suite.testkit.ts'

/** What every engine promises about the other results of annotating: prices and noise. */
export function findingsSuite(engine: StoreEngine): void {
  const place = (work: (place: WatchingTarget) => Promise<void>) => withWatchingStores(engine, work)

  describe(`prices (${engine.name})`, () => {
    test(
      'are stored once for each version and part of a document, and listed oldest first',
      place(async (all) => {
        const { annotations, shard } = all
        const [a, b] = await kept(all, ['/a', '/b'])
        const row = (amount: number | null, parts: Partial<PriceRow> = {}): PriceRow => ({
          ...{ documentId: a!.documentId, versionId: a!.id, part: '', at: 5, amount, currency: 'EUR' },
          ...{ availability: 'in-stock', ...parts },
        })
        const later = row(null, { versionId: a!.id + 1000, availability: 'out-of-stock', at: 9 })
        const part = row(3, { part: 'abc', currency: '€', versionId: a!.id + 1 })
        await annotations.commit({ ...nothing, prices: [row(39.9), later, part] })
        await annotations.commit({ ...nothing, prices: [row(1)] })
        await annotations.commit({ ...nothing, prices: [row(7, { documentId: b!.documentId, versionId: b!.id })] })
        const found = (asked: { part?: string; limit: number }) => shard.versions.prices(a!.documentId, asked)
        assert.deepEqual(await found({ part: '', limit: 10 }), [row(39.9), later])
        assert.deepEqual(await found({ part: '', limit: 1 }), [later])
        assert.deepEqual(await found({ limit: 10 }), [row(39.9), part, later])
      }),
    )

    test(
      'are limited in number: the oldest are removed',
      place(async (all) => {
        const [a] = await kept(all, ['/a'])
        const prices = Array.from({ length: MAX_PRICES + 5 }, (_, n): PriceRow => {
          const reading = { amount: n, currency: '', availability: 'unknown' } as const
          return { documentId: a!.documentId, versionId: a!.id + n, part: '', at: n, ...reading }
        })
        await all.annotations.commit({ ...nothing, prices })
        const left = await all.shard.versions.prices(a!.documentId, { part: '', limit: 2000 })
        assert.deepEqual([left.length, left[0]!.amount], [MAX_PRICES, 5])
      }),
    )
  })

  describe(`versions known to a watch (${engine.name})`, () => {
    test(
      'the last matched version of a document is stored, and never replaced by an older one',
      place(async (all) => {
        const { annotations, shard } = all
        const [a] = await kept(all, ['/a'])
        const { documentId } = a!
        const known = async () => (await shard.versions.reached({ documents: [documentId], watches: [1] }))[0]!.known
        assert.equal(await known(), 0)
        for (const [versionId, expected] of [
          [a!.id + 5, a!.id + 5],
          [a!.id, a!.id + 5],
        ] as const) {
          await annotations.commit({ ...nothing, done: [a!.id], known: { documentId, watch: 1, versionId } })
          assert.equal(await known(), expected)
        }
      }),
    )
  })

  describe(`noise (${engine.name})`, () => {
    const stateOf = (n: number, parts: Partial<NoiseState> = {}): NoiseState => ({ ...noNoise, n, check: n, ...parts })

    test(
      'the learned state of a document is stored, and never replaced by an older one',
      place(async (all) => {
        const { annotations, shard } = all
        const [a, b] = await kept(all, ['/a', '/b'])
        const { documentId } = a!
        assert.deepEqual(await shard.versions.noise(documentId), { state: noNoise, undone: [] })
        const block = { id: 'x', where: 'w', text: 't', marks: [], seen: ['ï💡'], frame: null, path: 'Shop › Kettle' }
        const learned = { ...block, why: 'numbers', since: 5, muted: 2, sample: '12 "views"' } as const
        const state = stateOf(3, {
          blocks: [{ ...learned, marks: [[3, 'n']], seen: [...block.seen] }],
          decided: [['c', 'x']],
        })
        await annotations.commit({ ...nothing, noise: { documentId, state } })
        await annotations.commit({ ...nothing, noise: { documentId, state: stateOf(3) } })
        await annotations.commit({ ...nothing, noise: { documentId, state: stateOf(2) } })
        assert.deepEqual(await shard.versions.noise(documentId), { state, undone: [] })
        await annotations.commit({ ...nothing, noise: { documentId, state: stateOf(4) } })
        assert.deepEqual((await shard.versions.noise(documentId)).state, stateOf(4))
        assert.deepEqual((await shard.versions.noise(b!.documentId)).state, noNoise)
      }),
    )

    test(
      'muting can be undone once for an owner or for everyone, and restored',
      place(async (all) => {
        const { annotations, shard } = all
        const [a] = await kept(all, ['/a'])
        const { documentId } = a!
        const undone = async () => (await shard.versions.noise(documentId)).undone
        await annotations.unmute({ documentId, block: 'x', owner: 'ann@example.org', at: 5 })
        await annotations.unmute({ documentId, block: 'x', owner: 'ann@example.org', at: 9 })
        await annotations.unmute({ documentId, block: 'x', owner: '', at: 7 })
        const hers = { block: 'x', owner: 'ann@example.org', at: 5 }
        assert.deepEqual(await undone(), [hers, { block: 'x', owner: '', at: 7 }])
        await annotations.muteAgain({ documentId, block: 'x', owner: '' })
        await annotations.muteAgain({ documentId, block: 'y', owner: 'ann@example.org' })
        assert.deepEqual(await undone(), [hers])
      }),
    )

    test(
      'a version is marked as noise or notified, and stays notified',
      place(async (all) => {
        const { annotations, shard } = all
        const [a] = await kept(all, ['/a'])
        const notice = async () => (await shard.versions.version(a!.id))!.notice
        assert.equal(await notice(), null)
        for (const [noted, expected] of [
          ['noise', 'noise'],
          ['notified', 'notified'],
          ['noise', 'notified'],
        ] as const) {
          await annotations.commit({ ...nothing, notices: [{ versionId: a!.id, notice: noted }] })
          assert.equal(await notice(), expected)
        }
      }),
    )
  })
}
