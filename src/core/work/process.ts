import { readFileSync, readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Peak memory of this process. Prefers the kernel's high-water mark: `maxRSS` starts with the size of the parent process. */
export function peakRssBytes(): number {
  try {
    const peakKib = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]
    if (peakKib !== undefined) return Number(peakKib) * 1024
  } catch {
    // Not Linux: fall back to the figure below.
  }
  return process.resourceUsage().maxRSS * 1024
}

/** Lowers the priority of this thread, by default to the lowest. Returns false, without effect, on systems without per-thread priorities. */
export function lowerThreadPriority(niceness = 19): boolean {
  try {
    // On Linux a priority belongs to a thread; other systems have no such path, so this throws.
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), niceness)
    return true
  } catch {
    return false
  }
}
