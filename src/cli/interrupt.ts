import type { Clock } from '../core/clock.ts'
import { exitCodes } from './command.ts'
import type { CliIo, StopSignal } from './output/io.ts'

/**
 * The first Ctrl-C asks the work to end well, the second ends the process at once. One key press may arrive several
 * times, from the terminal and from npm or the launcher which pass on what they got: what comes within half a second
 * of the first counts as the same press.
 */
const SAME_PRESS_MS = 500
const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

export type Interrupt = { signal: AbortSignal; dispose(): void }

export function createInterrupt(deps: { io: CliIo; clock: Clock; onFirst: () => void }): Interrupt {
  const { io, clock, onFirst } = deps
  const controller = new AbortController()
  let firstMs: number | undefined
  function listener(): void {
    if (firstMs === undefined) {
      firstMs = clock.monotonic()
      onFirst()
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
