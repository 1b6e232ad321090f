import { readFileSync } from 'node:fs'
import { openFiles } from '../../test/faults/process-memory.ts'
import { folderBytes, processorSeconds } from '../measure.ts'

/** Resource usage of a process at one moment. Linux only. */
export type ProcessSample = {
  seconds: number
  cpuSeconds: number
  rssBytes: number
  /** Memory not backed by files: heaps, stacks, buffers, SQLite's caches. */
  anonymousBytes: number
  /** Peak since the process started. */
  peakRssBytes: number
  diskBytes: number
  files: number
  threads: number
}

export function sampleOf(pid: number, startedAt: number, folder: string): ProcessSample {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  return {
    seconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: processorSeconds(pid),
    rssBytes: field('VmRSS') * 1024,
    anonymousBytes: field('RssAnon') * 1024,
    peakRssBytes: field('VmHWM') * 1024,
    diskBytes: sizeOf(folder),
    files: openFiles(pid),
    threads: field('Threads'),
  }
}

/** Retries, since files come and go meanwhile. */
function sizeOf(folder: string): number {
  for (;;)
    try {
      return folderBytes(folder)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
}

/** Ratio of the mean of the last third to the mean of the first. The caller leaves out the very first sample. */
export function lastToFirstThird(values: readonly number[]): number {
  const third = Math.max(1, Math.floor(values.length / 3))
  const mean = (part: readonly number[]): number => part.reduce((sum, value) => sum + value, 0) / part.length
  return mean(values.slice(-third)) / mean(values.slice(0, third))
}

/** Prints a line of the table at once, so that a long run can be followed. */
export function showLine(cells: readonly (string | number)[]): void {
  const text = (cell: string | number): string =>
    typeof cell === 'string' || Number.isInteger(cell) ? `${cell}` : cell.toFixed(Math.abs(cell) < 10 ? 2 : 0)
  process.stderr.write(`${cells.map((cell) => text(cell).padStart(13)).join('')}\n`)
}
