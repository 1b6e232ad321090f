import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

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
