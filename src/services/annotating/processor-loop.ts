import { isAppError } from '../../core/errors.ts'
import type { Processor } from './processor.ts'

export type ProcessorLoopDeps = {
  processor: Processor
  mustEnd(): boolean
  /** Not told again while it stays the same. Null when the work goes on. */
  onWaiting(reason: string | null): void
}

const REST_MS = 500
const MIN_RETRY_MS = 250
const MAX_RETRY_MS = 5_000

/**
 * A processor at work. It
 * - works as long as there are tasks;
 * - rests when there are none, and looks again when it is woken, or after a while;
 * - waits, each time twice as long, while the store is away;
 * - ends when it must, with the task in hand done. What can never work ends it at once.
 */
export function createProcessorLoop({ processor, mustEnd, onWaiting }: ProcessorLoopDeps) {
  let wake: () => void = () => {}
  let wasWoken = false
  let reason: string | null = null

  async function rest(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, wasWoken ? 0 : ms)
    wake = resolve
    await promise
    clearTimeout(timer)
    wasWoken = false
  }

  function tellWaiting(now: string | null): void {
    if (now !== reason) onWaiting(now)
    reason = now
  }

  return {
    /** There may be tasks, or an end. */
    wake(): void {
      wasWoken = true
      wake()
    },
    async run(): Promise<void> {
      let retryMs = MIN_RETRY_MS
      while (!mustEnd()) {
        try {
          const hasWorked = await processor.work(mustEnd)
          tellWaiting(null)
          retryMs = MIN_RETRY_MS
          if (!hasWorked) await rest(REST_MS)
        } catch (error) {
          if (!isAppError(error) || error.retry === 'never') throw error
          tellWaiting(error.message)
          await rest(retryMs)
          retryMs = Math.min(MAX_RETRY_MS, retryMs * 2)
        }
      }
    },
  }
}
