import type { MessagePort } from 'node:worker_threads'
import { AppError, type ErrorCode, isAppError, type Retry } from '../../core/errors.ts'
import { type ArchiveReader, archiveMethods } from './archive-reader.ts'

/** What goes to the thread that reads the archive, and what comes back. One request is under way at a time. */
export type ToArchive = { method: keyof ArchiveReader; asked: unknown } | 'end'

export type FromArchive =
  | { kind: 'done'; value: unknown }
  | { kind: 'failed'; code: ErrorCode; message: string; retry: Retry }

/** Answers requests that come over a port, in that thread. `open` is called with the first. */
export function serveArchive(port: MessagePort, open: () => Promise<OpenArchive>): void {
  let opened: OpenArchive | null = null

  async function answer(method: keyof ArchiveReader, asked: unknown): Promise<FromArchive> {
    try {
      if (!archiveMethods.includes(method)) throw new AppError('internal', `unknown method ${method}`)
      opened ??= await open()
      const read = opened.reader[method] as (asked: unknown) => Promise<unknown>
      return { kind: 'done', value: await read(asked) }
    } catch (error) {
      const { code, message, retry } = isAppError(error)
        ? error
        : new AppError('internal', error instanceof Error ? (error.stack ?? error.message) : String(error))
      return { kind: 'failed', code, message, retry }
    }
  }

  port.on('message', async (message: ToArchive) => {
    if (message === 'end') {
      await opened?.close()
      port.close()
      return
    }
    const answered = await answer(message.method, message.asked)
    port.postMessage(answered, answered.kind === 'done' ? transferred(answered.value) : [])
  })
}

export type OpenArchive = { reader: ArchiveReader; close(): Promise<void> }

/** Bodies change hands without being copied. */
function transferred(value: unknown): ArrayBuffer[] {
  const { bytes } = (value ?? {}) as { bytes?: unknown }
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
}
