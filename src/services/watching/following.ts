import { createBackoff } from '../../core/retry.ts'
import type { AskedStore, ClusterEvents, ScheduleStats } from '../../store/contracts/cluster-events.ts'
import type { SchedulerStats } from '../scheduler/scheduler-report.ts'
import { checksChannel, readWords } from './check-words.ts'
import type { ScheduleMirror } from './schedule-mirror.ts'
import { createStir } from './stir.ts'
import type { CheckListener, WatchService } from './watch-service.ts'

export type FollowingDeps = {
  mirror: ScheduleMirror
  asked: Pick<AskedStore, 'ask'>
  stats: Pick<ScheduleStats, 'read'>
  events: Pick<ClusterEvents, 'listen'>
  /** Whether this process leads: then there is nobody to follow. */
  isLeading(): boolean
  onCheck: CheckListener
}

export type Following = {
  /** Reads everything for the first time, and goes on by itself. */
  start(): Promise<void>
  /** This process has led and leads no more: all is read again. */
  again(): void
  checkNow: WatchService['checkNow']
  snapshot: ScheduleMirror['snapshot']
  urdsOf: ScheduleMirror['urdsOf']
  stats(): SchedulerStats
  healthError(): string | null
  stop(): Promise<void>
}

const POLL_EVERY_MS = 1_000
const MAX_WAIT_MS = 5_000

/**
 * What a process that does not lead the scheduler shows of it, and how it asks for checks. What others tell on the channel is only a reason
 * to look: where words were missed everything is read again. What somebody asked for is kept until it is written down.
 */
export function createFollowing({ mirror, asked, stats, events, isLeading, onCheck }: FollowingDeps): Following {
  const ending = new AbortController()
  const stir = createStir(ending.signal)
  const wanted = new Set<number>()
  let begun = new Set<number>()
  let ended = new Set<number>()
  let isStale = true
  let shown: SchedulerStats | null = null
  let healthError: string | null = null
  let following: Promise<void> = Promise.resolve()
  let stopListening: () => void = () => {}

  function hear(payload: string | null): void {
    if (isLeading()) return
    const words = readWords(payload)
    if (words === null) isStale = true
    for (const watch of words?.begun ?? []) begun.add(watch)
    for (const watch of words?.ended ?? []) ended.add(watch)
    stir.now()
  }

  async function readChecks(): Promise<void> {
    const taken = { begun, ended, isStale }
    begun = new Set()
    ended = new Set()
    isStale = false
    try {
      if (taken.isStale) await mirror.reread(null)
      else if (taken.ended.size > 0) await mirror.reread([...taken.ended])
    } catch (error) {
      begun = new Set([...taken.begun, ...begun])
      ended = new Set([...taken.ended, ...ended])
      isStale ||= taken.isStale
      throw error
    }
    for (const watch of taken.begun) {
      if (!taken.ended.has(watch)) mirror.noteBegun(watch)
      onCheck(watch, 'begun')
    }
    for (const watch of taken.ended) onCheck(watch, 'ended')
  }

  async function ask(): Promise<void> {
    const some = [...wanted]
    if (some.length === 0) return
    await asked.ask(some)
    for (const watch of some) wanted.delete(watch)
  }

  async function look(): Promise<void> {
    await ask()
    if (isLeading()) return
    await mirror.refresh()
    await readChecks()
    shown = (await stats.read()) as SchedulerStats | null
  }

  async function lookQuietly(): Promise<void> {
    try {
      await look()
      healthError = null
    } catch (error) {
      healthError = error instanceof Error ? error.message : String(error)
    }
  }

  async function follow(): Promise<void> {
    const backoff = createBackoff({ firstMs: 2 * POLL_EVERY_MS, lastMs: MAX_WAIT_MS })
    let waitMs = POLL_EVERY_MS
    while (!ending.signal.aborted) {
      await stir.until(waitMs)
      if (ending.signal.aborted) return
      await lookQuietly()
      if (healthError === null) backoff.reset()
      waitMs = healthError === null ? POLL_EVERY_MS : backoff.nextMs()
    }
  }

  return {
    async start() {
      stopListening = events.listen(checksChannel, hear)
      await lookQuietly()
      following = follow()
    },
    again() {
      isStale = true
      stir.now()
    },
    checkNow(watch) {
      const state = mirror.snapshot(watch)?.state
      if (state === 'out') return 'out-already'
      if (state === 'paused') return 'paused'
      // One that is not known here may be new.
      wanted.add(watch)
      mirror.noteAsked(watch)
      stir.now()
      return 'asked'
    },
    snapshot: mirror.snapshot,
    urdsOf: mirror.urdsOf,
    stats: () => shown ?? mirror.stats(),
    healthError: () => healthError,
    async stop() {
      ending.abort()
      stopListening()
      await following
      await ask().catch(() => {})
    },
  }
}
