import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../core/clock.ts'
import { lowerThreadPriority } from '../../core/work/process.ts'
import { startThreadRetries } from '../../core/work/retries.ts'
import { retry, wait } from '../../core/work/retry.ts'
import { serveThread } from '../../core/work/thread-host.ts'
import { compressNextSegment } from '../../store/postgres/archive/compress-segments.ts'
import { openPool } from '../../store/postgres/connection/pool.ts'
import { openObjects } from '../engines/object-backends.ts'
import type { CompressorData, FromCompressor } from './segment-compressor.ts'

/** The thread behind `startSegmentCompressor`. It is terminated from outside; the next one starts unfinished work over. */
const LOOK_EVERY_MS = 10_000

const { address, config } = workerData as CompressorData
const { send, fail } = serveThread<'end', FromCompressor>(parentPort!, () => {})
lowerThreadPriority()
const pool = openPool({ address, maxConnections: 1, name: 'erace compress' })
const { target, segments } = openObjects(pool, config)
const track = startThreadRetries(systemClock, (waiting) => send({ kind: 'waiting', waiting })).track('compressing')
const onWarning = (message: string): void => send({ kind: 'warning', message })

async function run(): Promise<never> {
  for (;;) {
    const found = await retry(() => compressNextSegment({ pool, backend: target!, segments, onWarning }), {
      ...{ firstMs: 1_000, lastMs: 60_000, mayTakeLong: true, track },
    })
    if (!found) await wait(LOOK_EVERY_MS)
  }
}

run().catch(fail)
