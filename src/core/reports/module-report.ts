/** What a processing module or a storage came to. */
export type ModuleReport = {
  name: string
  kind: 'module' | 'storage'
  /** Processed without a fault. */
  pages: number
  failures: Record<ModuleFault, number>
  /** The first pages that it failed on. */
  failedOn: { url: string; fault: ModuleFault; message: string }[]
  /** Switched off after too many faults: the crawl went on without it. */
  isOff: boolean
  /** What its `end` returned; null for nothing. */
  result: unknown
}

/**
 * `threw`: the module itself goes on. All others end its thread, which begins again from its last checkpoint: it took longer than allowed,
 * took more memory, ended by an error that it did not catch, or could not be checkpointed.
 */
export const moduleFaults = ['threw', 'timeout', 'memory', 'crashed', 'checkpoint'] as const
export type ModuleFault = (typeof moduleFaults)[number]

export const FAILED_PAGES_KEPT = 20

export function emptyFailures(): Record<ModuleFault, number> {
  return { threw: 0, timeout: 0, memory: 0, crashed: 0, checkpoint: 0 }
}
