import type { BigIntStats } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { isAppError } from '../../core/errors.ts'
import type { Item, List } from '../../crawl/fetch/protocol.ts'
import { fileUrlOf } from './file-url.ts'
import { encodeName, nameText } from './path-bytes.ts'
import type { OpenFile, RootedFiles } from './rooted-files.ts'

/** Changes with the content, except for a change of the same length within one tick of the file system's clock. */
export function fileValidator({ size, mtimeNs, ino }: BigIntStats): string {
  return [size, mtimeNs, ino].map((value) => value.toString(36)).join('-')
}

export type FolderOptions = {
  files: RootedFiles
  /** URL of the folder, with a trailing slash. */
  url: string
  /** The requested path. */
  path: Buffer
  maxItems: number
  signal: AbortSignal
}

type Entry = { kind: 'item'; item: Item } | { kind: 'list'; url: string; name: string } | { kind: 'left' | 'gone' }

const atOnce = 32

/** The files of a folder as items, its folders as lists. */
export async function listFolder(folder: OpenFile, options: FolderOptions): Promise<List> {
  const { names, isCapped } = await readNames(folder.at, options)
  const items: Item[] = []
  // Keyed by URL: a link may lead to a sibling folder.
  const lists = new Map<string, string>()
  let left = 0
  for (let from = 0; from < names.length; from += atOnce) {
    options.signal.throwIfAborted()
    for (const entry of await Promise.all(
      names.slice(from, from + atOnce).map((name) => entryOf(folder, name, options)),
    )) {
      if (entry.kind === 'item') items.push(entry.item)
      else if (entry.kind === 'list') lists.set(entry.url, lists.get(entry.url) ?? entry.name)
      else if (entry.kind === 'left') left++
    }
  }
  return {
    kind: 'list',
    title: nameText(options.path),
    items,
    lists: [...lists].map(([url, name]) => ({ url, name })),
    // Entries beyond the limit aren't gone.
    isWhole: !isCapped,
    cursor: '',
    hasMore: false,
    left: leftText(isCapped ? options.maxItems : 0, left),
  }
}

/** Sorted names, so that the order doesn't depend on the file system. Beyond the limit, the first ones that it returns. */
async function readNames(
  at: Buffer,
  { maxItems, signal }: FolderOptions,
): Promise<{ names: Buffer[]; isCapped: boolean }> {
  // The type definitions don't support names as bytes.
  const entries = await opendir(at as unknown as string, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 })
  const names: Buffer[] = []
  for await (const entry of entries) {
    signal.throwIfAborted()
    if (names.length === maxItems) return { names: names.sort(Buffer.compare), isCapped: true }
    names.push(entry.name as unknown as Buffer)
  }
  return { names: names.sort(Buffer.compare), isCapped: false }
}

async function entryOf(folder: OpenFile, name: Buffer, { files, url, path }: FolderOptions): Promise<Entry> {
  const shown = nameText(name)
  const itemUrl = `${url}${encodeName(name)}`
  try {
    const stat = await lstat(Buffer.concat([folder.at, Buffer.from('/'), name]), { bigint: true })
    if (stat.isFile()) return { kind: 'item', item: { url: itemUrl, name: shown, validator: fileValidator(stat) } }
    if (stat.isDirectory()) return { kind: 'list', url: `${itemUrl}/`, name: shown }
    if (!stat.isSymbolicLink()) return { kind: 'left' }
  } catch (error) {
    return { kind: (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : 'left' }
  }
  return linkedEntry(files, Buffer.concat([path, Buffer.from(path.length === 1 ? '' : '/'), name]), itemUrl, shown)
}

/** A linked folder has the URL of its target; otherwise a link to a parent folder would make an endless path. */
async function linkedEntry(files: RootedFiles, path: Buffer, url: string, name: string): Promise<Entry> {
  try {
    const { handle, stat, place } = await files.open(path)
    await handle.close()
    if (stat.isDirectory()) return { kind: 'list', url: fileUrlOf(place, true), name }
    return { kind: 'item', item: { url, name, validator: fileValidator(stat) } }
  } catch (error) {
    if (isAppError(error)) return { kind: 'left' }
    throw error
  }
}

function leftText(cappedAt: number, left: number): string {
  return [
    ...(cappedAt === 0 ? [] : [`The folder has more than ${cappedAt} entries; only that many are read.`]),
    ...(left === 0
      ? []
      : [
          `Left out: ${left} ${left === 1 ? 'entry that is' : 'entries that are'} unreadable, or no regular files (links out of the folders that may be read, devices, sockets, pipes).`,
        ]),
  ].join(' ')
}
