import type { MessagePort, ResourceLimits } from 'node:worker_threads'
import { systemClock } from '../../core/clock.ts'
import { AppError, isAppError } from '../../core/errors.ts'
import { startThreadRetries, type Waiting } from '../../core/work/retries.ts'
import { createBackoff, wait } from '../../core/work/retry.ts'
import { serveThread, startThread, type ThreadHost } from '../../core/work/thread-host.ts'
import { createWorkLoop, type WorkLoop } from '../../core/work/work-loop.ts'
import type { Processor, ProcessorEvents } from './processor.ts'

/** Indexes in shared memory: the order to end, followed by the heartbeat counter of each processor. */
const END = 0
const PULSES = 1
const REST_MS = 500
const BEAT_MS = 1_000

export type AnnotatorOrders = Int32Array<SharedArrayBuffer>

export type FromAnnotator =
  | { kind: 'settled'; ids: readonly number[] }
  | { kind: 'refused' }
  | { kind: 'waiting'; waiting: readonly Waiting[] }
  | { kind: 'problem'; message: string; fields: Record<string, unknown> }

export type Annotator = {
  /** Signals that there may be tasks. */
  wake(): void
  /** Finishes the current task. */
  end(): Promise<void>
  /** Rejects when it can't continue. */
  readonly failed: Promise<never>
}

export type AnnotatorEvents = {
  onAnnotated(ids: readonly number[]): void
  onProblem(message: string, fields: Record<string, unknown>): void
  onSettled?(): void
  onRefused?(): void
  /** Reports what the processor with this index is retrying. */
  onWaiting(part: number, waiting: readonly Waiting[]): void
}

export const mustEnd = (orders: AnnotatorOrders): boolean => Atomics.load(orders, END) === 1
/** Heartbeat: shows that a processor's thread is not stuck in a document. */
export const beat = (orders: AnnotatorOrders, part: number): void => void Atomics.add(orders, PULSES + part, 1)

/** Part of the data of every thread. */
export type ProcessorPlace = {
  orders: AnnotatorOrders
  /** Index of the processor, and the number of processors. */
  part: number
  parts: number
  /** How the previous thread died; empty for the first. */
  died: string
}

export type ProcessorThreads<Data extends ProcessorPlace> = {
  entry: URL
  parts: number
  events: AnnotatorEvents
  dataOf(place: ProcessorPlace): Data
  /** Called before the next thread takes over from one that died. */
  onDeath?(part: number): void
  resourceLimits?: ResourceLimits
  /** A thread without a heartbeat for this long is stuck. */
  maxStuckMs?: number
}

/** Longer than any document takes, and longer than a database may block. */
const MAX_STUCK_MS = 120_000
/** Heartbeat polls per timeout: a suspended computer misses one of them, not all. */
const LOOKS = 8
/** Maximum consecutive deaths without a settled task. A task that kills its thread is set aside before that. */
const MAX_DEATHS = 10

/**
 * Runs one thread per part. A thread that dies (out of memory, stuck, an error outside any task) is replaced, and the tasks it had begun
 * are charged with an attempt. Permanent store errors end the engine.
 */
export function startProcessors<Data extends ProcessorPlace>(options: ProcessorThreads<Data>): Annotator {
  const { entry, parts, events, maxStuckMs = MAX_STUCK_MS, resourceLimits } = options
  const orders: AnnotatorOrders = new Int32Array(new SharedArrayBuffer(4 * (PULSES + parts)))
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => {}) // observed by the role that runs it
  const ended = new AbortController()

  async function run(part: number, died: string, onProgress: () => void): Promise<string | null> {
    const thread = startThread<'wake', FromAnnotator, Data>(entry, {
      data: options.dataOf({ orders, part, parts, died }),
      ...(resourceLimits === undefined ? {} : { resourceLimits }),
      onEvent(event) {
        if (event.kind === 'settled') onProgress()
        hear(event, part, events)
      },
    })
    threads[part] = thread
    if (ended.signal.aborted) thread.expectEnd()
    let death: string | null = null
    thread.failed.catch((error: Error) => {
      if (isAppError(error) && error.code !== 'internal') failure.reject(error)
      death ??= error.message
    })
    const pulse = watchPulse(orders, part, maxStuckMs / LOOKS, () => {
      death = `no answer for ${maxStuckMs / 1000} s`
      void thread.terminate()
    })
    await thread.exited
    events.onWaiting(part, [])
    clearInterval(pulse)
    return death
  }

  async function keep(part: number): Promise<void> {
    const backoff = createBackoff({ firstMs: 100, lastMs: 10_000 })
    let died = ''
    let deaths = 0
    const onProgress = (): void => {
      deaths = 0
      backoff.reset()
    }
    for (;;) {
      const death = await run(part, died, onProgress)
      if (death === null || ended.signal.aborted) return
      options.onDeath?.(part)
      died = death
      if (++deaths > MAX_DEATHS) return failure.reject(new AppError('internal', `processing keeps failing: ${death}`))
      events.onProblem('a processing thread ended and is started again', { error: death })
      await wait(backoff.nextMs(), ended.signal)
      if (ended.signal.aborted) return
    }
  }

  const threads: ThreadHost<'wake'>[] = []
  const kept = Array.from({ length: parts }, (_, part) => keep(part))
  const wake = (): void => {
    for (const thread of threads) if (!thread.hasEnded()) thread.post('wake')
  }
  return {
    failed: failure.promise,
    wake,
    async end() {
      ended.abort()
      for (const thread of threads) thread.expectEnd()
      Atomics.store(orders, END, 1)
      wake()
      await Promise.all(kept)
    },
  }
}

/** Polls the heartbeat of a thread, and calls `onStuck` after several polls without progress. */
function watchPulse(orders: AnnotatorOrders, part: number, everyMs: number, onStuck: () => void): NodeJS.Timeout {
  const first = Atomics.load(orders, PULSES + part)
  let seen = first
  let looks = 0
  const timer = setInterval(() => {
    const now = Atomics.load(orders, PULSES + part)
    // Before its first heartbeat the thread is loading.
    looks = now === seen && now !== first ? looks + 1 : 0
    seen = now
    if (looks === LOOKS) onStuck()
  }, everyMs)
  return timer.unref()
}

function hear(message: FromAnnotator, part: number, events: AnnotatorEvents): void {
  if (message.kind === 'problem') events.onProblem(message.message, message.fields)
  else if (message.kind === 'refused') events.onRefused?.()
  else if (message.kind === 'waiting') events.onWaiting(part, message.waiting)
  else {
    events.onSettled?.()
    if (message.ids.length > 0) events.onAnnotated(message.ids)
  }
}

export type AnnotatorThread = {
  mustEnd(): boolean
  beat(): void
  create(events: ProcessorEvents): Promise<Processor>
}

/** Main function of a processor thread, for either store. */
export async function runAnnotatorThread(port: MessagePort, { mustEnd, beat, create }: AnnotatorThread): Promise<void> {
  beat()
  const pulse = setInterval(beat, BEAT_MS)
  let loop: WorkLoop | null = null
  const { send, fail, close } = serveThread<'wake', FromAnnotator>(port, () => loop?.wake())
  const retries = startThreadRetries(systemClock, (waiting) => send({ kind: 'waiting', waiting }))
  try {
    const processor = await create({
      onSettled: (ids) => send({ kind: 'settled', ids }),
      onRefused: () => send({ kind: 'refused' }),
      onProblem: (message, fields) => send({ kind: 'problem', message, fields }),
    })
    loop = createWorkLoop({
      work: () => processor.work(mustEnd),
      restMs: REST_MS,
      mustEnd,
      track: retries.track('annotating'),
    })
    await loop.run()
  } catch (error) {
    fail(error)
  }
  clearInterval(pulse)
  close()
}
