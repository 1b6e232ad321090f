import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock, type ManualClock } from '../../core/clock.ts'
import type { HostView } from '../contracts/host-view.ts'
import type { KeptCounts } from '../contracts/store-set.ts'
import type { StoreEngine } from './engine.testkit.ts'
import { type StoreSystem, withSystem } from './engine.testkit.ts'
import { batchOf, noteOf, offersOf, pageOf } from './samples.testkit.ts'

const now = Date.UTC(2026, 0, 1)
const all = { q: '', after: null, limit: 100 }

export function hostViewSuite(engine: StoreEngine): void {
  const withShards = (work: (system: StoreSystem) => Promise<void>) => withSystem(engine, { shards: 2 }, work)

  async function withView(
    system: StoreSystem,
    work: (view: HostView, clock: ManualClock) => Promise<void>,
    portion?: number,
  ): Promise<void> {
    const clock = createManualClock(now)
    const { hosts, close } = engine.openStores(system, { clock, ...(portion === undefined ? {} : { portion }) })
    try {
      await work(hosts, clock)
    } finally {
      close()
    }
  }

  describe(`the host view (${engine.name})`, () => {
    test(
      'lists the hosts of all shards: those in trouble first, then those with the most queued requests',
      withShards(async (system) => {
        const [first, second] = await system.open(1)
        const [fine, busy, resting] = [0, 1, 2].map((n) => system.hostOf(0, n)) as [string, string, string]
        const [slow, lost] = [0, 1].map((n) => system.hostOf(1, n)) as [string, string]
        await first!.frontier.offer([...offersOf(fine, 1), ...offersOf(busy, 3), ...offersOf(resting, 2)])
        await second!.frontier.offer([...offersOf(slow, 1), ...offersOf(lost, 5)])
        const idOf = async (shard: typeof first, host: string): Promise<number> =>
          (await shard!.frontier.hosts(100, new Set())).find((each) => each.host === host)!.id
        const clockOf = (id: number, nextAt: number, failures: number, rests: number) => ({
          id,
          nextAt,
          failures,
          rests,
        })
        await first!.frontier.settle(batchOf({ hosts: [clockOf(await idOf(first, resting), now + 60_000, 5, 1)] }))
        await second!.frontier.settle(batchOf({ hosts: [clockOf(await idOf(second, slow), now + 500, 1, 0)] }))
        await second!.frontier.giveUp(await idOf(second, lost))
        await withView(system, async (view) => {
          const hosts = await view.hosts(all)
          assert.deepEqual(
            hosts.map(({ host, health, queued }) => [host, health, queued]),
            [
              [lost, 'given-up', 0],
              [resting, 'resting', 2],
              [slow, 'slow', 1],
              [busy, 'fine', 3],
              [fine, 'fine', 1],
            ],
          )
          assert.deepEqual([hosts[1]!.failures, hosts[1]!.nextAt, hosts[3]!.nextAt], [5, now + 60_000, 0])
        })
      }),
    )

    test(
      'pages through all hosts, and finds hosts by parts of their names',
      withShards(async (system) => {
        const shards = await system.open(1)
        const hosts = Array.from({ length: 23 }, (_, n) => `site-${n}.example`)
        for (const [n, host] of hosts.entries()) await shards[0]!.frontier.offer(offersOf(host, 1 + (n % 4)))
        await withView(
          system,
          async (view) => {
            const whole = await view.hosts(all)
            assert.equal(whole.length, 23)
            const paged: string[] = []
            for (let after: (typeof whole)[number] | null = null; ; ) {
              const page = await view.hosts({ q: '', after, limit: 4 })
              paged.push(...page.map(({ host }) => host))
              if (page.length < 4) break
              after = page.at(-1)!
            }
            assert.deepEqual(
              paged,
              whole.map(({ host }) => host),
            )
            const found = await view.hosts({ ...all, q: 'SITE-2' })
            assert.deepEqual(found.map(({ host }) => host).sort(), [
              'site-2.example',
              'site-20.example',
              'site-21.example',
              'site-22.example',
            ])
          },
          3,
        )
      }),
    )

    test(
      'counts the documents of a host and the failing ones, and caches the counts for a minute',
      withShards(async (system) => {
        const [shard] = await system.open(1)
        const host = system.hostOf(0, 0)
        await shard!.frontier.offer(offersOf(host, 3))
        const pages = Array.from({ length: 1_203 }, (_, n) => pageOf(host, `/${n}`, `page ${n}`))
        await shard!.documents.record([...pages, noteOf(host, '/x', 'failed', { status: 500 })])
        await withView(system, async (view, clock) => {
          const counted = async () => (await view.hosts(all)).map(({ documents, failing }) => [documents, failing])
          assert.deepEqual(await counted(), [[1_204, 1]])
          await shard!.documents.record([noteOf(host, '/3', 'failed', { status: 500 })])
          assert.deepEqual(await counted(), [[1_204, 1]])
          clock.advance(60_000)
          assert.deepEqual(await counted(), [[1_204, 2]])
        })
      }),
    )

    test(
      'ignores failures of an earlier run',
      withShards(async (system) => {
        const [shard] = await system.open(1)
        const host = system.hostOf(0, 0)
        await shard!.frontier.offer(offersOf(host, 1))
        const { id } = (await shard!.frontier.hosts(1, new Set()))[0]!
        await shard!.frontier.giveUp(id)
        await system.close()
        await system.open(2)
        await withView(system, async (view) => {
          const [seen] = await view.hosts(all)
          assert.deepEqual([seen!.health, seen!.failures], ['fine', 0])
        })
      }),
    )
  })

  test(
    `stored documents and versions are counted (${engine.name})`,
    withShards(async (system) => {
      const [shard] = await system.open(1)
      const host = system.hostOf(0, 0)
      await shard!.documents.record([pageOf(host, '/a', 'one'), pageOf(host, '/b', 'two')])
      await shard!.documents.record([pageOf(host, '/a', 'three', { at: 2_000 })])
      const { countKept, close } = engine.openStores(system, { clock: createManualClock(now) })
      const expected: KeptCounts = {
        documents: 2,
        versions: 3,
        annotations: 0,
        profiles: 0,
        sources: 0,
      }
      assert.deepEqual(await countKept(), expected)
      close()
    }),
  )
}
