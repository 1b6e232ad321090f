import type { Clock } from '../core/clock.ts'
import type { Scheduler } from '../services/scheduler/scheduler.ts'
import type { WatchSnapshot } from '../services/scheduler/scheduler-report.ts'
import { createWatchedSources, type WatchedSourcesDeps } from '../services/watching/watched-sources.ts'
import type { WatchRow } from '../store/contracts/watches.ts'

export type ScheduleMirrorDeps = WatchedSourcesDeps & {
  /** Private to the mirror: no check is ever taken from it. It only computes when watches are due. */
  scheduler: Scheduler
  clock: Clock
}

/** The schedule that another process keeps, as seen in the store: checks in progress, and when the rest is due. */
export type ScheduleMirror = ReturnType<typeof createScheduleMirror>

export function createScheduleMirror(deps: ScheduleMirrorDeps) {
  const { scheduler, clock } = deps
  const sources = createWatchedSources(deps)
  const { coalescer } = sources
  const underWay = new Set<number>()
  const asked = new Set<number>()

  function note({ id, round, checkedAt }: WatchRow): void {
    if (round > checkedAt) underWay.add(id)
    else underWay.delete(id)
  }

  function forget(id: number): void {
    underWay.delete(id)
    asked.delete(id)
  }

  /** Sets the watch again as a new one: the scheduler uses saved state only for new watches. */
  function replace(id: number): void {
    const watch = coalescer.watch(id)
    if (watch === undefined) return
    scheduler.remove(id)
    scheduler.set(watch, sources.savedState(id))
  }

  return {
    /** Reads changes of the profile base. */
    async refresh(): Promise<void> {
      const found = await sources.refresh()
      if (found === null) return
      sources.forward({
        set: (watch) => scheduler.set(watch, sources.savedState(watch.id)),
        remove(id) {
          scheduler.remove(id)
          forget(id)
        },
      })
      sources.takeJoined()
      for (const row of found) note(row)
    },
    /** Reads these watches again; null for all. */
    async reread(ids: readonly number[] | null): Promise<void> {
      const found = await sources.reread(ids)
      // A watch that is new here is noted when its profile is read.
      for (const id of ids ?? [...underWay, ...asked]) forget(id)
      for (const row of found) {
        note(row)
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
