import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { ExportFault, ExportProgress, ExportRequest } from '../../core/reports/export-report.ts'
import type { VersionStore } from '../../store/contracts/versions.ts'
import type { LineSorter } from './line-sorter.ts'
import type { RecordSource } from './record-source.ts'

/** Context of an export, for all kinds. */
export type ExportWork = {
  request: ExportRequest
  versions: VersionStore
  source: RecordSource
  target: ExportTarget
  /** For output that must be sorted; created on demand, removed at the end. */
  createSorter(): LineSorter
  stats: ExportStats
}

type ExportStats = {
  records(): number
  /** Counts a written record. Throws an `ExportStopped` on abort. */
  count(bytes: number): void
  leaveOut(fault: ExportFault): void
  skipped(): number
  faults(): ExportFault[]
}

/** Thrown on abort; not a failure. */
export class ExportStopped extends Error {}

const maxFaults = 1000
const progressEvery = 256

export function createStats(signal: AbortSignal, onProgress: (progress: ExportProgress) => void): ExportStats {
  const faults: ExportFault[] = []
  let skipped = 0
  let records = 0
  let bytes = 0

  const check = (): void => {
    if (signal.aborted) throw new ExportStopped('stopped')
  }

  return {
    records: () => records,
    skipped: () => skipped,
    faults: () => faults,
    count(added) {
      check()
      bytes += added
      if (++records % progressEvery === 0) onProgress({ records, bytes })
    },
    leaveOut(fault) {
      check()
      skipped++
      if (faults.length < maxFaults) faults.push(fault)
    },
  }
}

/**
 * Destination of an export. A file is written as `FILE.part` and renamed once it is complete and on disk, so there is never a partial
 * file under the final name.
 */
export type ExportTarget = {
  write(chunk: Uint8Array | string): Promise<void>
  /** Completes the export. Returns the number of bytes. */
  commit(): Promise<number>
  /** Aborts the export; harmless after `commit`. */
  discard(): Promise<void>
}

/** Standard output or a substitute. The callback is called once the bytes are accepted. */
export type Output = { write(bytes: Uint8Array, callback: (error?: Error | null) => void): unknown }

type TargetOptions = {
  /** Null for `output`. */
  file: string | null
  output: Output
  /** Compresses while writing: one gzip member per flush, which all tools read as one text. */
  compress: boolean
}

const heldBytes = 1024 * 1024
const gzipAsync = promisify(gzip)

export async function openTarget({ file, output, compress }: TargetOptions): Promise<ExportTarget> {
  const part = file === null ? null : `${file}.part`
  let handle: FileHandle | null = part === null ? null : await open(part, 'w')
  let held: Uint8Array[] = []
  let heldLength = 0
  let length = 0

  async function put(bytes: Uint8Array): Promise<void> {
    length += bytes.length
    if (handle === null) {
      await new Promise<void>((resolve, reject) => output.write(bytes, (error) => (error ? reject(error) : resolve())))
      return
    }
    for (let done = 0; done < bytes.length; )
      done += (await handle.write(bytes, done, bytes.length - done)).bytesWritten
  }

  async function flush(): Promise<void> {
    if (heldLength === 0) return
    const bytes = held.length === 1 ? held[0]! : Buffer.concat(held, heldLength)
    held = []
    heldLength = 0
    await put(compress ? await gzipAsync(bytes) : bytes)
  }

  async function release(): Promise<void> {
    const open = handle
    handle = null
    await open?.close()
  }

  return {
    async write(chunk) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk
      held.push(bytes)
      heldLength += bytes.length
      if (heldLength >= heldBytes) await flush()
    },
    async commit() {
      await flush()
      if (compress && length === 0) await put(await gzipAsync(Buffer.alloc(0)))
      if (file === null || part === null || handle === null) return length
      await handle.sync()
      await release()
      await rename(part, file)
      return length
    },
    async discard() {
      if (part === null || handle === null) return
      await release()
      await rm(part, { force: true })
    },
  }
}
