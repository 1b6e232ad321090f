import { createReadStream, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'

/**
 * Mercator's rewindable input stream: a body is read once from the network and any number of times by modules. Up to 64 KB it is in memory;
 * a longer one is spooled to a file, so that bodies waiting for slow modules take little memory.
 */
export type RewindableBody = {
  readonly length: number
  /** The whole body. */
  bytes(): Promise<Uint8Array>
  /** The body in pieces; each call starts from the beginning. */
  stream(): AsyncIterable<Uint8Array>
}

/** A body on its way between threads. */
export type BodyData =
  | { kind: 'memory'; bytes: Uint8Array }
  | { kind: 'file'; path: string; length: number }
  /** In the archive; read when needed. */
  | { kind: 'version' }
  | { kind: 'none' }

export const MAX_MEMORY_BYTES = 64 << 10
const PIECE_BYTES = 64 << 10

/** Empty if the body is in the archive and could not be read. */
export function openBody(data: BodyData): RewindableBody {
  if (data.kind === 'file') {
    const { path, length } = data
    return {
      length,
      bytes: () => readFile(path),
      stream: () => createReadStream(path, { highWaterMark: PIECE_BYTES }),
    }
  }
  const bytes = data.kind === 'memory' ? data.bytes : new Uint8Array()
  return {
    length: bytes.length,
    // A copy, so that changes by one reader don't affect the next.
    bytes: async () => bytes.slice(),
    async *stream() {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.slice(at, at + PIECE_BYTES)
    },
  }
}

/** Storage for long bodies of one thread while modules need them. */
export type Spool = { keep(body: Uint8Array): Promise<BodyData> }

export function createSpool(folder: string, thread: number): Spool {
  let files = 0
  return {
    async keep(body) {
      // A copy: the underlying buffer may be much larger.
      if (body.length <= MAX_MEMORY_BYTES) return { kind: 'memory', bytes: Uint8Array.from(body) }
      const path = join(folder, `${thread}-${++files}`)
      const file = await open(path, 'wx', 0o600).catch(full)
      try {
        await file.writeFile(body).catch(full)
      } finally {
        await file.close()
      }
      return { kind: 'file', path, length: body.length }
    },
  }
}

function full(error: NodeJS.ErrnoException): never {
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT'
  throw new AppError(isFull ? 'store-full' : 'store-failed', `a body can't be kept for modules: ${error.message}`)
}

/** Deletes a body that no module needs any more. */
export async function dropBody(data: BodyData): Promise<void> {
  if (data.kind === 'file') await rm(data.path, { force: true })
}

/**
 * Creates this process's folder for spooled bodies. First removes the folders of processes that were killed: the modules' journal has
 * what is still needed.
 */
export function openSpoolFolder(parent: string): { folder: string; remove(): void } {
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(parent)) {
    const pid = /^\d{1,10}$/.test(name) ? Number(name) : 0
    if (pid > 0 && (pid === process.pid || !isAlive(pid))) rmSync(join(parent, name), { recursive: true, force: true })
  }
  const folder = join(parent, String(process.pid))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
