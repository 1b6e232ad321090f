import { Worker } from 'node:worker_threads'

/** Background compression of closed archive files, in a thread of its own. */
export type Compression = {
  /** There may be a closed file. The thread is started with the first, as soon as there is time: it takes 40 MB. */
  wake(): void
  /** Waits while there is more important work for the processor. */
  setPaused(paused: boolean): void
  /** Leaves the file that is being compressed for the next time, and ends. */
  end(): Promise<void>
}

/** Places of the orders in shared memory. */
export const compressionOrders = { end: 0, pause: 1 } as const

export function createCompression(folder: string, onWarning: (message: string) => void): Compression {
  const orders = new Int32Array(new SharedArrayBuffer(8))
  let worker: Worker | null = null
  let isWanted = false
  let isPaused = false
  let ended: Promise<void> = Promise.resolve()

  function start(): Worker {
    const started = new Worker(new URL('./compress-worker.ts', import.meta.url), { workerData: { folder, orders } })
    ended = new Promise((resolve) => started.once('exit', () => resolve()))
    started.on('message', ({ kind, message }: { kind: 'note' | 'warning'; message: string }) => {
      if (kind === 'warning') onWarning(message)
    })
    started.on('error', (error) => onWarning(`compression ended: ${error.message}`))
    return started
  }

  return {
    wake() {
      isWanted = true
      if (worker !== null) worker.postMessage('closed')
      else if (!isPaused) worker = start()
    },
    setPaused(paused) {
      isPaused = paused
      Atomics.store(orders, compressionOrders.pause, paused ? 1 : 0)
      Atomics.notify(orders, compressionOrders.pause)
      if (!paused && isWanted) worker ??= start()
    },
    async end() {
      Atomics.store(orders, compressionOrders.end, 1)
      Atomics.store(orders, compressionOrders.pause, 0)
      Atomics.notify(orders, compressionOrders.pause)
      worker?.postMessage('end')
      await ended
    },
  }
}
