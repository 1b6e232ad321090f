import { Worker } from 'node:worker_threads'

/** Background compression of closed archive files, in a thread of its own. */
export type Compression = {
  /** There may be a closed file. The thread is started with the first. */
  wake(): void
  /** Leaves the file that is being compressed for the next time, and ends. */
  end(): Promise<void>
}

export function createCompression(folder: string, onWarning: (message: string) => void): Compression {
  const cancel = new SharedArrayBuffer(4)
  let worker: Worker | null = null
  let ended: Promise<void> = Promise.resolve()

  function start(): Worker {
    const started = new Worker(new URL('./compress-worker.ts', import.meta.url), { workerData: { folder, cancel } })
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
    async end() {
      Atomics.store(new Int32Array(cancel), 0, 1)
      worker?.postMessage('end')
      await ended
    },
  }
}
