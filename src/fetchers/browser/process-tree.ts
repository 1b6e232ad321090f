import { readdirSync, readFileSync } from 'node:fs'

/**
 * Processes and their memory, from Linux's `/proc`. On other systems, trees are empty and memory is unknown.
 * Reads are synchronous: these files are generated in memory, and there are only a few hundred.
 */

/** `start` distinguishes it from a later process with the same pid. */
export type Process = { pid: number; start: string }

export const processOf = (pid: number): Process => ({ pid, start: readStat(pid).start })

/** The process and its descendants; empty if it has exited. */
export function processTree(root: Process): Process[] {
  const children = new Map<number, Process[]>()
  for (const name of listProc()) {
    if (!/^\d+$/.test(name)) continue
    const { parent, start } = readStat(Number(name))
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [{ pid: Number(name), start }])
    else siblings.push({ pid: Number(name), start })
  }
  const tree = isRunning(root) ? [root] : []
  // The list grows while it is walked.
  for (const { pid } of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

/** Anonymous and shared memory of the processes, without programs and libraries mapped from files. */
export function memoryBytes(processes: readonly Process[]): number {
  let kilobytes = 0
  for (const { pid } of processes) {
    const status = readProc(`${pid}/status`)
    for (const [, size] of status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)) kilobytes += Number(size)
  }
  return kilobytes * 1024
}

/** Kills the processes that are still running. */
export function killAll(processes: readonly Process[]): void {
  for (const one of processes) {
    if (!isRunning(one)) continue
    try {
      process.kill(one.pid, 'SIGKILL')
    } catch (error) {
      if (!isGone(error)) throw error
    }
  }
}

/** False for zombies. */
export function isRunning({ pid, start }: Process): boolean {
  const now = readStat(pid)
  return start !== '' && now.start === start && now.state !== 'Z'
}

/** "pid (name) state parent … start …", where the name may contain anything, including parentheses. */
function readStat(pid: number): { state: string; parent: number; start: string } {
  const stat = readProc(`${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', parent: Number(fields[1] ?? 0), start: fields[19] ?? '' }
}

function listProc(): string[] {
  try {
    return readdirSync('/proc')
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

/** '' if the process has exited meanwhile. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1')
  } catch (error) {
    if (isGone(error)) return ''
    throw error
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'ENOENT')
}
