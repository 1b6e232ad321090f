import type { Clock } from '../../core/clock.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import { withinLimit } from '../../core/work/race.ts'
import type { CounterName } from '../../crawl/worker/shared-counters.ts'
import type { SetAside } from '../../store/contracts/annotations.ts'
import type { ChannelFigures } from '../../store/contracts/channels.ts'
import { type CollectionRun, lastCollectionOf } from '../../store/contracts/collection-runs.ts'
import type { KeptCounts } from '../../store/contracts/store-set.ts'
import { channelTotals } from '../channels/channel-totals.ts'
import type { SchedulerStats } from '../scheduler/scheduler-report.ts'
import type { ValueReport } from '../scheduler/value/value-report.ts'
import { serviceLevels } from '../scheduler/watch.ts'
import { SET_ASIDE_SHOWN, setAsideReport } from './set-aside.ts'
import type { CrawlReport, CrawlTotals, LevelStats, Meters, Stats } from './stats.ts'

/**
 * What the crawl is doing now, and did in the last ten minutes.
 *
 * Each second the shared counters are read (`tick`), which costs next to nothing, and published to listeners.
 * Every other second they become a point of the series. Values from the store or the file system are read only for the
 * whole report, and cached for a while; only tasks are counted with the points. Nothing is kept beyond the process: after
 * a restart the charts start empty.
 */
export type Activity = {
  /** Ticks each second until the end. */
  start(): void
  tick(): Promise<void>
  now(): Stats
  report(): Promise<CrawlReport>
  meters(): Meters
  /** Why nothing is fetched; null if all is well. */
  paused(): Promise<string | null>
  /** Has versions that were set aside processed again. Returns how many. */
  retrySetAside(): Promise<number>
  noteAnnotations(count: number): void
  /** Channels of all owners by kind, at most some seconds old. */
  channelFigures(): Promise<ChannelFigures[]>
  end(): void
}

/** Counters of the crawl, for this process or for all that share the work. */
export type CrawlCounters = {
  total(name: CounterName): number
  isThrottled(): boolean
  /** The counters that rates are computed from; the totals if omitted. */
  flow?(name: CounterName): number
  /** Called each second if the counters come from elsewhere. A failure leaves them unchanged. */
  refresh?(): Promise<void>
  /** Why nothing is fetched; omitted if the counters tell. */
  whyIdle?(): string | null
}

export type ActivityDeps = {
  clock: Clock
  counters: CrawlCounters
  stats(): SchedulerStats
  store: {
    countTasks(): Promise<number>
    setAside(limit: number): Promise<SetAside>
    retrySetAside(): Promise<number>
    countKept(): Promise<KeptCounts>
    readDisk(): Promise<CrawlReport['disk']>
    lastCollection(): Promise<CollectionRun | null>
    channelFigures(): Promise<ChannelFigures[]>
  }
  /** Called each second. */
  publish(stats: Stats): void
}

const TICK_MS = 1_000
const POINT_MS = 2_000
const SERIES_MS = 600_000
const MAX_POINTS = SERIES_MS / POINT_MS
const RATE_WINDOW_MS = 5_000
const TASKS_AGE_MS = 2_000
const STATS_AGE_MS = 1_000
const DISK_AGE_MS = 30_000
const KEPT_AGE_MS = 30_000
const CHANNELS_AGE_MS = 10_000
/** Timers sometimes fire a little early. */
const SLACK_MS = 100
/** Free space below which refused writes mean a full disk. */
const FULL_BYTES = 64 << 20

const rated = ['fetched', 'bytes', 'failed'] as const
const counted = ['fetched', 'stored', 'unchanged', 'failed', 'bytes'] as const

export function createActivity({ clock, counters, stats, store, publish }: ActivityDeps): Activity {
  const window = createRateWindow(rated, RATE_WINDOW_MS)
  const countTasks = remembered(clock, TASKS_AGE_MS, store.countTasks)
  const countKept = remembered(clock, KEPT_AGE_MS, store.countKept)
  const channelFigures = remembered(clock, CHANNELS_AGE_MS, store.channelFigures)
  const readDisk = remembered(clock, DISK_AGE_MS, store.readDisk)
  const series: Stats[] = []
  let tasks = 0
  let annotations = 0
  let pointAt = Number.NEGATIVE_INFINITY
  let statsAt = Number.NEGATIVE_INFINITY
  let levels: LevelStats[] = []
  let freshness: ValueReport | null = null
  let timer: NodeJS.Timeout | null = null
  let isTicking = false

  const flowOf = counters.flow ?? counters.total

  const totalsOf = <Name extends CounterName>(names: readonly Name[]): Record<Name, number> =>
    Object.fromEntries(names.map((name) => [name, counters.total(name)])) as Record<Name, number>

  function now(): Stats {
    const { fetched, bytes, failed } = window.rates()
    return {
      at: new Date(clock.now()).toISOString(),
      pagesPerSecond: fetched,
      bytesPerSecond: bytes,
      errorsPerSecond: failed,
      queued: counters.total('queued'),
      inFlight: counters.total('inFlight'),
      activeHosts: counters.total('activeHosts'),
      restingHosts: counters.total('restingHosts'),
      tasks,
    }
  }

  async function tick(): Promise<void> {
    // If the store does not answer, only one tick waits for it.
    if (isTicking) return
    isTicking = true
    try {
      await look()
    } finally {
      isTicking = false
    }
  }

  async function look(): Promise<void> {
    await counters.refresh?.().catch(() => {})
    const flows = { fetched: flowOf('fetched'), bytes: flowOf('bytes'), failed: flowOf('failed') }
    window.add(clock.monotonic(), flows)
    const isPoint = clock.monotonic() - pointAt >= POINT_MS - SLACK_MS
    if (isPoint) {
      pointAt = clock.monotonic()
      // If the store is busy for a moment, keep the last count.
      tasks = await countTasks().catch(() => tasks)
    }
    const stats = now()
    if (isPoint) series.push(stats)
    if (series.length > MAX_POINTS) series.shift()
    publish(stats)
  }

  /** Cached, because finding overdue sources means looking at each of them. */
  function levelsNow(): LevelStats[] {
    if (clock.monotonic() - statsAt < STATS_AGE_MS) return levels
    statsAt = clock.monotonic()
    const { levels: all, value } = stats()
    freshness = value ?? null
    levels = serviceLevels.map((level) => {
      const { met, missed, queued, overdue } = all[level]
      return { level, met, missed, queued, overdue }
    })
    return levels
  }

  async function paused(): Promise<string | null> {
    if (counters.whyIdle !== undefined) return counters.whyIdle() ?? heldBack()
    if (counters.total('paused') > 0) {
      const { freeBytes } = await readDisk()
      if (freeBytes !== null && freeBytes < FULL_BYTES)
        return 'The disk is full. Fetching continues when there is space again.'
      return 'The store is not accepting writes. See the log for the reason.'
    }
    return heldBack()
  }

  function heldBack(): string | null {
    if (!counters.isThrottled()) return null
    return 'Processing has fallen behind. Fetching continues when it has caught up.'
  }

  return {
    now,
    tick,
    paused,
    channelFigures,
    retrySetAside: store.retrySetAside,
    start() {
      timer ??= setInterval(() => void tick(), TICK_MS)
      timer.unref()
    },
    async report() {
      const [kept, disk, reason, aside, run, channels] = await Promise.all([
        countKept(),
        readDisk(),
        paused(),
        store.setAside(SET_ASIDE_SHOWN),
        store.lastCollection(),
        channelFigures(),
      ])
      const totals: CrawlTotals = totalsOf(counted)
      return {
        now: now(),
        series: [...series],
        totals: { ...totals, ...kept },
        levels: levelsNow(),
        freshness,
        paused: reason,
        setAside: setAsideReport(aside),
        channels: channelTotals(channels),
        disk,
        lastCollection: lastCollectionOf(run),
      }
    },
    meters() {
      const { queued, inFlight } = now()
      return { ...totalsOf(counted), queued, inFlight, tasks, annotations, levels: levelsNow() }
    },
    noteAnnotations(count) {
      annotations += count
    },
    end() {
      if (timer !== null) clearInterval(timer)
      timer = null
    },
  }
}

/** A health check must answer sooner than a request. */
const MAX_CHECK_MS = 3_000

export async function storeHealthErrors(store: { check(): Promise<void> }): Promise<string[]> {
  try {
    await withinLimit(store.check(), MAX_CHECK_MS, () => {
      throw new AppError('took-too-long', 'the store is too slow to answer')
    })
    return []
  } catch (error) {
    const code = isAppError(error) ? error.code : 'internal'
    const isSilent = code === 'store-unreachable' || code === 'took-too-long'
    return [isSilent ? `the store does not answer: ${code}` : `the store can't be used: ${code}`]
  }
}

/** Samples of running totals over the last seconds, for rates that do not jump with every page. */
function createRateWindow<Name extends string>(names: readonly Name[], windowMs: number) {
  type Sample = { at: number; totals: Record<Name, number> }
  let samples: Sample[] = []

  return {
    add(at: number, totals: Record<Name, number>): void {
      samples.push({ at, totals })
      // Keep the last sample from before the window: rates start from it.
      const first = samples.findLastIndex((sample) => sample.at <= at - windowMs)
      if (first > 0) samples = samples.slice(first)
    },
    /** Per second; 0 until there are two samples. */
    rates(): Record<Name, number> {
      const oldest = samples[0]
      const newest = samples.at(-1)
      const seconds = oldest === undefined || newest === undefined ? 0 : (newest.at - oldest.at) / 1000
      const rate = (name: Name): number =>
        seconds <= 0 ? 0 : Math.max(0, (newest!.totals[name] - oldest!.totals[name]) / seconds)
      return Object.fromEntries(names.map((name) => [name, rate(name)])) as Record<Name, number>
    },
  }
}

/**
 * Caches an answer for `maxAgeMs`: a value read each second need not be counted each second. Concurrent callers share one
 * answer; a failure goes to all of them and is not cached.
 */
function remembered<T>(clock: Clock, maxAgeMs: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null
  let askedAt = 0
  return () => {
    if (answer !== null && clock.monotonic() - askedAt < maxAgeMs) return answer
    askedAt = clock.monotonic()
    const asked = ask()
    answer = asked
    asked.catch(() => {
      if (answer === asked) answer = null
    })
    return asked
  }
}
