import type { Logger } from 'pino'
import type { Target } from '../../cli/engine.ts'
import type { GcReport } from '../../core/reports/gc-report.ts'
import { startThread } from '../../core/work/thread-host.ts'

export type CollectorData = { target: Target; orders: Int32Array<SharedArrayBuffer> }

export type FromCollector = { kind: 'warning'; message: string }

/** Indexes of the orders in shared memory. */
export const collectorOrders = { end: 0 } as const

/** A collection that takes longer to stop is killed, which is safe. */
const MAX_ENDING_MS = 3_000

/**
 * Collects garbage once, in a thread of the lowest priority that ends afterwards. When the signal aborts, it stops after the current
 * batch or file.
 */
export async function collectInThread(target: Target, log: Logger, signal: AbortSignal): Promise<void> {
  const orders = new Int32Array(new SharedArrayBuffer(4))
  const thread = startThread<'collect', FromCollector, CollectorData>(
    new URL('./collector-thread.ts', import.meta.url),
    { data: { target, orders }, onEvent: ({ message }) => log.warn(message) },
  )
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => {
    Atomics.store(orders, collectorOrders.end, 1)
    timer = setTimeout(() => void thread.terminate(), MAX_ENDING_MS)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    const { removed, dropped, files, seconds, finished } = await thread.request<GcReport>('collect')
    const versions = removed.versions + dropped.versions
    if (versions > 0 || files.freedBytes > 0)
      log.info({ versions, freedBytes: files.freedBytes, seconds, finished }, 'retention')
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    signal.removeEventListener('abort', stop)
    clearTimeout(timer)
    await thread.terminate()
  }
}
