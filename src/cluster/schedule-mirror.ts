import type { Clock } from '../core/clock.ts'
import type { Scheduler } from '../services/scheduler/scheduler.ts'
import type { WatchSnapshot } from '../services/scheduler/scheduler-report.ts'
import { forwardTouched } from '../services/scheduler/urds/coalesce.ts'
import { createWatchedSources, type WatchedSourcesDeps } from '../services/watching/watched-sources.ts'
import type { WatchRow, WatchStore } from '../store/contracts/watches.ts'

export type ScheduleMirrorDeps = Omit<WatchedSourcesDeps, 'watches'> & {
  watches: Pick<WatchStore, 'all' | 'find'>
  /** Of its own: no check is ever taken from it. It only computes when watches are due. */
  scheduler: Scheduler
  clock: Clock
}

/** The schedule that another process keeps, as seen in the store: checks in progress, and when the rest is due. */
export type ScheduleMirror = ReturnType<typeof createScheduleMirror>

export function createScheduleMirror(deps: ScheduleMirrorDeps) {
  const { watches, scheduler, clock } = deps
  const sources = createWatchedSources(deps)
  const { coalescer, rows } = sources
  const underWay = new Set<number>()
  const asked = new Set<number>()

  function note({ id, round, checkedAt }: WatchRow): void {
    if (round > checkedAt) underWay.add(id)
    else underWay.delete(id)
  }

  /** Set again as a new watch: only for those the scheduler uses the saved state. */
  function replace(id: number): void {
    const watch = coalescer.watch(id)
    if (watch === undefined) return
    scheduler.remove(id)
    scheduler.set(watch, sources.savedState(id))
  }

  return {
    /** Reads changes of the profile base. */
    async refresh(): Promise<void> {
      if (!(await sources.refresh())) return
      forwardTouched(coalescer, {
        set: (watch) => scheduler.set(watch, sources.savedState(watch.id)),
        remove: scheduler.remove,
      })
      sources.takeJoined()
      for (const row of rows.values()) note(row)
    },
    /** Reads these watches again; null for all. */
    async reread(ids: readonly number[] | null): Promise<void> {
      for (const row of ids === null ? await watches.all() : await watches.find(ids)) {
        rows.set(row.id, row)
        note(row)
        asked.delete(row.id)
        replace(row.id)
      }
    },
    noteBegun(watch: number): void {
      underWay.add(watch)
      asked.delete(watch)
    },
    noteAsked: (watch: number): void => void asked.add(watch),
    snapshot(watch: number): WatchSnapshot | undefined {
      const known = scheduler.snapshot(watch)
      if (known === undefined || known.state === 'paused') return known
      if (underWay.has(watch)) return { ...known, state: 'out', why: 'in-flight', nextAt: null }
      if (asked.has(watch)) return { ...known, state: 'asked', why: 'asked', nextAt: clock.now() }
      const isDue = known.state === 'waiting' && known.nextAt !== null && known.nextAt <= clock.now()
      return isDue ? { ...known, state: 'ready', why: 'queue' } : known
    },
    stats: scheduler.stats,
    urdsOf: sources.ownersOf,
  }
}
