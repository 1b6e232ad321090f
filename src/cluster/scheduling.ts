import type { Logger } from 'pino'
import type { PostgresStores } from '../app/engines/postgres-stores.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { createSeedOffers } from '../crawl/worker/seed-offers.ts'
import { createStoreProxy } from '../fetchers/cluster/cluster-fetcher.ts'
import { createAccountLevels } from '../services/accounts/account-levels.ts'
import { createPolicy } from '../services/scheduler/policy.ts'
import { budgetsOf, createLevels } from '../services/scheduler/schedule-settings.ts'
import { createScheduler, type Scheduler } from '../services/scheduler/scheduler.ts'
import { createFollowing } from '../services/watching/following.ts'
import { createLeadership } from '../services/watching/leadership.ts'
import { createLeading } from '../services/watching/leading.ts'
import { createScheduleLog } from '../services/watching/schedule-log.ts'
import { createScheduleMirror } from '../services/watching/schedule-mirror.ts'
import { runWatchLoop } from '../services/watching/watch-loop.ts'
import { type CheckListener, createWatchService, type WatchService } from '../services/watching/watch-service.ts'
import type { ClusterEvents } from '../store/contracts/cluster-events.ts'
import { createPostgresAsked } from '../store/postgres/cluster/asked.ts'
import { createPostgresCheckResults, schedulerRole } from '../store/postgres/cluster/check-results.ts'
import { createPostgresChecks } from '../store/postgres/cluster/checks.ts'
import { createPostgresCrawlScopes } from '../store/postgres/cluster/crawl-scopes.ts'
import { createPostgresNodes } from '../store/postgres/cluster/nodes.ts'
import { countTasksUpTo, createScheduleStats } from '../store/postgres/cluster/schedule-stats.ts'
import { createPostgresWatches } from '../store/postgres/cluster/watches.ts'
import { createLeaderLease } from '../store/postgres/leases/leader.ts'

export type ClusterScheduleOptions = {
  stores: PostgresStores
  clock: Clock
  config: Config
  log: Logger
  /** Different for every process. */
  holder: string
  events: ClusterEvents
}

export type ClusterSchedule = {
  watching: Pick<WatchService, 'checkNow'>
  checks: Pick<WatchService, 'onCheck' | 'urdsOf'>
  scheduler: Pick<Scheduler, 'snapshot' | 'stats'>
  isLeader(): boolean
  /** How often something was refused that this process wrote when it led no more. */
  refused(): number
  healthError(): string | null
  stop(): Promise<void>
}

/** What there is to see of the schedule, and whom to ask for a check. */
type View = Pick<WatchService, 'checkNow' | 'urdsOf'> & Pick<Scheduler, 'snapshot' | 'stats'>

/** Versions that may wait for the annotation engines of all workers before no check is begun any more. */
const MAX_TASKS = 20_000
/** The others ask for the lease at once when it is given up. */
const LEADER_CHANNEL = 'scheduler'

/**
 * The schedule of a cluster, in each process that serves. One of them leads: it begins the checks. The others show what it does, pass
 * on what they are asked for, and one of them takes over when the leader is silent for the time of a lease.
 */
export async function startClusterSchedule(options: ClusterScheduleOptions): Promise<ClusterSchedule> {
  const { stores, clock, config, log, holder, events } = options
  const { pool } = stores
  const { leaseMs } = config.cluster
  const onProblem = (message: string, fields: Record<string, unknown>): void => log.warn(fields, message)
  const createLevelsOf = () =>
    createAccountLevels({ accounts: stores.accounts, otherwise: createLevels(config.schedule) })
  const seeds = createSeedOffers({ crawl: config.crawl, hostRules: null, seed: stores.seed })
  const asked = createPostgresAsked(pool)
  const stats = createScheduleStats(pool)
  const countTasks = (): Promise<number> => countTasksUpTo(pool, MAX_TASKS)
  let tell: CheckListener = () => {}
  let leader: View | null = null

  async function lead(epoch: number, signal: AbortSignal, isWell: () => void): Promise<void> {
    const watches = createPostgresWatches(pool, { epoch })
    const scheduler = schedulerOf(config, clock)
    const levels = createLevelsOf()
    const proxy = createStoreProxy({
      epoch,
      crawlScopes: createPostgresCrawlScopes(pool),
      checks: createPostgresChecks(pool),
      results: createPostgresCheckResults(pool),
      watches,
      nodes: createPostgresNodes(pool),
      offersOf: seeds.ofChecks,
      events,
      clock,
    })
    const service = createWatchService({
      profiles: stores.profiles,
      watches,
      proxy,
      scheduler,
      clock,
      levelOf: levels.levelOf,
      changedLevels: levels.refresh,
      countTasks,
      maxTasks: MAX_TASKS,
      maxPages: config.schedule.maxPages,
      onProblem,
    })
    const onCheck: CheckListener = (watch, phase) => tell(watch, phase)
    const leading = createLeading({ epoch, service, scheduler, asked, stats, events, clock, onCheck })
    const write = (fields: object): void => log.info(fields, 'schedule')
    const scheduleLog = createScheduleLog({ clock, stats: scheduler.stats, countTasks, write })
    try {
      await service.start()
      await leading.begin()
      leader = { ...service, snapshot: scheduler.snapshot, stats: scheduler.stats }
      log.info({ epoch }, 'this process leads the scheduler')
      isWell()
      const { beforeTick, afterTick } = leading
      await runWatchLoop({ service, scheduleLog, clock, signal, failure: proxy.failed, beforeTick, afterTick })
    } finally {
      leader = null
      following.again()
      leading.end()
      await proxy.stop()
    }
  }

  const lease = createLeaderLease({ pool, name: schedulerRole, holder, clock, leaseMs })
  const leadership = createLeadership({ lease, leaseMs, clock, lead, onProblem })
  const levels = createLevelsOf()
  const following = createFollowing({
    mirror: createScheduleMirror({
      profiles: stores.profiles,
      watches: stores.watches,
      scheduler: schedulerOf(config, clock),
      clock,
      levelOf: levels.levelOf,
      changedLevels: levels.refresh,
      // Whoever leads says it.
      onProblem: () => {},
    }),
    asked,
    stats,
    events,
    isLeading: () => leader !== null,
    onCheck: (watch, phase) => tell(watch, phase),
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
        tell = listener
      },
    },
    scheduler: { snapshot: (watch) => view().snapshot(watch), stats: () => view().stats() },
    isLeader: () => leader !== null && leadership.isLeader(),
    refused: leadership.refused,
    healthError: () => leadership.healthError() ?? (leader === null ? following.healthError() : null),
    async stop() {
      stopListening()
      const hasLed = leadership.isLeader()
      await leadership.stop()
      await following.stop()
      if (hasLed) await events.notify(LEADER_CHANNEL).catch(() => {})
    },
  }
}

function schedulerOf({ schedule }: Config, clock: Clock): Scheduler {
  const shares = { gold: schedule.goldShare, silver: schedule.silverShare, bronze: schedule.bronzeShare }
  return createScheduler({
    clock,
    policy: createPolicy(schedule.policy, shares),
    budgets: budgetsOf(schedule),
    timing: { minEveryMs: schedule.minEveryMs },
  })
}
