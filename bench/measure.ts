import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { AppError } from '../src/core/errors.ts'

export type Command = { program: string; args: string[]; cwd?: string; env?: Record<string, string> }

export type Measured = {
  exitCode: number
  stdout: string
  seconds: number
  /** User and system time of the process and all that it waited for. */
  cpuSeconds: number
  peakRssBytes: number
}

const timer = '/usr/bin/time'
const maxOutputBytes = 16 * 1024 * 1024
const maxRunMs = 10 * 60_000

/** Where a program is on the path, or undefined. */
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

/** Runs a command under GNU time, which asks the kernel for the figures when the process has ended. */
export async function measureCommand({ program, args, cwd, env }: Command): Promise<Measured> {
  if (findProgram('time') === undefined) throw new AppError('not-available', `${timer} is needed (Debian: time)`)
  const folder = mkdtempSync(join(tmpdir(), 'erace-time-'))
  const report = join(folder, 'time')
  try {
    const startedAt = performance.now()
    const child = spawn(timer, ['-q', '-f', '%U %S %M', '-o', report, program, ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      // A group of its own, so that a tool that hangs can be ended together with its timer.
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
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The bytes of all files under a folder. */
export function folderBytes(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size
  return bytes
}
