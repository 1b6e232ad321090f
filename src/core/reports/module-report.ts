/** Result of a processing module or a storage. */
export type ModuleReport = {
  name: string
  kind: 'module' | 'storage'
  /** Processed without a fault. */
  pages: number
  failures: Record<ModuleFault, number>
  /** The first pages it failed on. */
  failedOn: { url: string; fault: ModuleFault; message: string }[]
  /** Disabled after too many faults: the crawl continued without it. */
  isOff: boolean
  /** What its `end` returned; null for nothing. */
  result: unknown
}

/**
 * `threw`: the module continues. All other faults end its thread, which restarts from its last checkpoint: it ran too long, used too much
 * memory, ended with an uncaught error, or could not be checkpointed.
 */
export const moduleFaults = ['threw', 'timeout', 'memory', 'crashed', 'checkpoint'] as const
export type ModuleFault = (typeof moduleFaults)[number]

export const FAILED_PAGES_KEPT = 20

export function emptyFailures(): Record<ModuleFault, number> {
  return { threw: 0, timeout: 0, memory: 0, crashed: 0, checkpoint: 0 }
}
