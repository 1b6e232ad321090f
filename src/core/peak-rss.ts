import { readFileSync } from 'node:fs'

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
