import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/**
 * Where an export goes. A file is written as `FILE.part` and gets its name when it is whole and on disk: whatever ends the export
 * before, there is no half file under the name.
 */
export type ExportTarget = {
  write(chunk: Uint8Array | string): Promise<void>
  /** Whole: returns the number of bytes. */
  commit(): Promise<number>
  /** Given up; harmless after `commit`. */
  discard(): Promise<void>
}

/** Standard output, or what stands for it. The callback is called once the bytes are taken. */
export type Output = { write(bytes: Uint8Array, callback: (error?: Error | null) => void): unknown }

export type TargetOptions = {
  /** Null for `output`. */
  file: string | null
  output: Output
  /** Compresses as it goes: the file has a gzip member for each part that is written, which all tools read as one text. */
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
