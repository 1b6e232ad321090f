import { readFileSync, readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Peak memory of this process. Prefers the kernel's own mark: `maxRSS` starts with the size of the parent process. */
export function peakRssBytes(): number {
  try {
    const peakKib = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]
    if (peakKib !== undefined) return Number(peakKib) * 1024
  } catch {
    // Not Linux: the figure below is the best there is.
  }
  return process.resourceUsage().maxRSS * 1024
}

/** Gives this thread the lowest priority. False, with no effect, where threads have no priority of their own. */
export function lowerThreadPriority(): boolean {
  try {
    // On Linux a priority belongs to a thread; elsewhere there is no such place to read.
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 19)
    return true
  } catch {
    return false
  }
}
