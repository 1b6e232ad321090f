import { type FSWatcher, watch } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { AppError } from '../../core/errors.ts'
import type { Listener } from '../../crawl/fetch/protocol.ts'
import { fileError } from './rooted-files.ts'

export type FolderWatchOptions = {
  path: Buffer
  /** For a file, its folder is watched for changes of the file. */
  isFile: boolean
  /** Stops watching. */
  signal: AbortSignal
  onNews(): void
  onEnd(error: Error): void
}

/** Saving a hundred files causes a single notification. */
const debounceMs = 200

/** Maximum number of folders in one tree; changes in the others are found by walking. Each takes one of the kernel's limited watches. */
const maxFolders = 2000

const slash = Buffer.from('/')

/**
 * Watches a folder and those below it for changes. Only folders are watched, not each file as `fs.watch` would do by itself, and links are
 * not followed. Folders that can't be watched (too many, no permission) are left to walking; if the root folder is lost, the watch ends.
 */
export async function watchFolder({ path, isFile, signal, onNews, onEnd }: FolderWatchOptions): Promise<Listener> {
  const cut = path.lastIndexOf('/')
  const root = isFile ? path.subarray(0, Math.max(cut, 1)) : path
  const onlyNames = isFile ? [path.subarray(cut + 1), root.subarray(root.lastIndexOf('/') + 1)] : undefined
  const watchers = new Map<string, FSWatcher>()
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const first = await stat(root, { bigint: true })

  function close(): void {
    isOver = true
    clearTimeout(timer)
    signal.removeEventListener('abort', close)
    for (const watcher of watchers.values()) watcher.close()
    watchers.clear()
  }

  function end(error: Error): void {
    if (isOver) return
    close()
    onEnd(error)
  }

  function noteNews(): void {
    if (!isOver) timer ??= setTimeout(() => void tellNews(), debounceMs)
  }

  async function tellNews(): Promise<void> {
    timer = undefined
    try {
      const now = await stat(root, { bigint: true })
      if (now.dev !== first.dev || now.ino !== first.ino)
        throw new AppError('not-found', 'the watched folder was replaced')
      if (!isOver) onNews()
    } catch (error) {
      end(error instanceof AppError ? error : fileError(error, root))
    }
  }

  /** Throws if it can't be watched. */
  function watchOne(folder: Buffer): void {
    const key = folder.toString('latin1')
    const watcher = watch(folder, { encoding: 'buffer' }, (kind, name) => {
      if (onlyNames !== undefined && name !== null && !onlyNames.some((known) => known.equals(name))) return
      noteNews()
      if (kind === 'rename' && name !== null && !isFile) void noteEntry(joined(folder, name))
    })
    watcher.on('error', (error) => {
      drop(key)
      if (folder === root) end(fileError(error, root))
    })
    watchers.get(key)?.close()
    watchers.set(key, watcher)
  }

  function drop(key: string): void {
    watchers.get(key)?.close()
    watchers.delete(key)
  }

  /** An entry was created, moved here, moved away or removed. */
  async function noteEntry(entry: Buffer): Promise<void> {
    const key = entry.toString('latin1')
    for (const known of [...watchers.keys()]) if (known === key || known.startsWith(`${key}/`)) drop(known)
    const there = await lstat(entry).catch(() => undefined)
    if (there?.isDirectory() !== true) return
    await addTree(entry)
    // For entries that were added before it was watched.
    noteNews()
  }

  async function addTree(from: Buffer): Promise<void> {
    const waiting = [from]
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      if (isOver || watchers.size >= maxFolders) return
      try {
        watchOne(folder)
        for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' }))
          if (entry.isDirectory()) waiting.push(joined(folder, entry.name))
      } catch (error) {
        if (folder === root) throw fileError(error, root)
        drop(folder.toString('latin1'))
      }
    }
  }

  signal.addEventListener('abort', close, { once: true })
  try {
    if (isFile) watchOne(root)
    else await addTree(root)
  } catch (error) {
    close()
    throw error instanceof AppError ? error : fileError(error, root)
  }
  return { close: async () => close() }
}

function joined(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat(folder.length === 1 ? [folder, name] : [folder, slash, name])
}
