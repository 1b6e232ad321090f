import type { Logger } from 'pino'
import type { Clock } from '../core/clock.ts'
import { type CommandContext, exitCodes } from './command.ts'
import type { CliIo, StopSignal } from './output/io.ts'
import { createStatusLine, type StatusLine } from './output/status-line.ts'

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

export function createInterrupt(deps: { io: CliIo; clock: Clock; onFirst?: () => unknown }): Interrupt {
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

type Running = { signal: AbortSignal; line: StatusLine; shows: boolean }

/** Runs work that cleans up after itself when interrupted; `consequence` says what that means for the user. */
export async function interruptible(
  { io, clock, quiet }: CommandContext,
  consequence: string,
  work: (running: Running) => Promise<number>,
  finishing = '',
): Promise<number> {
  const line = createStatusLine(io.stderr)
  const interrupt = createInterrupt({ io, clock, onFirst: () => finishing !== '' && line.sink.write(finishing) })
  try {
    return await work({ signal: interrupt.signal, line, shows: io.stderr.isTTY === true && !quiet })
  } catch (error) {
    line.clear()
    if (!interrupt.signal.aborted) throw error
    io.stderr.write(`interrupted: ${consequence}\n`)
    return exitCodes.interrupted
  } finally {
    line.clear()
    interrupt.dispose()
  }
}

/** Runs a service until it is told to stop. */
export async function untilStopped(
  { io, clock, quiet, createLog }: CommandContext,
  name: string,
  work: (running: { signal: AbortSignal; log: Logger }) => Promise<void>,
): Promise<number> {
  const onFirst = () => quiet || io.stderr.write(finishingRequests(name))
  const interrupt = createInterrupt({ io, clock, onFirst })
  try {
    await work({ signal: interrupt.signal, log: await createLog(io.stderr) })
    return exitCodes.done
  } finally {
    interrupt.dispose()
  }
}
