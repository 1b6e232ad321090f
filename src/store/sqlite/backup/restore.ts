import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import type { Clock } from '../../../core/clock.ts'
import { AppError, isAppError } from '../../../core/errors.ts'
import type { CopyProgress, RestoreReport } from '../../../core/reports/backup-report.ts'
import { storeError } from '../folder/database.ts'
import { paths } from '../folder/folder.ts'
import { PRIVATE_FILE } from '../folder/private-files.ts'
import {
  findWrongSum,
  type Manifest,
  type ManifestEntry,
  manifestBytes,
  manifestName,
  maxManifestBytes,
  parseManifest,
  refused,
  sumsName,
} from './backup-manifest.ts'
import { checkRestoredDatabases } from './restored-databases.ts'
import { isSealed, SEALED_HEADER_BYTES, type SealKey, unseal } from './sealed-file.ts'
import { syncFolder, takeWorkFolder } from './work-folder.ts'

/**
 * Restores a backup as a data folder. Everything is unpacked into `DIR.restoring`, next to the target folder, and checked against
 * the backup's own list; only then is it renamed, atomically. Until then nothing changes at `DIR`. The file is untrusted: anything
 * that is not exactly a backup is refused.
 */
export type RestoreOptions = {
  file: string
  folder: string
  clock: Clock
  /** Decrypts a sealed backup; null if none was given. */
  key: SealKey | null
  /** Whether the key is also stored in the restored folder. */
  keepsKey: boolean
  onProgress(progress: CopyProgress): void
  signal?: AbortSignal
}

/** Upper bound for tar's overhead per entry: a header, an extended header, padding of the last block. */
const OVERHEAD_BYTES = 8192

export async function restoreFolder(options: RestoreOptions): Promise<RestoreReport> {
  const { file, folder, clock, key, keepsKey } = options
  const startedAt = clock.monotonic()
  refuseUsed(folder)
  const ownKey = keepsKey && key !== null ? key.read() : null
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    throw new AppError('file-unreadable', `there is no file ${file}`)
  try {
    mkdirSync(dirname(folder), { recursive: true })
    const work = takeWorkFolder(`${folder}.restoring`)
    try {
      const data = join(work.path, 'data')
      const sealed = isSealedFile(file)
      if (sealed && key === null) throw keyMissing()
      const manifest = await unpack(data, options)
      checkRestoredDatabases(data, manifest)
      if (ownKey !== null)
        writeFileSync(paths.key(data), `${ownKey.toString('hex')}\n`, { mode: PRIVATE_FILE, flush: true })
      syncTree(data)
      options.signal?.throwIfAborted()
      refuseUsed(folder)
      putInPlace(data, folder)
      const { documents, versions, madeAt, entries } = manifest
      const seconds = Math.round(clock.monotonic() - startedAt) / 1000
      const bytes = manifestBytes(manifest)
      return { folder, entries: entries.length, bytes, documents, versions, madeAt, seconds, sealed }
    } finally {
      work.remove()
    }
  } catch (error) {
    options.signal?.throwIfAborted()
    throw storeError(error, folder)
  }
}

function refuseUsed(folder: string): void {
  const known = statSync(folder, { throwIfNoEntry: false })
  if (known === undefined) return
  const isFree = known.isDirectory() && readdirSync(folder).length === 0
  if (isFree) return
  throw new AppError(
    'usage-wrong',
    `${folder} is there and not empty. Name a folder that is not there yet with --data, or move this one away first.`,
  )
}

/** Replaces an empty folder at the target. */
function putInPlace(data: string, folder: string): void {
  try {
    if (statSync(folder, { throwIfNoEntry: false }) !== undefined) rmdirSync(folder)
    renameSync(data, folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EBUSY' && code !== 'EXDEV') throw error
    throw new AppError('store-failed', `${folder} is where a disk is mounted: name a folder inside of it with --data`, {
      cause: error,
    })
  }
  syncFolder(dirname(folder))
}

/** Entries must be exactly those in the manifest, in the same order and of the same size. */
async function unpack(data: string, { file, folder, key, onProgress, signal }: RestoreOptions): Promise<Manifest> {
  for (const path of [data, join(data, 'frontier'), join(data, 'archive')]) mkdirSync(path, { mode: 0o700 })
  let limit = maxManifestBytes + OVERHEAD_BYTES
  const bytes = backupBytes({ file, key }, () => limit, signal)
  const entries = ReadableStream.from(bytes)
    .pipeThrough(createTarDecoder({ strict: true }))
    [Symbol.asyncIterator]()
  const sums = new Map<string, string>()
  try {
    const first = await nextEntry(entries, manifestName)
    const text = await readText(first, sums)
    const manifest = parseManifest(text)
    const totalBytes = manifestBytes(manifest)
    requireRoom(dirname(folder), totalBytes)
    limit = text.length * 4 + totalBytes + (manifest.entries.length + 3) * (OVERHEAD_BYTES + 400)
    let done = 0
    for (const entry of manifest.entries) {
      signal?.throwIfAborted()
      const found = await nextEntry(entries, entry.name)
      sums.set(entry.name, await writeEntry(join(data, entry.name), found, entry))
      done += entry.bytes
      onProgress({ phase: 'copy', bytes: done, totalBytes })
    }
    const wrong = findWrongSum(await readText(await nextEntry(entries, sumsName)), sums)
    if (wrong !== null) throw refused(`${wrong} does not match its digest`)
    const { done: ended, value } = await entries.next()
    if (ended !== true) throw refused(`it goes on with ${shown(value.header.name)}`)
    return manifest
  } catch (error) {
    signal?.throwIfAborted()
    throw isAppError(error) || 'syscall' in (error as object) ? error : refused((error as Error).message, error)
  } finally {
    await entries.return?.().catch(() => {})
  }
}

async function nextEntry(entries: AsyncIterator<ParsedTarEntry>, name: string): Promise<ParsedTarEntry> {
  const { done, value } = await entries.next()
  if (done === true) throw refused(`${name} is missing`)
  const { header } = value
  if (header.name !== name) throw refused(`${shown(header.name)} stands where ${name} is expected`)
  if (header.type !== 'file') throw refused(`${name} is no file but a ${header.type}`)
  return value
}

async function readText({ header, body }: ParsedTarEntry, sums?: Map<string, string>): Promise<string> {
  if (header.size > maxManifestBytes) throw refused(`${header.name} has ${header.size} bytes`)
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  sums?.set(header.name, createHash('sha256').update(bytes).digest('hex'))
  return bytes.toString('utf8')
}

async function writeEntry(
  path: string,
  { header, body }: ParsedTarEntry,
  { name, bytes }: ManifestEntry,
): Promise<string> {
  if (header.size !== bytes) throw refused(`${name} has ${header.size} bytes, ${bytes} are announced`)
  const hash = createHash('sha256')
  const fd = openSync(path, 'wx', 0o600)
  try {
    for await (const chunk of body) {
      hash.update(chunk)
      for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at)
    }
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  return hash.digest('hex')
}

function requireRoom(parent: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(parent)
  if (bavail * bsize >= bytes) return
  throw new AppError('store-full', `the backup needs ${bytes} bytes; at ${parent} there are ${bavail * bsize}`)
}

function syncTree(data: string): void {
  for (const path of [join(data, 'frontier'), join(data, 'archive'), data]) syncFolder(path)
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}

const CHUNK_BYTES = 1 << 20

/** The decrypted and decompressed bytes of a backup. `limit` is checked continuously, against decompression bombs. */
async function* backupBytes(
  { file, key }: Pick<RestoreOptions, 'file' | 'key'>,
  limit: () => number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const source =
    key !== null && isSealedFile(file) ? unseal(file, key) : createReadStream(file, { highWaterMark: CHUNK_BYTES })
  const chunks = (source as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  const first = await chunks.next()
  const decompressor = first.done === true ? null : decompressorFor(first.value)
  const all = startingWith(first, chunks)
  // Errors reach the reader of the last stream, so the callback can ignore them.
  const stream = decompressor === null ? all : pipeline(all, decompressor, () => {})
  let total = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    signal?.throwIfAborted()
    total += chunk.length
    if (total > limit()) throw refused('it unfolds to more than it announces')
    yield chunk
  }
}

async function* startingWith(first: IteratorResult<Buffer>, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/** Detects the compression by content, since file names change. */
function decompressorFor(start: Buffer) {
  if (start.length < 4) return null
  if (start.readUInt16BE(0) === 0x1f8b) return createGunzip({ chunkSize: CHUNK_BYTES })
  return start.readUInt32LE(0) === 0xfd2fb528 ? createZstdDecompress({ chunkSize: CHUNK_BYTES }) : null
}

function isSealedFile(file: string): boolean {
  const start = Buffer.alloc(SEALED_HEADER_BYTES)
  try {
    const fd = openSync(file, 'r')
    try {
      readSync(fd, start, 0, start.length, 0)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    throw new AppError('file-unreadable', `${file}: ${(error as Error).message}`, { cause: error })
  }
  return isSealed(start)
}

const keyMissing = (): AppError =>
  new AppError(
    'credentials-locked',
    'the backup is sealed: name the file with its key (secret.key of the data folder it was made of) with --key-file, or set credentials.key',
  )
