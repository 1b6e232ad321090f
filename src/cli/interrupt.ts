import type { Clock } from '../core/clock.ts'
import { exitCodes } from './command.ts'
import type { CliIo, StopSignal } from './output/io.ts'

/**
 * The first Ctrl-C asks the command to finish cleanly, the second ends the process at once. One key press may arrive
 * several times, from the terminal and from npm or the launcher, which forward the signal: anything within half a
 * second of the first counts as the same press.
 */
const SAME_PRESS_MS = 500
const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

type Interrupt = { signal: AbortSignal; dispose(): void }

export const finishingStep = 'finishing the current step …\n'

export function finishingRequests(command: string): string {
  return `erace ${command}: finishing requests in flight; press Ctrl-C again to stop now\n`
}

export function createInterrupt(deps: { io: CliIo; clock: Clock; onFirst?: () => void }): Interrupt {
  const { io, clock, onFirst } = deps
  const controller = new AbortController()
  let firstMs: number | undefined
  function listener(): void {
    if (firstMs === undefined) {
      firstMs = clock.monotonic()
      onFirst?.()
      controller.abort()
    } else if (clock.monotonic() - firstMs >= SAME_PRESS_MS) io.exitNow(exitCodes.interrupted)
  }
  for (const name of stopSignals) io.on(name, listener)
  return {
    signal: controller.signal,
    dispose() {
      for (const name of stopSignals) io.off(name, listener)
    },
  }
}
