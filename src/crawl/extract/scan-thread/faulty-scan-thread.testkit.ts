import { parentPort, workerData } from 'node:worker_threads'
import { serveThread } from '../../../core/work/thread-host.ts'
import { IS_ASLEEP, openScanMemory, SUBMITTED } from './scan-memory.ts'
import type { ScanThreadData } from './scan-thread.ts'

/** A scan thread that ends with an error when it gets its first page. */
const { counts } = openScanMemory((workerData as ScanThreadData).memory)
serveThread<never, 'ready'>(parentPort!, () => undefined).send('ready')
Atomics.store(counts, IS_ASLEEP, 1)
Atomics.wait(counts, SUBMITTED, 0)
throw new Error('a fault of the scan thread')
