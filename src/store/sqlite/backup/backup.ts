import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, renameSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { createGzip, createZstdCompress } from 'node:zlib'
import { createTarPacker, type TarPackController } from 'modern-tar'
import type { Clock } from '../../../core/clock.ts'
import { AppError, isAppError } from '../../../core/errors.ts'
import type { BackupReport, CopyProgress } from '../../../core/reports/backup-report.ts'
import { storeError } from '../folder/database.ts'
import { openCatalogForReading, paths } from '../folder/folder.ts'
import { type FolderLock, lockFolder } from '../folder/lock.ts'
import { PRIVATE_FILE } from '../folder/private-files.ts'
import { formatSums, type Manifest, manifestBytes, manifestName, manifestOf, sumsName } from './backup-manifest.ts'
import { createSealer, type SealKey } from './sealed-file.ts'
import { openSnapshots, type Snapshots } from './snapshot.ts'
import { syncFolder, takeWorkFolder, type WorkFolder } from './work-folder.ts'

/**
 * Copies a data folder into one file while others continue to write to it. The lock `housekeeping` is held throughout: archive files may
 * grow, but none is replaced. First a consistent snapshot of the databases is copied; its catalogue says how much of each archive file
 * belongs to it. The backup is written in the folder `FILE.part`, and moved to its name once it is complete and on disk.
 *
 * If the folder contains anything private (credentials, or documents fetched with them), the whole backup is encrypted, and the databases
 * are copied inside the data folder: nothing is ever unencrypted where backups are kept.
 */
export type BackupOptions = {
  folder: string
  file: string
  /** Replaces an existing file. */
  force: boolean
  /** How long to wait for a process that is replacing archive files. */
  patienceMs?: number
  clock: Clock
  /** Encrypts the backup; read only if something is private. */
  key: SealKey
  onWaiting(holder: string): void
  onProgress(progress: CopyProgress): void
  signal?: AbortSignal
}

const PATIENCE_MS = 60_000
const LOCK_STEP_MS = 200
const CHUNK_BYTES = 1 << 20
/** Fast rather than small: the large files in a backup are already compressed. */
const GZIP_LEVEL = 1

export async function backupFolder(options: BackupOptions): Promise<BackupReport> {
  const { folder, file, force, clock } = options
  const startedAt = clock.monotonic()
  openCatalogForReading(folder).close()
  refusePlace(folder, file, force)
  const lock = await waitForLock(options)
  try {
    const work = takeWorkFolder(`${file}.part`)
    try {
      const part = join(work.path, basename(file))
      const plan = await writeBackup(part, work.path, options)
      refusePlace(folder, file, force)
      const { size: fileBytes } = statSync(part)
      renameSync(part, file)
      syncFolder(dirname(file))
      const { manifest, incomplete, isPrivate } = plan
      return {
        file,
        entries: manifest.entries.length,
        bytes: manifestBytes(manifest),
        fileBytes,
        documents: manifest.documents,
        versions: manifest.versions,
        seconds: Math.round(clock.monotonic() - startedAt) / 1000,
        incomplete,
        sealed: isPrivate,
        keepElsewhere: isPrivate ? options.key.place : null,
      }
    } finally {
      work.remove()
    }
  } catch (error) {
    options.signal?.throwIfAborted()
    throw storeError(error, file)
  } finally {
    lock.release()
  }
}

function refusePlace(folder: string, file: string, force: boolean): void {
  const wrong = (message: string): never => {
    throw new AppError('usage-wrong', message)
  }
  const inside = relative(folder, file)
  if (inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`) && inside !== file))
    wrong(`${file} is in the data folder itself: name a place outside of it, best on another disk`)
  const known = statSync(file, { throwIfNoEntry: false })
  if (known?.isFile() === false) wrong(`${file} is there and is no file`)
  if (known !== undefined && !force) wrong(`${file} is there already: name another file, or add --force to replace it`)
  if (!existsSync(dirname(file))) wrong(`there is no folder ${dirname(file)}`)
}

/** Polls, so that the process can handle signals in between. */
async function waitForLock(options: BackupOptions): Promise<FolderLock> {
  const { folder, clock, patienceMs = PATIENCE_MS, signal } = options
  const deadline = clock.monotonic() + patienceMs
  for (let told = false; ; ) {
    try {
      return lockFolder(folder, `process ${process.pid} on ${hostname()} (backup)`, 0, 'housekeeping')
    } catch (error) {
      if (!isAppError(error, 'store-locked') || clock.monotonic() >= deadline) throw error
      if (!told) options.onWaiting(error.message)
      told = true
    }
    await pause(LOCK_STEP_MS, undefined, signal === undefined ? {} : { signal })
  }
}

type Plan = { manifest: Manifest; sources: Map<string, string>; incomplete: string[] }

async function writeBackup(part: string, work: string, options: BackupOptions): Promise<Plan & { isPrivate: boolean }> {
  const { folder, clock } = options
  const madeAt = new Date(clock.now()).toISOString()
  const snapshots = openSnapshots(folder)
  let copies: WorkFolder | null = null
  try {
    const sealKey = snapshots.hasPrivate() ? readKey(options.key) : null
    if (sealKey !== null) copies = takeWorkFolder(paths.snapshots(folder))
    const plan = await makePlan(snapshots, madeAt, copies?.path ?? work, options)
    snapshots.close()
    await writeTar(part, plan, sealKey, options)
    return { ...plan, isPrivate: sealKey !== null }
  } finally {
    snapshots.close()
    copies?.remove()
  }
}

function readKey(key: SealKey): Buffer {
  try {
    return key.read()
  } catch (error) {
    if (!isAppError(error, 'credentials-locked')) throw error
    throw new AppError(
      'credentials-locked',
      `the data folder holds credentials or what was read with them, so its backup is sealed with their key: ${error.message}`,
      { cause: error },
    )
  }
}

/** Copies the databases and lists the entries of the backup, with the file that each is read from. */
async function makePlan(
  snapshots: Snapshots,
  madeAt: string,
  work: string,
  { folder, onProgress, signal }: BackupOptions,
): Promise<Plan> {
  const copies = await snapshots.copyTo(
    work,
    (bytes, totalBytes) => onProgress({ phase: 'snapshot', bytes, totalBytes }),
    signal,
  )
  const sources = new Map(copies.map(({ name, path }) => [name, path]))
  const entries = copies.map(({ name, path }) => ({ name, bytes: statSync(path).size }))
  const { kept, incomplete } = lookAtArchive(paths.archive(folder), snapshots.files)
  for (const { name, path, bytes } of kept) {
    sources.set(name, path)
    entries.push({ name, bytes })
  }
  const { documents, versions } = snapshots
  return { manifest: manifestOf({ madeAt, documents, versions, entries }), sources, incomplete }
}

/** Damaged files are copied as they are and reported: a backup of the rest is better than none. */
function lookAtArchive(archive: string, files: Snapshots['files']) {
  const kept: { name: string; path: string; bytes: number }[] = []
  const incomplete: string[] = []
  for (const { name, length } of files) {
    const path = join(archive, name)
    const size = statSync(path, { throwIfNoEntry: false })?.size
    if (size === undefined) incomplete.push(`${path} is missing`)
    else if (size < length) incomplete.push(`${path} has ${size} bytes, ${length} were stored`)
    if (size !== undefined) kept.push({ name: `archive/${name}`, path, bytes: Math.min(size, length) })
  }
  return { kept, incomplete }
}

async function writeTar(target: string, plan: Plan, sealKey: Buffer | null, options: BackupOptions): Promise<void> {
  const { readable, controller } = createTarPacker()
  // The first failure is the cause; later ones follow from it.
  const failures: unknown[] = []
  const compressor = compressorFor(options.file)
  const between = [...(compressor === null ? [] : [compressor]), ...(sealKey === null ? [] : [createSealer(sealKey)])]
  const out = createWriteStream(target, { flags: 'wx', flush: true, mode: PRIVATE_FILE })
  const written = pipeline([Readable.fromWeb(readable), ...between, out]).catch((error) => {
    failures.push(error)
  })
  try {
    await addEntries(controller, plan, options)
    controller.finalize()
  } catch (error) {
    failures.push(error)
    controller.error(error)
  }
  await written
  if (failures.length > 0) throw failures[0]
}

function compressorFor(file: string) {
  if (/\.(?:tgz|gz)$/i.test(file)) return createGzip({ level: GZIP_LEVEL })
  return /\.(?:tzst|zst)$/i.test(file) ? createZstdCompress() : null
}

async function addEntries(
  controller: TarPackController,
  { manifest, sources }: Plan,
  { clock, onProgress, signal }: BackupOptions,
): Promise<void> {
  const mtime = new Date(clock.now())
  const sums = new Map<string, string>()
  const totalBytes = manifestBytes(manifest)
  let done = 0
  const add = async (name: string, size: number, chunks: AsyncIterable<Buffer> | Buffer[]): Promise<void> => {
    const hash = createHash('sha256')
    const writer = controller.add({ name, size, mtime, type: 'file', mode: 0o600 }).getWriter()
    for await (const chunk of chunks) {
      signal?.throwIfAborted()
      hash.update(chunk)
      await writer.write(chunk)
    }
    await writer.close()
    sums.set(name, hash.digest('hex'))
  }
  const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)
  await add(manifestName, text.length, [text])
  for (const { name, bytes } of manifest.entries) {
    await add(name, bytes, readBytes(sources.get(name)!, bytes))
    done += bytes
    onProgress({ phase: 'copy', bytes: done, totalBytes })
  }
  const list = Buffer.from(formatSums(sums))
  await add(sumsName, list.length, [list])
}

async function* readBytes(path: string, length: number): AsyncGenerator<Buffer> {
  if (length === 0) return
  let left = length
  for await (const chunk of createReadStream(path, { end: length - 1, highWaterMark: CHUNK_BYTES })) {
    left -= (chunk as Buffer).length
    yield chunk as Buffer
  }
  if (left > 0) throw new AppError('store-damaged', `${path} became shorter while it was copied`)
}
