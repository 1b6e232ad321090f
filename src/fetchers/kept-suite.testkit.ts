import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { profileOf, sourceOf } from '../../test/watch/up-run.ts'
import { createBodyReader } from '../archive/body-reader.ts'
import { createKeptText } from '../archive/kept-text.ts'
import { configOf } from '../config/load-config.ts'
import type { CheckResult, SourceHints } from '../core/check-order.ts'
import { systemClock } from '../core/clock.ts'
import { watchedUri } from '../core/profile.ts'
import { withoutAccess } from '../core/url/access.ts'
import { createRetries } from '../core/work/retries.ts'
import { settingsForWatching } from '../crawl/crawl-settings.ts'
import { startNameServer } from '../crawl/dns/name-server.testkit.ts'
import type { Protocols, ProtocolTools, Secret } from '../crawl/fetch/protocol.ts'
import { assembleShard } from '../crawl/worker/assemble.ts'
import { createLocalCoordination } from '../crawl/worker/coordination.ts'
import { createCounterMemory, openSharedCounters } from '../crawl/worker/shared-counters.ts'
import { createProfileKeys } from '../services/profiles/keyed-profile.ts'
import { openOne, type StoreEngine, withSystem } from '../store/conformance/engine.testkit.ts'
import { postgresEngine } from '../store/postgres/testkit/store.testkit.ts'
import { sqliteEngine } from '../store/sqlite/testkit/store.testkit.ts'

/** A source, with its server, that a real shard watches. */
export type WatchedWorld = {
  url: string
  secret: Secret | null
  render: 'http' | 'browser'
  /** Closed by the shard. */
  protocols(tools: ProtocolTools): Protocols
  /** Adds a new item. */
  put(name: string, text: string): Promise<void>
  change: ((name: string, text: string) => Promise<void>) | undefined
  remove: ((name: string) => Promise<void>) | undefined
  /** Whether the source has several items. */
  hasLists: boolean
}

export const engines = [sqliteEngine, postgresEngine]

/**
 * Tests that a source of any kind must pass, with the real shard, store and archive: each item becomes a version, a second check stores
 * nothing, and new, changed and gone items are found and counted once.
 */
export async function checkWatched(engine: StoreEngine, world: WatchedWorld): Promise<void> {
  await withShard(engine, world, async ({ check, kept }) => {
    const unchanged = { changed: 0, failed: 0 }
    await world.put('one', 'words of the first')
    assert.deepEqual(await check(), { changed: 1, failed: 0 })
    const first = await kept()
    assert.deepEqual(
      first.map(({ reason, text }) => [reason, text.includes('words of the first')]),
      [['new', true]],
    )
    assert.deepEqual(await check(), unchanged)
    assert.deepEqual(await kept(), first)
    if (world.hasLists) {
      await world.put('two', 'words of the second')
      assert.deepEqual(await check(), { changed: 1, failed: 0 })
      assert.ok((await kept()).at(-1)!.text.includes('words of the second'))
    }
    const { documentId } = first[0]!
    if (world.change !== undefined) {
      await world.change('one', 'other words altogether')
      assert.deepEqual(await check(), { changed: 1, failed: 0 })
      const changed = (await kept()).at(-1)!
      assert.deepEqual([changed.reason, changed.documentId], ['changed', documentId])
      assert.ok(changed.text.includes('other words altogether'))
    }
    if (world.remove !== undefined) {
      await world.remove('one')
      assert.deepEqual(await check(), { changed: 1, failed: 0 })
      const gone = (await kept()).at(-1)!
      assert.deepEqual([gone.reason, gone.documentId], ['gone', documentId])
      // A source that is gone fails from now on.
      if (!world.hasLists) return
    }
    const all = await kept()
    assert.deepEqual(await check(), unchanged)
    assert.deepEqual(await kept(), all)
  })()
}

/**
 * Tests which pages of a source a check requests: all, but none that new owners can be shown from the archive, and with scarce requests
 * none below the source that aren't worth it yet. `asked` returns the paths requested since the last call.
 */
export async function checkSharedOut(engine: StoreEngine, world: WatchedWorld, asked: () => string[]): Promise<void> {
  await withShard(engine, world, async ({ check }) => {
    await check({ depth: 1 })
    const all = asked()
    assert.ok(all.length > 2)
    await check({ depth: 1, first: true, freshFrom: 0 })
    assert.deepEqual(asked(), [])
    await check({ depth: 1, pace: 1e6 })
    assert.deepEqual(asked(), [new URL(world.url).pathname])
    await check({ depth: 1 })
    assert.deepEqual(asked().sort(), all.sort())
  })()
}

const DAY_MS = 86_400_000

/**
 * With scarce requests, a sitemap sets the pace of its pages: a page that would otherwise wait 40 days is requested after 10 if it has
 * changed by then, and not after 60 if it has not. The sitemap at the URL of the world lists `/changed`, `/unchanged` and `/undated`.
 */
export async function checkSitemapPace(
  engine: StoreEngine,
  world: WatchedWorld,
  site: { asked(): string[]; setModified(path: string, at: number): void },
): Promise<void> {
  await withShard(engine, world, async ({ check, said }) => {
    const own = new URL(world.url).pathname
    // Sitemap dates have a precision of seconds.
    const before = Math.floor(systemClock.now() / 1000) * 1000 - DAY_MS
    const earlier = before - DAY_MS
    site.setModified('/changed', earlier)
    site.setModified('/unchanged', before)
    await check({ depth: 1 })
    assert.deepEqual(site.asked().sort(), [own, '/changed', '/unchanged', '/undated'].sort())
    assert.deepEqual(said()?.dates, [before, earlier])
    const now = systemClock.now()
    // A page without history is assumed to change once in 30 days.
    const pace = (40 * DAY_MS) / Math.sqrt(30 * DAY_MS)
    await check({ depth: 1, pace, round: now + 10 * DAY_MS })
    assert.deepEqual(site.asked(), [own])
    site.setModified('/changed', now + 1_000)
    await check({ depth: 1, pace, round: now + 2 * DAY_MS })
    assert.deepEqual(site.asked(), [own])
    await check({ depth: 1, pace, round: now + 11 * DAY_MS })
    assert.deepEqual(site.asked(), [own, '/changed'])
    site.setModified('/changed', before)
    await check({ depth: 1, pace, round: now + 60 * DAY_MS })
    assert.deepEqual(site.asked(), [own, '/undated'])
    await check({ depth: 1, pace, round: now + 200 * DAY_MS })
    assert.deepEqual(site.asked().sort(), [own, '/changed', '/unchanged', '/undated'].sort())
  })()
}

/** Tests that a source's hints about its changes arrive with the result of its check. */
export async function checkHints(engine: StoreEngine, world: WatchedWorld, expected: SourceHints): Promise<void> {
  await withShard(engine, world, async ({ check, said }) => {
    await check()
    const { freshForMs = 0, ...rest } = said() ?? {}
    const { freshForMs: wanted = 0, ...others } = expected
    assert.deepEqual(rest, others)
    // `Date` has whole seconds, and `Expires` counts from it.
    assert.ok(Math.abs(freshForMs - wanted) <= 1_000, `${freshForMs}`)
  })()
}

const owner = 'ann@example.org'

/** `round`: when the check was due; defaults to now. */
type CheckParts = { depth?: number; first?: boolean; freshFrom?: number; pace?: number; round?: number }

type Kept = { documentId: number; reason: string; text: string }

type Watching = {
  /** Checks the source once, from its first request to the last. */
  check(given?: CheckParts): Promise<{ changed: number; failed: number }>
  /** The source's hints about its changes from the last read. */
  said(): SourceHints | undefined
  /** The versions of items, oldest first, without those of lists and screenshots. */
  kept(): Promise<Kept[]>
}

function withShard(engine: StoreEngine, world: WatchedWorld, work: (watching: Watching) => Promise<void>) {
  return withSystem(engine, {}, async (system) => {
    const { frontier: store, documents, objects, versions } = await openOne(system)
    const stores = engine.openStores(system)
    const names = await startNameServer(() => ({ addresses: ['127.0.0.1'] }))
    const source = sourceOf(world.url, {
      ...{ depth: 0, scope: { kind: 'page' }, render: world.render },
      credentials: world.secret === null ? '' : 'mine',
    })
    const keyed = createProfileKeys({}, (uri) => uri)(profileOf('suite', owner, [source], {}))
    await stores.profiles.put([keyed])
    const [urd] = await stores.profiles.urdsOf('suite')
    const watch = urd!.watch
    const config = configOf({
      'crawl.delay': 0,
      'crawl.delayFactor': 0,
      'network.allow': ['127.0.0.0/8'],
      'network.nameservers': [names.server],
    })
    const settings = await settingsForWatching(tmpdir(), config)
    const counters = openSharedCounters(createCounterMemory(1, null))
    const keptTexts = createKeptText({ versions, objects })
    let said: SourceHints | undefined
    let onResults: (results: readonly CheckResult[]) => void = () => {}
    const parts = await assembleShard(settings, {
      ...{ index: 0, shards: 1, run: 1, looksBack: true, seed: [1, 2], store, documents, counters },
      ...{ clock: systemClock, retries: createRetries(systemClock), logsPauses: false, log() {} },
      ...{ keptText: keptTexts.text, keptAspects: keptTexts.aspects, keptBody: keptTexts.body },
      ...{ protocols: world.protocols, walks: stores.walks },
      secrets: { open: async () => world.secret, noteFailed: async () => {}, noteUsed: async () => {} },
      coordinate: (given) =>
        createLocalCoordination({
          ...{ ...given, counters, heardAll: async () => {} },
          onResults: (results) => onResults(results),
        }),
    })
    const bodies = createBodyReader({ versions, objects })
    await parts.shard.start()

    async function check(given: CheckParts = {}): Promise<{ changed: number; failed: number }> {
      const sum = { queued: 0, changed: 0, failed: 0 }
      const { promise: isOver, resolve, reject } = Promise.withResolvers<void>()
      const add = (more: Pick<CheckResult, 'queued' | 'changed' | 'failed'>): void => {
        sum.queued += more.queued
        sum.changed += more.changed
        sum.failed += more.failed
      }
      let hasBegun = false
      const endIfOver = (): void => void (hasBegun && sum.queued === 0 && resolve())
      onResults = (results) => {
        for (const each of results) {
          add(each)
          said = each.source?.hints ?? said
          if (/^(?:failed|skipped)/.test(each.source?.outcome ?? '')) reject(new Error(each.source!.outcome))
        }
        endIfOver()
      }
      const { round = systemClock.now() } = given
      const { depth = 0, first = false, freshFrom = round, pace } = given
      const scope = depth === 0 ? source.scope : ({ kind: 'host' } as const)
      const crawlScope = { watch, sources: [{ uri: world.url, scope }], ...(pace !== undefined && { pace }) }
      const order = {
        ...{ url: watchedUri(owner, source), depth, urgency: 1, crawlScope },
        check: { watch, round, freshFrom, since: 0, first },
      }
      parts.watches.set(crawlScope)
      const begun = await parts.offerChecks([order], () => true)
      hasBegun = true
      add({ queued: begun.get(watch)!.queued, changed: 0, failed: 0 })
      endIfOver()
      await Promise.all([isOver, system.arrived?.()])
      return { changed: sum.changed, failed: sum.failed }
    }

    async function kept(): Promise<Kept[]> {
      const all = await versions.versions({ after: 0, limit: 1000 })
      const found: Kept[] = []
      for (const version of all) {
        // Skip lists, which are pages of links to their items, and screenshots.
        const isList = world.hasLists && withoutAccess(version.url) === world.url
        if (isList || version.type === 'image/png') continue
        const read = await bodies.read(version)
        const { documentId, reason } = version
        found.push({ documentId, reason, text: read.kind === 'body' ? read.body.toString() : '' })
      }
      return found
    }

    try {
      await work({ check, kept, said: () => said })
    } finally {
      await parts.shard.stop()
      await parts.close()
      stores.close()
      await names.close()
    }
  })
}
