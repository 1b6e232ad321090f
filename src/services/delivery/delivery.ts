import { withinLimit } from '../../core/work/race.ts'
import type { Retries } from '../../core/work/retries.ts'
import { isTemporary } from '../../core/work/retry.ts'
import { createWorkLoop } from '../../core/work/work-loop.ts'
import { createDispatcher, type Dispatcher, type DispatcherDeps } from './dispatcher.ts'

/** Plans the delivery of new annotations and sends what is due, until it is ended. */
export type Delivery = {
  /** Signals that there may be something new. */
  wake(): void
  /** Waits a few seconds for messages being sent. */
  end(): Promise<void>
}

export type RoundDeps = Omit<DispatcherDeps, 'onFailure'> & {
  /** See `createPlanner`. */
  plan(): Promise<boolean>
}

export type DeliveryDeps = Omit<RoundDeps, 'onFree'> & { retries: Retries }

/** Polling interval: the maximum delay without a wake-up. */
const REST_MS = 1_000
/** Messages that take longer are abandoned, and sent again under the same id. */
const MAX_END_MS = 5_000
/** Smaller corrections of the clock are normal and ignored. */
const SET_BACK_MS = 60_000

export function startDelivery({ retries, ...deps }: DeliveryDeps): Delivery {
  const { leaseMs, onProblem } = deps
  const track = retries.track('delivery')
  let isEnding = false
  let told = ''
  const { work, dispatcher } = createRounds({ ...deps, onFree: () => loop.wake() })
  const loop = createWorkLoop({
    ...{ work, restMs: REST_MS, mustEnd: () => isEnding, track },
    /** One fault must not end delivery for everyone: it is logged once, and shown as long as it lasts. */
    goesOnAfter(error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
      if (!isTemporary(error) && text !== told) onProblem('delivery failed', { error: text })
      told = text
      return true
    },
  })
  const renewing = setInterval(() => dispatcher.renew().catch((error: unknown) => track.failed(error)), leaseMs / 3)
  const done = loop.run()

  return {
    wake: loop.wake,
    async end() {
      isEnding = true
      dispatcher.stop()
      loop.wake()
      await done
      await withinLimit(dispatcher.idle(), MAX_END_MS, () => {})
      clearInterval(renewing)
    },
  }
}

/** One round of work: plans new entries, and starts on channels with something due. */
export function createRounds({ plan, ...deps }: RoundDeps): { work(): Promise<boolean>; dispatcher: Dispatcher } {
  let failure: unknown = null
  const dispatcher = createDispatcher({
    ...deps,
    onFailure(error) {
      failure = error
    },
  })
  const checkClock = createClockCheck({ ...deps, dispatcher })
  return {
    dispatcher,
    async work() {
      const failed = failure
      failure = null
      if (failed !== null) throw failed
      await checkClock()
      const hasMore = await plan()
      await dispatcher.fill()
      return hasMore
    },
  }
}

type ClockCheckDeps = Pick<RoundDeps, 'clock' | 'deliveries' | 'leaseMs'> & {
  dispatcher: Pick<Dispatcher, 'renew'>
}

/**
 * Checks whether the wall clock has jumped since the last call; on the first call, whether it was set back while nothing ran. If set
 * back, waiting entries would wait until the clock catches up. If set forward, our own leases would expire.
 */
function createClockCheck({ clock, deliveries, dispatcher, leaseMs }: ClockCheckDeps): () => Promise<void> {
  let before: number | null = null
  return async () => {
    const now = clock.now()
    const ahead = now - clock.monotonic()
    const jumpedMs = before === null ? Math.min(0, now - (await deliveries.lastWrittenAt())) : ahead - before
    if (jumpedMs < -SET_BACK_MS) await deliveries.replan({ now, leaseMs })
    if (Math.abs(jumpedMs) > leaseMs / 3) await dispatcher.renew()
    before = ahead
  }
}
