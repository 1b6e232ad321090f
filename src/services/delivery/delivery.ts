import type { Clock } from '../../core/clock.ts'
import { withinLimit } from '../../core/work/race.ts'
import type { Retries } from '../../core/work/retries.ts'
import { createWorkLoop } from '../../core/work/work-loop.ts'
import type { DeliveryStore } from '../../store/contracts/deliveries.ts'
import { createDispatcher, type DispatcherDeps } from './dispatcher.ts'

/** Plans what annotations bring and sends what is due, until it is ended. */
export type Delivery = {
  /** There may be something new. */
  wake(): void
  /** Waits a few seconds for what is being sent. */
  end(): Promise<void>
}

export type DeliveryDeps = Omit<DispatcherDeps, 'onFree' | 'onFailure'> & {
  deliveries: DeliveryStore
  plan(): Promise<boolean>
  retries: Retries
}

/** How late something may be that nobody woke us for. */
const REST_MS = 1_000
/** What takes longer is left as it is: it is sent again under its id. */
const MAX_END_MS = 5_000
/** Clocks are corrected by less all the time. */
const SET_BACK_MS = 60_000

export function startDelivery({ plan, retries, ...deps }: DeliveryDeps): Delivery {
  const { deliveries, clock, leaseMs, onProblem } = deps
  const track = retries.track('delivery')
  let isEnding = false
  let failure: unknown = null
  const dispatcher = createDispatcher({
    ...deps,
    onFree: () => loop.wake(),
    onFailure(error) {
      failure = error
    },
  })
  const wasSetBack = createSetBackWatch(clock)
  const loop = createWorkLoop({
    ...{ restMs: REST_MS, mustEnd: () => isEnding, track },
    async work() {
      const failed = failure
      failure = null
      if (failed !== null) throw failed
      if (wasSetBack()) await deliveries.replan(clock.now())
      const hasMore = await plan()
      await dispatcher.fill()
      return hasMore
    },
  })
  const renewing = setInterval(() => dispatcher.renew().catch((error: unknown) => track.failed(error)), leaseMs / 3)
  const done = run()

  /** An error that no retry can help is told, and what waits is left for the next start. */
  async function run(): Promise<void> {
    try {
      await loop.run()
    } catch (error) {
      onProblem('delivery ended', { error: error instanceof Error ? error.stack : String(error) })
      track.failed(error)
    }
  }

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

/** Tells once when the wall clock was set back since the last time. */
function createSetBackWatch(clock: Clock): () => boolean {
  let ahead = clock.now() - clock.monotonic()
  return () => {
    const before = ahead
    ahead = clock.now() - clock.monotonic()
    return ahead < before - SET_BACK_MS
  }
}
