import { Worker } from 'node:worker_threads'

/**
 * What can wait, in a thread of the lowest priority: the texts of new versions are indexed, then closed archive files are
 * compressed. It is started with the first work, as soon as there is time for it: it takes 40 MB. It works
 * while it is not paused, rests when nothing is left, and looks again when it is woken. What it did not get to is left
 * for the next crawl, or for whoever needs it.
 */
export type Background = {
  /** There may be something to do. */
  wake(): void
  /** Waits while there is more important work for the processor. */
  setPaused(paused: boolean): void
  /** Leaves what is under way for the next time, and ends. */
  end(): Promise<void>
}

export type BackgroundJobs = { index: boolean; compress: boolean }

/** Places of the orders in shared memory. */
export const backgroundOrders = { end: 0, pause: 1 } as const

export type BackgroundData = { folder: string; jobs: BackgroundJobs; orders: Int32Array<SharedArrayBuffer> }

export type BackgroundEvents = {
  onWarning(message: string): void
  /** Nothing is left to do, or nothing that can be done now. */
  onRest?(): void
}

export type FromBackground = { kind: 'warning' | 'note'; message: string } | { kind: 'rest' }

export function createBackground(
  folder: string,
  jobs: BackgroundJobs,
  { onWarning, onRest }: BackgroundEvents,
): Background {
  const orders = new Int32Array(new SharedArrayBuffer(8))
  let worker: Worker | null = null
  let isWanted = false
  let isPaused = false
  let ended: Promise<void> = Promise.resolve()

  function start(): Worker {
    const workerData: BackgroundData = { folder, jobs, orders }
    const started = new Worker(new URL('./background-thread.ts', import.meta.url), { workerData })
    ended = new Promise((resolve) => started.once('exit', () => resolve()))
    started.on('message', (message: FromBackground) => {
      if (message.kind === 'warning') onWarning(message.message)
      else if (message.kind === 'rest') onRest?.()
    })
    started.on('error', (error) => onWarning(`background work ended: ${error.message}`))
    return started
  }

  return {
    wake() {
      isWanted = true
      if (worker !== null) worker.postMessage('look')
      else if (!isPaused) worker = start()
    },
    setPaused(paused) {
      isPaused = paused
      Atomics.store(orders, backgroundOrders.pause, paused ? 1 : 0)
      Atomics.notify(orders, backgroundOrders.pause)
      if (!paused && isWanted) worker ??= start()
    },
    async end() {
      Atomics.store(orders, backgroundOrders.end, 1)
      Atomics.store(orders, backgroundOrders.pause, 0)
      Atomics.notify(orders, backgroundOrders.pause)
      worker?.postMessage('end')
      await ended
    },
  }
}
