import { Worker } from 'node:worker_threads'

/** Background compression of closed archive files, in a thread of its own. */
export type Compression = {
  /** There may be a closed file. The thread is started with the first. */
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
      if (worker === null) worker = start()
      else worker.postMessage('closed')
    },
    setPaused(paused) {
      Atomics.store(orders, compressionOrders.pause, paused ? 1 : 0)
      Atomics.notify(orders, compressionOrders.pause)
    },
    async end() {
      Atomics.store(orders, compressionOrders.end, 1)
      this.setPaused(false)
      worker?.postMessage('end')
      await ended
    },
  }
}
