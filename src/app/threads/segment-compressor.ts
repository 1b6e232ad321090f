import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Retries, Waiting } from '../../core/work/retries.ts'
import { startThread } from '../../core/work/thread-host.ts'
import type { ObjectsConfig } from '../engines/object-backends.ts'

export type SegmentCompressor = {
  /** Leaves a file in progress for the next compressor. */
  end(): Promise<void>
  readonly failed: Promise<never>
}

export type SegmentCompressorOptions = { address: string; config: Config; log: Logger; retries: Retries }

export type CompressorData = { address: string; config: ObjectsConfig }
export type FromCompressor = { kind: 'waiting'; waiting: readonly Waiting[] } | { kind: 'warning'; message: string }

/** Compresses closed files of the shared folder, in a thread of the lowest priority. */
export function startSegmentCompressor({ address, config, log, retries }: SegmentCompressorOptions): SegmentCompressor {
  const { objects, archive } = config
  const data: CompressorData = { address, config: { objects, archive } }
  const thread = startThread<'end', FromCompressor, CompressorData>(
    new URL('./segment-compressor-thread.ts', import.meta.url),
    {
      data,
      onEvent(event) {
        if (event.kind === 'warning') log.warn(event.message)
        else retries.adopt('compressor', event.waiting)
      },
    },
  )
  void thread.exited.then(() => retries.adopt('compressor', []))
  return {
    failed: thread.failed,
    async end() {
      thread.expectEnd()
      await thread.terminate()
    },
  }
}
