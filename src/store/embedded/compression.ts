import { Worker } from 'node:worker_threads'

/** Background compression of closed archive files, in a thread of its own. */
export type Compression = {
  /** There is a new closed file. */
  wake(): void
  /** Leaves the file that is being compressed for the next time, and ends. */
  end(): Promise<void>
}

export function startCompression(folder: string, onWarning: (message: string) => void): Compression {
  const cancel = new SharedArrayBuffer(4)
  const worker = new Worker(new URL('./compress-worker.ts', import.meta.url), { workerData: { folder, cancel } })
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.on('message', ({ kind, message }: { kind: 'note' | 'warning'; message: string }) => kind === 'warning' && onWarning(message))
  worker.on('error', (error) => onWarning(`compression ended: ${error.message}`))
  return {
    wake: () => worker.postMessage('closed'),
    async end() {
      Atomics.store(new Int32Array(cancel), 0, 1)
      worker.postMessage('end')
      await ended
    },
  }
}
