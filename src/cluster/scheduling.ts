import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Retries } from '../core/work/retries.ts'
import type { Fetcher } from '../fetchers/fetcher.ts'
import type { Retention } from '../services/retention/retention.ts'
import type { Scheduler } from '../services/scheduler/scheduler.ts'
import type { ListenTo } from '../services/watching/listening.ts'
import type { CheckListener, WatchService } from '../services/watching/watch-service.ts'
import { createWatching, levelsOf, schedulerOf } from '../services/watching/watching.ts'
import type { AskedStore, ClusterEvents, ScheduleStats } from '../store/contracts/cluster/events.ts'
import type { LeaderLease } from '../store/contracts/cluster/partition-leases.ts'
import type { CrawlStore } from '../store/contracts/crawls.ts'
import type { StoreSet } from '../store/contracts/store-set.ts'
import type { WatchStore } from '../store/contracts/watches.ts'
import { createFollowing } from './following.ts'
import { createLeadership } from './leadership.ts'
import { createLeading } from './leading.ts'
import { createScheduleMirror } from './schedule-mirror.ts'

export type ClusterScheduleDeps = {
  stores: Pick<StoreSet, 'profiles' | 'watches' | 'accounts'> & {
    /** Rejects writes under an old epoch. */
    fencedCrawls(epoch: number): CrawlStore
    asked: AskedStore
    stats: ScheduleStats
    /** Stops counting at `limit`: there may be millions. */
    countTasks(limit: number): Promise<number>
    /** Rejects writes under an old epoch. */
    fencedWatches(epoch: number): WatchStore
  }
  lease: LeaderLease
  /** Starts retention, which runs while this process leads. */
  startRetention(): Retention
  events: ClusterEvents
  /** For one term of leadership. */
  createFetcher(epoch: number): Fetcher
  /** Listens to sources that push news. */
  listenTo?: ListenTo
  /** URL schemes of all fetchers. */
  schemes: readonly string[]
  clock: Clock
  config: Config
  log: Logger
  retries: Retries
}

export type ClusterSchedule = {
  watching: Pick<WatchService, 'checkNow'>
  checks: Pick<WatchService, 'onCheck' | 'urdsOf'>
  scheduler: Pick<Scheduler, 'snapshot' | 'stats'>
  isLeader(): boolean
  /** How many writes were refused because this process no longer led. */
  refused(): number
  healthError(): string | null
  stop(): Promise<void>
}

/** Shows the schedule and takes requests for checks. */
type View = Pick<WatchService, 'checkNow' | 'urdsOf'> & Pick<Scheduler, 'snapshot' | 'stats'>

/** No more checks are started while this many versions wait for the annotation engines of all workers. */
const MAX_TASKS = 20_000
/** Notified when the lease is given up: the others request it at once. */
const LEADER_CHANNEL = 'scheduler'

/**
 * The schedule of a cluster, in each process that serves. One of them leads: it starts the checks. The others show what it does and pass
 * on requests for checks, and one of them takes over when the leader is silent for the length of a lease.
 */
export async function startClusterSchedule(deps: ClusterScheduleDeps): Promise<ClusterSchedule> {
  const { stores, lease, events, schemes, clock, config, log, retries } = deps
  const { asked, stats } = stores
  const { leaseMs } = config.cluster
  let notifyCheck: CheckListener = () => {}
  let leader: View | null = null
  const onCheck: CheckListener = (watch, phase) => notifyCheck(watch, phase)

  async function lead(epoch: number, signal: AbortSignal, isWell: () => void): Promise<void> {
    const fetcher = deps.createFetcher(epoch)
    const { service, scheduler, run } = createWatching({
      stores: { ...stores, watches: stores.fencedWatches(epoch), crawls: stores.fencedCrawls(epoch) },
      ...{ fetcher, config, clock, log, maxTasks: MAX_TASKS },
      countTasks: () => stores.countTasks(MAX_TASKS),
      ...(deps.listenTo && { listenTo: deps.listenTo }),
    })
    const leading = createLeading({ epoch, service, scheduler, asked, stats, events, clock, onCheck })
    let retention: Retention | null = null
    try {
      await service.start()
      await leading.begin()
      leader = { ...service, snapshot: scheduler.snapshot, stats: scheduler.stats }
      log.info({ epoch }, 'this process leads the scheduler')
      isWell()
      retention = deps.startRetention()
      const { beforeTick, afterTick } = leading
      await run({ signal, failure: fetcher.failed, beforeTick, afterTick })
    } finally {
      leader = null
      following.again()
      leading.end()
      await retention?.end()
      await fetcher.stop()
    }
  }

  const onProblem = (message: string, fields: Record<string, unknown>): void => log.warn(fields, message)
  const leadership = createLeadership({ lease, leaseMs, clock, lead, onProblem, retries })
  const following = createFollowing({
    mirror: createScheduleMirror({
      ...{ profiles: stores.profiles, watches: stores.watches, schemes, clock },
      ...levelsOf(stores.accounts, config),
      scheduler: schedulerOf(config, clock, null),
      // The leader logs them.
      onProblem: () => {},
    }),
    ...{ asked, stats, events, onCheck, track: retries.track('following the schedule') },
    isLeading: () => leader !== null,
  })
  const view = (): View => leader ?? following
  const stopListening = events.listen(LEADER_CHANNEL, leadership.beatSoon)
  await leadership.start()
  await following.start()

  return {
    watching: { checkNow: (watch) => view().checkNow(watch) },
    checks: {
      urdsOf: (watch) => view().urdsOf(watch),
      onCheck(listener) {
        notifyCheck = listener
      },
    },
    scheduler: { snapshot: (watch) => view().snapshot(watch), stats: () => view().stats() },
    isLeader: () => leader !== null && leadership.isLeader(),
    refused: leadership.refused,
    healthError: () => leadership.healthError(),
    async stop() {
      stopListening()
      const hasLed = leadership.isLeader()
      await leadership.stop()
      await following.stop()
      if (hasLed) await events.notify(LEADER_CHANNEL).catch(() => {})
    },
  }
}
