import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CheckResult } from '../../core/check-order.ts'
import { createManualClock } from '../../core/clock.ts'
import { deliveryDefaults, type Profile, partDefaults, type ServiceLevel, type Source } from '../../core/profile.ts'
import { createMemoryFetcher, createMemoryWeb, type MemoryPage } from '../../fetchers/memory-fetcher.testkit.ts'
import { createSqliteProfiles } from '../../store/sqlite/accounts/profiles.ts'
import { type Database, openDatabase } from '../../store/sqlite/folder/database.ts'
import { openFolder, paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { createSqliteWatches } from '../../store/sqlite/frontier/watches.ts'
import { createProfileKeys } from '../profiles/keyed-profile.ts'
import { createPolicy } from '../scheduler/queues/policy.ts'
import { unlimited } from '../scheduler/scheduler.testkit.ts'
import { type Budgets, createScheduler } from '../scheduler/scheduler.ts'
import { createWatchService } from './watch-service.ts'

export type WatchingOptions = {
  pages?: Record<string, MemoryPage>
  budgets?: Partial<Budgets>
  levels?: Record<string, ServiceLevel>
  isHasty?: boolean
  maxPages?: number
  /** Those of the web by default. */
  schemes?: readonly string[]
}

export type Watching = Awaited<ReturnType<typeof openWatching>>

/** A watch service on real stores, with a web in memory and a clock that the test sets. */
export async function openWatching(options: WatchingOptions = {}) {
  const { pages, budgets, levels = {}, isHasty, maxPages = 1000, schemes } = options
  const folder = mkdtempSync(join(tmpdir(), 'erace-watching-'))
  await openFolder({ folder, holder: 'test', shards: 1 }).close()
  const db: Database = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  const profiles = createSqliteProfiles(db)
  const watches = createSqliteWatches(db)
  const keyed = createProfileKeys({})
  const web = createMemoryWeb(pages)
  const clock = createManualClock()
  const problems: string[] = []
  const waiting = { tasks: 0 }

  function begin(given: { isHasty?: boolean | undefined }) {
    const fetcher = createMemoryFetcher(web, { isHasty: given.isHasty === true, ...(schemes && { schemes }) })
    const scheduler = createScheduler({
      clock,
      policy: createPolicy('earliest-deadline'),
      budgets: { ...unlimited, perUser: null, perHost: null, ...budgets },
      timing: { minEveryMs: 1, jitter: 0 },
    })
    const service = createWatchService({
      profiles,
      watches,
      fetcher,
      scheduler,
      clock,
      levelOf: (owner) => levels[owner] ?? 'silver',
      countTasks: async () => waiting.tasks,
      maxTasks: 100,
      maxPages,
      onProblem: (message) => problems.push(message),
    })
    return { fetcher, scheduler, service }
  }

  let parts = begin({ isHasty })
  await parts.service.start()
  return {
    clock,
    db,
    web,
    watches,
    profiles,
    problems,
    waiting,
    get fetcher() {
      return parts.fetcher
    },
    get scheduler() {
      return parts.scheduler
    },
    get service() {
      return parts.service
    },
    put: (...given: Profile[]) => profiles.put(given.map(keyed)),
    remove: (...ids: string[]) => profiles.remove(ids),
    /** Restarts as after `kill -9`: everything in memory is lost, except the web. */
    async restart(given: { isHasty?: boolean } = {}) {
      parts = begin(given)
      await parts.service.start()
    },
    /** One turn of the service: fetches its orders and records their end. */
    async turn(): Promise<void> {
      await parts.service.tick()
      parts.fetcher.run()
      await parts.service.tick()
    },
    /** Goes from one due time to the next for `ms`. */
    async runFor(ms: number): Promise<void> {
      const endAt = clock.monotonic() + ms
      for (;;) {
        await parts.service.tick()
        parts.fetcher.run()
        await parts.service.tick()
        const next = Math.max(parts.scheduler.nextDueAt() ?? endAt + 1, clock.monotonic() + 1)
        if (next > endAt) break
        clock.advance(Math.ceil(next - clock.monotonic()))
      }
      clock.advance(Math.max(0, endAt - clock.monotonic()))
    },
    /** Injects results, as shards may report late. */
    tell: (results: readonly CheckResult[]): void => parts.fetcher.tell(results),
    /** Removes and returns the URLs of the orders so far. */
    takeOrders: (): string[] => parts.fetcher.orders.splice(0).map(({ url }) => url),
    async rowOf(uri: string) {
      return (await watches.all()).find((row) => row.uri === uri)!
    },
    isVisited: async (profile: string): Promise<boolean> =>
      (await profiles.urdsOf(profile)).every(({ visitedAt }) => visitedAt > 0),
    close() {
      db.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function sourceAt(uri: string, parts: Partial<Source> = {}): Source {
  const everyMs = parts.everyMs ?? 600_000
  const rest = { depth: 0, scope: { kind: 'host' }, process: 'filter', window: null, ...partDefaults } as const
  return { uri, everyMs, everyMaxMs: everyMs, ...rest, ...parts }
}

export function profileWith(id: string, owner: string, sources: Source[], parts: Partial<Profile> = {}): Profile {
  return {
    id,
    owner,
    name: id,
    paused: false,
    sources,
    interests: {
      keywords: [],
      exclude: [],
      expression: 'java',
      threshold: 0,
      stemming: '',
      scorer: 'keywords',
      ignore: [],
      match: 'change',
    },
    urgency: 1,
    amount: 'summary',
    delivery: deliveryDefaults,
    ...parts,
  }
}

/** Gives each test its own watch service over these pages. */
export function watchingOver(pages: NonNullable<WatchingOptions['pages']>) {
  return (options: WatchingOptions, work: (watching: Watching) => Promise<void>) => async (): Promise<void> => {
    const watching = await openWatching({ pages, ...options })
    try {
      await work(watching)
    } finally {
      watching.close()
    }
  }
}
