import { type BigIntStats, constants } from 'node:fs'
import { access, type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { AppError } from '../../core/errors.ts'
import { nameText } from './path-bytes.ts'

/**
 * Files and folders below the roots, and no others.
 *
 * Links may lead from one place to another as long as both are below roots. Anyone with write access can replace a folder with a link at
 * any moment, so checking a path before opening it proves nothing (a race): what counts is the check of the open file, whose location
 * the kernel reports. For the same reason, a folder is listed through its open handle.
 */
export type RootedFiles = {
  /** Whether the path, as written, is below a root; doesn't access the file system. */
  covers(path: Buffer): boolean
  /** Rejects with `not-found`, `file-refused` or `file-unreadable`. */
  open(path: Buffer): Promise<OpenFile>
}

export type OpenFile = {
  handle: FileHandle
  stat: BigIntStats
  /** A path that leads to this file or folder even if it is moved; on systems without such paths, its last known path. */
  at: Buffer
  /** Its location, as a path below the roots as configured. */
  place: Buffer
}

// Without O_NONBLOCK, opening a FIFO would wait for a writer; it is refused once it is open.
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

type Root = { written: Buffer; real: Buffer }

export function createRootedFiles(roots: readonly string[]): RootedFiles {
  const written = roots.map((root) => Buffer.from(root.replace(/\/+$/, '') || '/'))

  async function realRoots(path: Buffer): Promise<Root[]> {
    const found: Root[] = []
    for (const root of written) {
      try {
        found.push({ written: root, real: await realpath(root, 'buffer') })
      } catch (error) {
        // Perhaps a disk that isn't mounted: its files aren't gone.
        if (isBelow(path, root)) throw fileError(error, root, 'later')
      }
    }
    return found
  }

  const covers = (path: Buffer): boolean => written.some((root) => isBelow(path, root))

  return {
    covers,
    async open(path) {
      if (!covers(path)) throw refused(path, 'is outside the folders that may be read')
      const resolved = asked(path, () => realpath(path, 'buffer'))
      // If the root is missing, too, that is reported instead.
      resolved.catch(() => {})
      const known = await realRoots(path)
      const real = await resolved
      placeOf(real, known, path)
      refuseSpecial(await asked(path, () => lstat(real, { bigint: true })), path)
      const handle = await asked(path, () => open(real, flags))
      try {
        const stated = asked(path, () => handle.stat({ bigint: true }))
        const [stat, { at, real: isAt }] = await Promise.all([stated, asked(path, () => locate(handle, stated, real))])
        refuseSpecial(stat, path)
        return { handle, stat, at, place: placeOf(isAt, known, path) }
      } catch (error) {
        await handle.close()
        throw error
      }
    },
  }
}

/** The location of an open file, as reported by the kernel. On other systems than Linux: its last path, if the same file is still there. */
async function locate(
  handle: FileHandle,
  stated: Promise<BigIntStats>,
  opened: Buffer,
): Promise<{ at: Buffer; real: Buffer }> {
  const at = Buffer.from(`/proc/self/fd/${handle.fd}`)
  if (await hasDescriptors) return { at, real: await readlink(at, 'buffer') }
  const real = await realpath(opened, 'buffer')
  const [stat, there] = await Promise.all([stated, lstat(real, { bigint: true })])
  if (there.dev !== stat.dev || there.ino !== stat.ino) throw refused(opened, 'was exchanged while it was opened')
  return { at: real, real }
}

const hasDescriptors: Promise<boolean> = access('/proc/self/fd').then(
  () => true,
  () => false,
)

function isBelow(path: Buffer, root: Buffer): boolean {
  const start = root.length === 1 ? root : Buffer.concat([root, Buffer.from('/')])
  return path.equals(root) || path.subarray(0, start.length).equals(start)
}

function placeOf(real: Buffer, roots: readonly Root[], asked: Buffer): Buffer {
  const root = roots.find((root) => isBelow(real, root.real))
  if (root === undefined) throw refused(asked, 'leads out of the folders that may be read')
  const rest = real.subarray(root.real.length === 1 ? 0 : root.real.length)
  return root.written.length === 1 ? (rest.length === 0 ? root.written : rest) : Buffer.concat([root.written, rest])
}

function refuseSpecial(stat: BigIntStats, path: Buffer): void {
  if (!stat.isFile() && !stat.isDirectory()) throw refused(path, 'is a device, a socket or a pipe')
}

function refused(path: Buffer, why: string): AppError {
  return new AppError('file-refused', `${nameText(path)} ${why}`)
}

async function asked<T>(path: Buffer, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw error instanceof AppError ? error : fileError(error, path)
  }
}

const denied: ReadonlySet<string> = new Set(['EACCES', 'EPERM'])
const missing: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'])

/** `otherwise`: whether a missing file is gone, or may come back by itself. */
export function fileError(error: unknown, path: Buffer, otherwise: 'gone' | 'later' = 'gone'): AppError {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const name = nameText(path)
  if (code === 'ELOOP') return refused(path, 'is a link that leads nowhere')
  if (denied.has(code)) return new AppError('file-unreadable', `${name}: access is denied`, { cause: error })
  if (!missing.has(code))
    return new AppError('file-unreadable', `${name} can't be read (${code})`, { cause: error, retry: 'later' })
  if (otherwise === 'gone') return new AppError('not-found', `there is no ${name}`, { cause: error })
  return new AppError('file-unreadable', `the folder ${name} is missing`, { cause: error, retry: 'later' })
}
