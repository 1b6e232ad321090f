import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { ServiceLevel } from '../../core/profile.ts'
import { createWhileAlive } from '../../core/work/race.ts'
import type { Fetcher } from '../../fetchers/fetcher.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'
import { createAccountLevels } from '../accounts/account-levels.ts'
import { readConfiguredSeeds } from '../crawls/configured-crawl.ts'
import { type CrawlJobsDeps, createCrawlJobs } from '../crawls/crawl-jobs.ts'
import { createPolicy } from '../scheduler/queues/policy.ts'
import { budgetsOf, createLevels, sharesOf, valueOptionsOf } from '../scheduler/schedule-settings.ts'
import { createScheduler, type Scheduler } from '../scheduler/scheduler.ts'
import type { ListenTo } from './listening.ts'
import { createScheduleLog } from './schedule-log.ts'
import { createSleeper } from './sleeper.ts'
import { createWatchService, type WatchService } from './watch-service.ts'

export type WatchingDeps = {
  stores: Pick<StoreSet, 'profiles' | 'watches' | 'accounts' | 'crawls'>
  fetcher: Fetcher
  config: Config
  clock: Clock
  log: Logger
  /** Versions waiting for the annotation engine; from `maxTasks` on no check is started. */
  countTasks(): Promise<number>
  maxTasks: number
  /** Counts the pages of crawls over all shards of this process. */
  budgets?: CrawlJobsDeps['budgets']
  /** Listens to sources that push changes. */
  listenTo?: ListenTo
}

export type WatchLoopHooks = {
  /** Ends the loop cleanly. */
  signal: AbortSignal
  /** Rejects when one of the parts can't continue; the loop fails with it. */
  failure: Promise<never>
  /** Called at once when checks have results. */
  onResults?(): void
  beforeTick?(): Promise<void>
  /** Called after each tick, once its results are written. */
  afterTick?(): void
}

export type Watching = { service: WatchService; scheduler: Scheduler; run(hooks: WatchLoopHooks): Promise<void> }

/** Watches all sources of the profile base: scheduler, watch service, and the loop that drives them. */
export function createWatching(deps: WatchingDeps): Watching {
  const { stores, fetcher, config, clock, log, countTasks, maxTasks } = deps
  const levels = levelsOf(stores.accounts, config)
  const scheduler = schedulerOf(config, clock, levels.levelOf)
  const onProblem = (message: string, fields: Record<string, unknown>): void => log.warn(fields, message)
  const crawls = createCrawlJobs({
    ...{ crawls: stores.crawls, fetcher, config, clock, onProblem },
    budgets: deps.budgets,
    configured: () => readConfiguredSeeds(config),
  })
  const service = createWatchService({
    ...{ profiles: stores.profiles, watches: stores.watches, fetcher, crawls, scheduler, clock, countTasks, maxTasks },
    ...levels,
    maxPages: config.schedule.maxPages,
    listenTo: deps.listenTo,
    onProblem,
  })
  const write = (fields: object): void => log.debug(fields, 'schedule')
  const scheduleLog = createScheduleLog({ clock, stats: scheduler.stats, countTasks, write })
  return {
    service,
    scheduler,
    async run({ signal, failure, onResults, beforeTick, afterTick }) {
      const sleeper = createSleeper(signal)
      const whileAlive = createWhileAlive(failure)
      service.onResults(() => {
        onResults?.()
        sleeper.wake()
      })
      try {
        while (!signal.aborted) {
          if (beforeTick !== undefined) await whileAlive(beforeTick())
          const nextAt = await whileAlive(service.tick())
          await scheduleLog.tick()
          afterTick?.()
          await whileAlive(sleeper.sleep(nextAt - clock.monotonic()))
        }
      } finally {
        await service.stopListening()
      }
      await scheduleLog.end()
    },
  }
}

/** `levelOf` is null for a scheduler that plans nothing itself and uses the saved intervals. */
export function schedulerOf(
  config: Config,
  clock: Clock,
  levelOf: ((owner: string) => ServiceLevel) | null,
): Scheduler {
  const { schedule } = config
  const value = levelOf === null ? null : valueOptionsOf(config, levelOf)
  return createScheduler({
    clock,
    policy: createPolicy(schedule.policy, sharesOf(schedule)),
    budgets: budgetsOf(schedule),
    timing: { minEveryMs: schedule.minEveryMs },
    ...(value !== null && { value }),
  })
}

/** The service levels of users, from their accounts; users without one have the configured level. */
export function levelsOf(accounts: StoreSet['accounts'], { schedule }: Config) {
  const { levelOf, refresh } = createAccountLevels({ accounts, otherwise: createLevels(schedule) })
  return { levelOf, changedLevels: refresh }
}
