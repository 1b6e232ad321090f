import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { AppError } from '../src/core/errors.ts'

export type Command = { program: string; args: string[]; cwd?: string; env?: Record<string, string> }

export type Measured = {
  exitCode: number
  stdout: string
  seconds: number
  /** User and system time of the process and the children it waited for. */
  cpuSeconds: number
  peakRssBytes: number
}

const timer = '/usr/bin/time'
const maxOutputBytes = 16 * 1024 * 1024
const maxRunMs = 10 * 60_000

/** Searches PATH; undefined if not found. */
export function findProgram(name: string): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const file = join(folder, name)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {} // not in this folder
  }
  return undefined
}

/** Runs a command under GNU time, which gets the measurements from the kernel when the process ends. */
export async function measureCommand({ program, args, cwd, env }: Command): Promise<Measured> {
  if (findProgram('time') === undefined) throw new AppError('not-available', `${timer} is needed (Debian: time)`)
  return withFolder(async (folder) => {
    const report = join(folder, 'time')
    const startedAt = performance.now()
    const child = spawn(timer, ['-q', '-f', '%U %S %M', '-o', report, program, ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      // Its own process group, so that a tool that hangs can be killed together with its timer.
      detached: true,
    })
    const limit = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), maxRunMs)
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (stdout.length < maxOutputBytes) stdout += text
    })
    const [exitCode] = (await once(child, 'close')) as [number | null]
    clearTimeout(limit)
    const seconds = (performance.now() - startedAt) / 1000
    if (exitCode === null) return { exitCode: 1, stdout, seconds, cpuSeconds: 0, peakRssBytes: 0 }
    const [user = 0, system = 0, rssKb = 0] = readFileSync(report, 'utf8').trim().split(' ').map(Number)
    return { exitCode, stdout, seconds, cpuSeconds: user + system, peakRssBytes: rssKb * 1024 }
  })
}

/** Gives `work` a temporary folder, which is removed afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Truncates all files under a folder instead of deleting them. ext4 searches long for a free inode if many were deleted within the last
 * minutes, so that a tool that writes a file per page would pay for the run before it: 17 s of system time instead of 4.
 */
export function emptyFiles(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) truncateSync(join(entry.parentPath, entry.name))
}

/** The bytes of all files under a folder. */
export function folderBytes(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size
  return bytes
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** The median; for an even number of values, the mean of the two in the middle. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Memory after two full garbage collections. */
export function memoryAfterGc(): NodeJS.MemoryUsage {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage()
}

/** Clock ticks per second: the unit of processor time in /proc. */
const TICKS = 100

type Times = { parent: number; own: number; children: number }

/** CPU time of a process and all its descendants, including those that have ended. Linux only. */
export function processorSeconds(pid: number): number {
  const all = new Map<number, Times>()
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? timesOf(name) : null
    if (times !== null) all.set(Number(name), times)
  }
  const root = all.get(pid)
  if (root === undefined) return 0
  let ticks = root.own + root.children
  const below = new Set([pid])
  // Children nearly always have higher numbers than their parents; a second pass finds the rest.
  for (let pass = 0; pass < 2; pass++)
    for (const [each, { parent, own, children }] of all) {
      if (below.has(each) || !below.has(parent)) continue
      below.add(each)
      ticks += own + children
    }
  return ticks / TICKS
}

function timesOf(pid: string): Times | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    return { parent: fields[1]!, own: fields[11]! + fields[12]!, children: fields[13]! + fields[14]! }
  } catch {
    return null // it has just ended
  }
}
