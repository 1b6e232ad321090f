import { startThread, type ThreadHost } from '../../core/work/thread-host.ts'

/**
 * Deferred work, in a thread of the lowest priority: the texts of new versions are indexed, then closed archive files are compressed.
 * The thread takes 40 MB, so it is started with the first work. It works while it isn't paused, sleeps when nothing is left, and
 * continues when woken. Unfinished work is left for the next crawl, or for the next search.
 */
export type Background = {
  /** Called when there may be something to do. */
  wake(): void
  /** Pauses while the CPU is needed for more important work. */
  setPaused(paused: boolean): void
  /** Ends, leaving work in progress for the next time. A long step, such as a large document, is aborted. */
  end(): Promise<void>
}

export type BackgroundJobs = { index: boolean; compress: boolean }

/** Indexes of the orders in shared memory. */
export const backgroundOrders = { end: 0, pause: 1 } as const

export type BackgroundData = { folder: string; jobs: BackgroundJobs; orders: Int32Array<SharedArrayBuffer> }

export type BackgroundEvents = {
  onWarning(message: string): void
  /** Called when nothing is left to do, or nothing that can be done now. */
  onRest?(): void
}

export type FromBackground = { kind: 'warning' | 'note'; message: string } | { kind: 'rest' }

/** Maximum wait for the current step. Every step survives being killed, and can be repeated. */
const MAX_LAST_STEP_MS = 500

export function createBackground(
  folder: string,
  jobs: BackgroundJobs,
  { onWarning, onRest }: BackgroundEvents,
): Background {
  const orders = new Int32Array(new SharedArrayBuffer(8))
  let thread: ThreadHost<'wake'> | null = null
  let isWanted = false
  let isPaused = false

  function start(): ThreadHost<'wake'> {
    const data: BackgroundData = { folder, jobs, orders }
    const entry = new URL('./background-thread.ts', import.meta.url)
    const started = startThread<'wake', FromBackground, BackgroundData>(entry, {
      data,
      onEvent(event) {
        if (event.kind === 'warning') onWarning(event.message)
        else if (event.kind === 'rest') onRest?.()
      },
    })
    started.failed.catch((error: unknown) => onWarning(`background work ended: ${(error as Error).message}`))
    return started
  }

  return {
    wake() {
      isWanted = true
      if (thread !== null) thread.post('wake')
      else if (!isPaused) thread = start()
    },
    setPaused(paused) {
      isPaused = paused
      Atomics.store(orders, backgroundOrders.pause, paused ? 1 : 0)
      Atomics.notify(orders, backgroundOrders.pause)
      if (!paused && isWanted) thread ??= start()
    },
    async end() {
      thread?.expectEnd()
      Atomics.store(orders, backgroundOrders.end, 1)
      Atomics.store(orders, backgroundOrders.pause, 0)
      Atomics.notify(orders, backgroundOrders.pause)
      thread?.post('wake')
      const ending = thread
      const timer = setTimeout(() => void ending?.terminate(), MAX_LAST_STEP_MS)
      await ending?.exited
      clearTimeout(timer)
    },
  }
}
