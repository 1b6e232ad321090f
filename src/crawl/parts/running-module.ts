import { AppError, isAppError } from '../../core/errors.ts'
import type { ModuleFault } from '../../core/reports/module-report.ts'
import { withinLimit } from '../../core/work/race.ts'
import { startThread, type ThreadHost } from '../../core/work/thread-host.ts'
import type { LoadedModule, ModuleCall, ModuleEvent, ModuleThreadData } from './module-thread.ts'

export type ModuleLimits = { pageTimeMs: number; memoryBytes: number }

/** A failed call of a module; all faults but `threw` mean that its thread has ended. */
export class ModuleFailure extends Error {
  readonly fault: ModuleFault

  constructor(fault: ModuleFault, message: string) {
    super(message)
    this.name = 'ModuleFailure'
    this.fault = fault
  }
}

/** A module's thread with its limits. To restart it, create another one. */
export type RunningModule = {
  readonly loaded: LoadedModule
  /** Rejects with a `ModuleFailure`. */
  call<T>(call: ModuleCall): Promise<T>
  end(): Promise<void>
}

const entry = new URL('./module-thread.ts', import.meta.url)
/** Interval of memory checks: memory outside of V8's heap, such as buffers, has no limit of its own. */
const LOOK_EVERY_MS = 100
const LOAD_MS = 30_000

/** Throws `part-invalid` if the file can't be loaded. */
export async function startModule(
  data: ModuleThreadData,
  { pageTimeMs, memoryBytes }: ModuleLimits,
  onLog: (event: ModuleEvent) => void,
): Promise<RunningModule> {
  const megabytes = Math.max(16, Math.floor(memoryBytes / (1 << 20)))
  const thread = startThread<ModuleCall, ModuleEvent, ModuleThreadData>(entry, {
    data,
    resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: 16 },
    onEvent: onLog,
  })
  // Not the thread's own time limit: terminating a thread in a top-level await would end the whole process.
  const loaded = await withinLimit(thread.request<LoadedModule>({ method: 'load' }), LOAD_MS, () => {
    throw new AppError('part-invalid', `${data.path}: not loaded within ${LOAD_MS / 1000} seconds`)
  })
  let isTooLarge = false

  /** Ends a thread that exceeds its memory limit, even in the middle of a page. */
  function watchMemory(of: ThreadHost<ModuleCall>): NodeJS.Timeout {
    return setInterval(() => {
      of.memoryBytes().then(
        (bytes) => {
          if (bytes <= memoryBytes || isTooLarge) return
          isTooLarge = true
          void of.terminate()
        },
        () => {}, // it has ended in the meantime, which its call reports
      )
    }, LOOK_EVERY_MS)
  }

  function failureOf(error: unknown): ModuleFailure {
    const message = (error instanceof Error ? error.message : String(error)).split('\n')[0]!.slice(0, 300)
    if (isTooLarge || (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
      return new ModuleFailure('memory', `took more than ${Math.round(memoryBytes / 1e6)} MB of memory`)
    if (isAppError(error, 'took-too-long') && thread.hasEnded())
      return new ModuleFailure('timeout', `not done after ${pageTimeMs} ms`)
    return new ModuleFailure(thread.hasEnded() ? 'crashed' : 'threw', message)
  }

  return {
    loaded,
    async call<T>(call: ModuleCall) {
      const watch = watchMemory(thread)
      try {
        return await thread.request<T>(call, { timeLimitMs: pageTimeMs })
      } catch (error) {
        throw failureOf(error)
      } finally {
        clearInterval(watch)
      }
    },
    end: thread.terminate,
  }
}
