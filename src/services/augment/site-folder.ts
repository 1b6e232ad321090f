import { constants, type Dirent } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'

/** Limits of a walk: a folder that exceeds one is most likely the wrong one. */
export type FolderLimits = { maxFiles: number; maxDepth: number; maxBytes: number }

/** One folder of a site with the names of its files, without symbolic links. */
export type FolderFiles = { path: string; names: ReadonlySet<string> }

/** All folders of a site, the root first, by name. Symbolic links are not followed: they may lead outside or form cycles. */
export async function* walkFolders(root: string, { maxFiles, maxDepth }: FolderLimits): AsyncGenerator<FolderFiles> {
  const pending: { path: string; depth: number }[] = [{ path: '', depth: 0 }]
  let files = 0
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { path, depth } = next
    const entries = await list(join(root, path))
    const names = new Set(entries.filter((entry) => entry.isFile()).map(({ name }) => name))
    files += names.size
    if (files > maxFiles) throw new AppError('file-invalid', `${root} has more than ${maxFiles} files`)
    yield { path, names }
    const below = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    if (below.length > 0 && depth === maxDepth)
      throw new AppError('file-invalid', `${join(root, path)} is nested deeper than ${maxDepth} folders`)
    for (const { name } of below.reverse()) pending.push({ path: join(path, name), depth: depth + 1 })
  }
}

async function list(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    throw unreadable(folder, error)
  }
}

/** Null if the file is larger. */
export async function readWithin(file: string, maxBytes: number): Promise<Buffer | null> {
  // O_NOFOLLOW: the file may have been replaced by a symbolic link since it was listed.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  try {
    const { size } = await handle.stat()
    return size > maxBytes ? null : await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** Replaces the file atomically: concurrent readers see the old content. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const part = `${file}.part-${process.pid}`
  try {
    const handle = await open(part, 'wx')
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw new AppError('file-unreadable', `${file} can't be written: ${(error as Error).message}`, { cause: error })
  }
}

function unreadable(file: string, error: unknown): AppError {
  return new AppError('file-unreadable', `${file} can't be read: ${(error as Error).message}`, { cause: error })
}
