import { readdirSync, readFileSync } from 'node:fs'

/**
 * Processes and their memory, as Linux tells them in `/proc`. Where there is none, trees are empty and memory is not known.
 * Reading is synchronous: these files are made in memory, and there are a few hundred.
 */

/** `start` tells it from a later process with the same number. */
export type Process = { pid: number; start: string }

export const processOf = (pid: number): Process => ({ pid, start: readStat(pid).start })

/** The process and all that descend from it; none if it has ended. */
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

/** What the processes have for themselves, and what they share in memory: programs and libraries read from files are not counted. */
export function memoryBytes(processes: readonly Process[]): number {
  let kilobytes = 0
  for (const { pid } of processes) {
    const status = readProc(`${pid}/status`)
    for (const [, size] of status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)) kilobytes += Number(size)
  }
  return kilobytes * 1024
}

/** Ends processes at once, as far as they still run. */
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

/** One that has ended and waits for its parent to notice doesn't count. */
export function isRunning({ pid, start }: Process): boolean {
  const now = readStat(pid)
  return start !== '' && now.start === start && now.state !== 'Z'
}

/** "pid (name) state parent … start …", where the name may hold anything, parentheses too. */
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

/** '' for a process that has ended meanwhile. */
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
