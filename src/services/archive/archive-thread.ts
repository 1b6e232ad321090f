import type { MessagePort } from 'node:worker_threads'
import { AppError } from '../../core/errors.ts'
import { serveThread } from '../../core/work/thread-host.ts'
import { type ArchiveReader, archiveMethods } from './archive-reader.ts'

/** Messages to the thread that reads the archive. One request is in progress at a time. */
export type ToArchive = { method: keyof ArchiveReader; asked: unknown } | 'open' | 'end'

/** Serves requests from a port, in the thread. `open` is called with the first request, or ahead of it. */
export function serveArchive(port: MessagePort, open: () => Promise<OpenArchive>): void {
  let opening: Promise<OpenArchive> | null = null

  /** Retried with the next request if it fails. */
  async function opened(): Promise<OpenArchive> {
    opening ??= open()
    try {
      return await opening
    } catch (error) {
      opening = null
      throw error
    }
  }

  async function answer(message: ToArchive): Promise<unknown> {
    if (message === 'end') return (await opening)?.close()
    if (message === 'open') return void (await opened())
    const { method, asked } = message
    if (!archiveMethods.includes(method)) throw new AppError('internal', `the archive has no method ${method}`)
    const { reader } = await opened()
    return (reader[method] as (asked: unknown) => Promise<unknown>)(asked)
  }

  serveThread(port, answer, transferred)
}

export type OpenArchive = { reader: ArchiveReader; close(): Promise<void> }

/** Bodies are transferred, not copied. */
function transferred(value: unknown): ArrayBuffer[] {
  const { bytes } = (value ?? {}) as { bytes?: unknown }
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
}
