import { AppError } from '../../core/errors.ts'
import type { Found, Item, ItemBody, Protocol, ProtocolLimits } from '../../crawl/fetch/protocol.ts'
import { filePathOf, fileUrlOf, normaliseFileUrl } from './file-url.ts'
import { fileValidator, listFolder } from './folder-list.ts'
import { watchFolder } from './folder-watch.ts'
import { mediaTypeOf } from './media-type.ts'
import { nameText } from './path-bytes.ts'
import { createRootedFiles, fileError, type OpenFile, type RootedFiles } from './rooted-files.ts'
import { untilEnd } from './visit-end.ts'

export type FileProtocolOptions = {
  /** Absolute paths of the folders that may be read; the setting `files.roots`. */
  roots: readonly string[]
}

/** `file:` URLs: files of this machine, below the configured folders. Folders are lists. */
export function createFileProtocol({ roots }: FileProtocolOptions): Protocol {
  const files = createRootedFiles(roots)

  function normalise(url: string): string {
    const { path } = filePathOf(url)
    if (files.covers(path)) return normaliseFileUrl(url)
    throw new AppError(
      'url-invalid',
      roots.length === 0
        ? 'no folders of this machine may be read: the setting files.roots is empty'
        : `${nameText(path)} is outside the folders in files.roots`,
    )
  }

  return {
    schemes: ['file'],
    can: { revalidate: true, push: true, depth: true, credentials: 'none' },
    normalise,
    async open({ url, signal, limits }) {
      return {
        address: '',
        look: () => untilEnd(signal, () => look(files, url, { limits, signal })),
        read: (item) => untilEnd(signal, () => readItem(files, item, { limits, signal })),
        close: async () => {},
      }
    },
    async listen({ url, signal }, heard) {
      const { path } = filePathOf(url)
      const { handle, stat, place } = await untilEnd(signal, () => files.open(path))
      await handle.close()
      return watchFolder({ path: place, isFile: stat.isFile(), signal, ...heard })
    },
    close: async () => {},
  }
}

type Bounds = { limits: ProtocolLimits; signal: AbortSignal }

async function look(files: RootedFiles, url: string, { limits, signal }: Bounds): Promise<Found> {
  const { path, isFolder } = filePathOf(url)
  return withFile(files, path, async (file) => {
    if (file.stat.isDirectory()) {
      const { maxItems } = limits
      return listFolder(file, { files, path, url: fileUrlOf(path, true), maxItems, signal })
    }
    if (isFolder) throw new AppError('not-found', `${nameText(path)} is a file, not a folder`)
    const name = nameText(path.subarray(path.lastIndexOf('/') + 1))
    return { kind: 'item', item: { url: fileUrlOf(path, false), name, validator: fileValidator(file.stat) } }
  })
}

async function readItem(files: RootedFiles, item: Item, { limits, signal }: Bounds): Promise<ItemBody> {
  const { path } = filePathOf(item.url)
  return withFile(files, path, async (file) => {
    if (!file.stat.isFile()) throw new AppError('not-found', `${nameText(path)} is no file any more`)
    const { body, isCut } = await readUpTo(file, limits.maxBodyBytes, signal)
    return { type: mediaTypeOf(nameText(path), body), body, isCut }
  })
}

const chunkBytes = 1 << 20

/** Reads all of a file, regardless of its stated size: it may grow meanwhile, and some files, such as those in /proc, claim to be empty. */
async function readUpTo(
  { handle, stat }: OpenFile,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ body: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    signal.throwIfAborted()
    // One extra byte shows whether there is more.
    const left = maxBytes + 1 - length
    const size = Math.min(left, chunkBytes, Math.max(Number(stat.size) - length + 1, 16_384))
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(size), 0, size, null)
    if (bytesRead === 0) return { body: Buffer.concat(chunks), isCut: false }
    length += bytesRead
    chunks.push(buffer.subarray(0, bytesRead))
    if (length > maxBytes) return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: true }
    // A short read at the stated size: the end of the file.
    if (bytesRead < size && length === Number(stat.size)) return { body: Buffer.concat(chunks), isCut: false }
  }
}

async function withFile<T>(files: RootedFiles, path: Buffer, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const file = await files.open(path)
  try {
    return await use(file)
  } catch (error) {
    throw error instanceof AppError ? error : fileError(error, path)
  } finally {
    await file.handle.close()
  }
}
