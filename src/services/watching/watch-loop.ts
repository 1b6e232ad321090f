import type { Clock } from '../../core/clock.ts'
import type { createScheduleLog } from './schedule-log.ts'
import { createStir } from './stir.ts'
import type { WatchService } from './watch-service.ts'

export type WatchLoopDeps = {
  service: Pick<WatchService, 'tick' | 'onResults'>
  scheduleLog: ReturnType<typeof createScheduleLog>
  clock: Pick<Clock, 'monotonic'>
  /** Ends the loop, in good order. */
  signal: AbortSignal
  /** Rejects when one of the parts can't go on; the loop fails with it. */
  failure: Promise<never>
  /** Told at once when checks have brought something. */
  onResults?(): void
  /** Before each round of the loop. */
  beforeTick?(): Promise<void>
  /** After each, with what has come of it written. */
  afterTick?(): void
}

/** Lets a watch service do its work whenever there is some, until somebody ends it. */
export async function runWatchLoop(deps: WatchLoopDeps): Promise<void> {
  const { service, scheduleLog, clock, signal, failure } = deps
  const stir = createStir(signal)
  service.onResults(() => {
    deps.onResults?.()
    stir.now()
  })
  while (!signal.aborted) {
    if (deps.beforeTick !== undefined) await Promise.race([deps.beforeTick(), failure])
    const again = await Promise.race([service.tick(), failure])
    await scheduleLog.tick()
    deps.afterTick?.()
    await Promise.race([stir.until(again - clock.monotonic()), failure])
  }
  await scheduleLog.end()
}
