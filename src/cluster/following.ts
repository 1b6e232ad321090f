import type { Track } from '../core/work/retries.ts'
import type { SchedulerStats } from '../services/scheduler/scheduler-report.ts'
import type { CheckListener, WatchService } from '../services/watching/watch-service.ts'
import type { AskedStore, ClusterEvents, ScheduleStats } from '../store/contracts/cluster/events.ts'
import { checksChannel, readCheckPayload } from './leading.ts'
import { type Loop, startLoop } from './poll-loop.ts'
import type { ScheduleMirror } from './schedule-mirror.ts'

export type FollowingDeps = {
  mirror: ScheduleMirror
  asked: Pick<AskedStore, 'ask'>
  stats: Pick<ScheduleStats, 'read'>
  events: Pick<ClusterEvents, 'listen'>
  /** Whether this process leads: then there is no one to follow. */
  isLeading(): boolean
  onCheck: CheckListener
  track: Track
}

export type Following = {
  /** Reads everything, then follows the leader. */
  start(): Promise<void>
  /** Rereads everything, since this process has just stopped leading. */
  again(): void
  checkNow: WatchService['checkNow']
  snapshot: ScheduleMirror['snapshot']
  urdsOf: ScheduleMirror['urdsOf']
  stats(): SchedulerStats
  stop(): Promise<void>
}

const POLL_EVERY_MS = 1_000
const MAX_WAIT_MS = 5_000

/**
 * The schedule in a process that doesn't lead it: shows the leader's state and passes on requests for checks. Notifications only trigger
 * a read; if some were missed, everything is reread. A request for a check is kept until it is written.
 */
export function createFollowing({ mirror, asked, stats, events, isLeading, onCheck, track }: FollowingDeps): Following {
  const wanted = new Set<number>()
  let begun = new Set<number>()
  let ended = new Set<number>()
  let isStale = true
  let shown: SchedulerStats | null = null
  let loop: Loop | null = null
  let stopListening: () => void = () => {}

  function onNotified(payload: string | null): void {
    if (isLeading()) return
    const notice = readCheckPayload(payload)
    if (notice === null) isStale = true
    for (const watch of notice?.begun ?? []) begun.add(watch)
    for (const watch of notice?.ended ?? []) ended.add(watch)
    loop?.now()
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

  async function poll(): Promise<void> {
    await ask()
    if (isLeading()) return
    await mirror.refresh()
    await readChecks()
    shown = (await stats.read()) as SchedulerStats | null
  }

  return {
    async start() {
      stopListening = events.listen(checksChannel, onNotified)
      loop = startLoop({
        everyMs: POLL_EVERY_MS,
        maxEveryMs: MAX_WAIT_MS,
        work: poll,
        track,
      })
      await loop.first
    },
    again() {
      isStale = true
      loop?.now()
    },
    checkNow(watch) {
      const state = mirror.snapshot(watch)?.state
      if (state === 'out') return 'out-already'
      if (state === 'paused') return 'paused'
      // A watch that is unknown here may be new.
      wanted.add(watch)
      mirror.noteAsked(watch)
      loop?.now()
      return 'asked'
    },
    snapshot: mirror.snapshot,
    urdsOf: mirror.urdsOf,
    stats: () => shown ?? mirror.stats(),
    async stop() {
      stopListening()
      await loop?.end()
      await ask().catch(() => {})
    },
  }
}
