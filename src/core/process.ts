import { readFileSync, readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** The most memory that this process had: the kernel's own mark, where there is one: `maxRSS` starts with the size of the process that started this one. */
export function peakRssBytes(): number {
  try {
    const peakKib = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]
    if (peakKib !== undefined) return Number(peakKib) * 1024
  } catch {
    // Not Linux: the figure below is the best there is.
  }
  return process.resourceUsage().maxRSS * 1024
}

/** Lets everybody else go first. False where threads have no priority of their own: then all stays as it is. */
export function lowerThreadPriority(): boolean {
  try {
    // On Linux a priority belongs to a thread; elsewhere there is no such place to read.
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 19)
    return true
  } catch {
    return false
  }
}
