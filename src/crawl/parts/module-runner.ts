import type { Clock } from '../../core/clock.ts'
import {
  emptyFailures,
  FAILED_PAGES_KEPT,
  type ModuleFault,
  type ModuleReport,
} from '../../core/reports/module-report.ts'
import type { ModuleCheckpoint } from '../../store/contracts/module-journal.ts'
import { type Answer, isWanted, type Wanted } from './answer.ts'
import type { ModuleQueue, QueuedAnswer } from './module-queue.ts'
import { ModuleFailure, type RunningModule } from './running-module.ts'

/**
 * Runs one module over the queue. It is
 * - at work: pages are given to its thread one by one; from time to time its state is saved together with its position;
 * - set back: its thread ended by a fault. A new one starts from the last checkpoint and gets all pages since, except those it failed on;
 * - off: it had too many of these faults. It gets no more pages, and nothing waits for it.
 */
export type ModuleRunner = {
  readonly name: string
  readonly wanted: Wanted
  /** Sequence number of the last page covered by its checkpoint; the maximum if it is off. */
  saved(): number
  /** Rejects only if a checkpoint can't be saved. */
  run(): Promise<void>
  /** `drain`: all queued pages are processed first, then the module's `end` is called. */
  stop(how: 'drain' | 'at-once'): void
  report(): ModuleReport
}

export type ModuleRunnerDeps = {
  kind: 'module' | 'storage'
  queue: ModuleQueue
  clock: Pick<Clock, 'monotonic'>
  /** The thread that was started to find out what the module wants. */
  first: RunningModule
  /** Starts a new thread. */
  restart(): Promise<RunningModule>
  checkpoint: ModuleCheckpoint | null
  /** Reads the body from the archive, if it is there. */
  withBody(answer: Answer): Promise<Answer>
  save(checkpoint: ModuleCheckpoint): Promise<void>
  onFault(module: string, url: string, failure: ModuleFailure): void
  onOff(module: string, faults: number): void
  limits: { maxFaults: number; checkpointEveryMs: number }
}

type Counts = Pick<ModuleReport, 'pages' | 'failures' | 'failedOn'>

/** Maximum number of pages between checkpoints: until then they are kept in case of a fault. */
const CHECKPOINT_PAGES = 256
const PAGES_PER_FAULT = 100
/** Time to finish the current page when the crawl is interrupted; else it is given again when the crawl resumes. */
const GRACE_MS = 2000

export function createModuleRunner(deps: ModuleRunnerDeps): ModuleRunner {
  const { kind, queue, clock, limits } = deps
  const { name, hasState, types, answers } = deps.first.loaded
  const wanted: Wanted = { types, answers }
  let running: RunningModule | null = deps.first
  let checkpoint = deps.checkpoint
  const counts: Counts = countsOf(checkpoint)
  let position = checkpoint?.seq ?? 0
  let savedPages = counts.pages
  let savedAt = clock.monotonic()
  /** Pages that it failed on and doesn't get again. */
  const failed = new Set<number>()
  /** Pages during which its thread ended by a fault that an earlier page may have caused. */
  const suspects = new Set<number>()
  let faults = 0
  let progress = counts.pages
  let isOff = false
  let stopping: 'drain' | 'at-once' | null = null
  /** Its thread was ended in the middle of a page because the grace period was over. */
  let isAborted = false
  let result: unknown = null

  function note(url: string, failure: ModuleFailure): void {
    counts.failures[failure.fault]++
    const { fault, message } = failure
    if (counts.failedOn.length < FAILED_PAGES_KEPT) counts.failedOn.push({ url, fault, message })
    deps.onFault(name, url, failure)
  }

  function switchOff(): void {
    isOff = true
    running = null
    deps.onOff(name, faults)
    queue.wake()
  }

  /** Restarts with a new thread from the last checkpoint. */
  async function setBack(): Promise<void> {
    await running?.end()
    running = null
    if (++faults >= limits.maxFaults) return switchOff()
    try {
      running = await deps.restart()
      if (checkpoint?.state) await running.call({ method: 'restore', state: checkpoint.state })
    } catch (error) {
      note('', error instanceof ModuleFailure ? error : new ModuleFailure('crashed', String(error)))
      return setBack()
    }
    position = checkpoint?.seq ?? 0
    counts.pages = savedPages
  }

  /** Counts a page; old faults are forgiven, one per `PAGES_PER_FAULT` pages. */
  function noteProgress(): void {
    counts.pages++
    if (counts.pages < progress + PAGES_PER_FAULT) return
    progress = counts.pages
    faults = Math.max(0, faults - 1)
  }

  async function give({ seq, answer }: QueuedAnswer): Promise<void> {
    const whole = await deps.withBody(answer)
    if (isWanted(wanted, whole)) {
      try {
        await running!.call({ method: 'page', answer: whole })
        noteProgress()
      } catch (error) {
        if (isAborted) return
        const failure = error as ModuleFailure
        // An earlier page may have caused the breakdown of the thread.
        const isSuspect = failure.fault === 'memory' || failure.fault === 'crashed'
        if (isSuspect && !suspects.has(seq)) {
          suspects.add(seq)
          note(answer.url, failure)
          return setBack()
        }
        failed.add(seq)
        note(answer.url, failure)
        if (failure.fault !== 'threw') return setBack()
      }
    }
    position = seq
  }

  function isDue(): boolean {
    if (position === (checkpoint?.seq ?? 0)) return false
    const isLate = clock.monotonic() - savedAt >= limits.checkpointEveryMs
    return isLate || position - (checkpoint?.seq ?? 0) >= CHECKPOINT_PAGES
  }

  async function save(): Promise<void> {
    let state: Uint8Array | null = null
    if (hasState) {
      try {
        state = await running!.call<Uint8Array | null>({ method: 'snapshot' })
      } catch (error) {
        const { fault, message } = error as ModuleFailure
        note('', new ModuleFailure(fault === 'threw' ? 'checkpoint' : fault, message))
        return setBack()
      }
    }
    const saved = { module: name, seq: position, report: JSON.stringify(counts), state }
    await deps.save(saved)
    checkpoint = saved
    savedPages = counts.pages
    savedAt = clock.monotonic()
    for (const past of [failed, suspects]) for (const seq of past) if (seq <= position) past.delete(seq)
  }

  async function finish(): Promise<void> {
    try {
      result = JSON.parse(await running!.call<string>({ method: 'end' }))
    } catch (error) {
      note('', error as ModuleFailure)
    }
  }

  return {
    name,
    wanted,
    saved: () => (isOff ? Number.MAX_SAFE_INTEGER : (checkpoint?.seq ?? 0)),
    async run() {
      if (checkpoint?.state) {
        try {
          await running!.call({ method: 'restore', state: checkpoint.state })
        } catch (error) {
          note('', error as ModuleFailure)
          await setBack()
        }
      }
      while (!isOff && !isAborted) {
        const next = stopping === 'at-once' ? undefined : queue.after(position)
        if (next !== undefined) {
          if (failed.has(next.seq)) position = next.seq
          else await give(next)
        }
        if (isOff || isAborted) break
        if (isDue() || (next === undefined && stopping !== null && position > (checkpoint?.seq ?? 0))) await save()
        else if (next === undefined && stopping !== null) break
        else if (next === undefined) await queue.changed()
      }
      if (running === null || isAborted) return
      if (stopping === 'drain') await finish()
      await running.end()
    },
    stop(how) {
      stopping = how
      if (how === 'at-once')
        setTimeout(() => {
          isAborted = true
          void running?.end()
        }, GRACE_MS).unref()
      queue.wake()
    },
    report: () => ({ name, kind, ...structuredClone(counts), isOff, result }),
  }
}

function countsOf(checkpoint: ModuleCheckpoint | null): Counts {
  const none: Counts = { pages: 0, failures: emptyFailures(), failedOn: [] }
  if (checkpoint === null) return none
  const kept = JSON.parse(checkpoint.report) as Partial<Counts>
  return { ...none, ...kept, failures: { ...none.failures, ...(kept.failures as Record<ModuleFault, number>) } }
}
