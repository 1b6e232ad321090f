import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type CollectingTarget, runCollection } from '../../archive/gc/collection-run.ts'
import { createPools } from '../../archive/gc/verdict.ts'
import type { GcHooks } from '../../cli/engine.ts'
import { systemClock } from '../../core/clock.ts'
import type { GcReport } from '../../core/reports/gc-report.ts'
import { lowerThreadPriority } from '../../core/work/process.ts'
import { serveThread } from '../../core/work/thread-host.ts'
import { openCollecting } from '../engines/open-engine.ts'
import { type CollectorData, collectorOrders, type FromCollector } from './collector.ts'

/** The thread behind `collectInThread`. */
const { target, orders } = workerData as CollectorData
const stop = new AbortController()
const { send } = serveThread<'collect', FromCollector>(parentPort!, collect)

/** Called between the steps of the work, during which the thread can't read messages. */
function lookForEnd(): void {
  if (Atomics.load(orders, collectorOrders.end) === 1) stop.abort()
}

async function collect(): Promise<GcReport> {
  lowerThreadPriority()
  const hooks: GcHooks = {
    signal: stop.signal,
    onProgress: lookForEnd,
    onItem: lookForEnd,
    onWarning: (message) => send({ kind: 'warning', message }),
  }
  const opened = await openCollecting({ ...target, dryRun: false }, hooks, { waitMs: 0 })
  try {
    const pools = createPools(target.config.retention, target.config.sources)
    const options = { ...hooks, pools, dryRun: false, keepsNewest: true, clock: systemClock }
    return await runCollection(giveWay(opened), options)
  } finally {
    await opened.close()
  }
}

/** Pauses after each step for as long as it took: checks and readers write to the same store. */
function giveWay({ collection, ...rest }: CollectingTarget): CollectingTarget {
  const thenRest =
    <A extends unknown[], T>(step: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      const startedAt = performance.now()
      const result = await step(...given)
      await pause(performance.now() - startedAt)
      lookForEnd()
      return result
    }
  return {
    ...rest,
    collection: {
      ...collection,
      versions: thenRest(collection.versions),
      find: thenRest(collection.find),
      collect: thenRest(collection.collect),
    },
  }
}
