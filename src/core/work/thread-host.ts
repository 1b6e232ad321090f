import { type MessagePort, type Transferable, Worker, type WorkerOptions } from 'node:worker_threads'
import { AppError, type ErrorCode, isAppError, type Retry } from '../errors.ts'

/**
 * A worker thread, seen from the thread that started it. It is
 * - loading its modules. V8 brings down the whole process if a thread is terminated while a module is in a top-level await, so `terminate`
 *   and time limits wait until this is over;
 * - loaded: it answers requests, sends events, and may be ended at any moment;
 * - ended: it closed its port, was terminated, or failed. Requests without a reply are rejected.
 */
export type ThreadHost<Request> = {
  /** Sends a message that has no reply. */
  post(message: Request, transfer?: Transferable[]): void
  /** Rejects with the thread's own error, with `took-too-long` (which ends the thread), or with the error that ended it. */
  request<T>(message: Request, options?: RequestOptions): Promise<T>
  /** Rejects when the thread can't continue: it reported an error, had an uncaught one, or ended before `expectEnd`. */
  readonly failed: Promise<never>
  readonly exited: Promise<void>
  hasEnded(): boolean
  /** Memory in use, even while the thread is busy: its heap, plus external memory that its limits don't count. Rejects after its end. */
  memoryBytes(): Promise<number>
  /** From now on, the thread's exit is not a failure. */
  expectEnd(): void
  /** Kills the thread. */
  terminate(): Promise<void>
}

export type RequestOptions = { timeLimitMs?: number; transfer?: Transferable[] }

export type ThreadOptions<Data, Event> = Pick<WorkerOptions, 'resourceLimits' | 'transferList'> & {
  data: Data
  onEvent?(event: Event): void
  /** Keeps the process alive only while a request is in progress. */
  isBackground?: boolean
}

type SentError = { code: ErrorCode; message: string; retry: Retry }

/** `id` is 0 for messages that have no reply. */
type ToThread = { id: number; message: unknown }

type FromThread =
  | { kind: 'loaded' }
  | { kind: 'reply'; id: number; value: unknown }
  | { kind: 'refused'; id: number; error: SentError }
  | { kind: 'failed'; error: SentError }
  | { kind: 'event'; event: unknown }

/**
 * Default limit of V8's young generation. Without it, each thread that is busy for a while takes up to 134 MB before dead objects are
 * collected.
 */
const YOUNG_GENERATION_MB = 32

const start = new URL('./thread-start.ts', import.meta.url)

type Pending = { resolve(value: unknown): void; reject(error: unknown): void; timer: NodeJS.Timeout | undefined }

export function startThread<Request, Event = never, Data = undefined>(
  entry: URL,
  { data, onEvent, isBackground = false, ...options }: ThreadOptions<Data, Event>,
): ThreadHost<Request> {
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, ...options.resourceLimits }
  const name = entry.pathname.split('/').at(-1)!
  const worker = new Worker(start, { ...options, name, argv: [entry.href], resourceLimits, workerData: data })
  const pending = new Map<number, Pending>()
  const loaded = Promise.withResolvers<void>()
  const exited = Promise.withResolvers<void>()
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => {}) // handled by the caller; until then it must not crash the process
  loaded.promise.catch(() => {})
  let lastId = 0
  let state: 'loading' | 'loaded' | 'ended' = 'loading'
  let isEndExpected = false

  function end(error: unknown, isFailure: boolean): void {
    state = 'ended'
    if (isFailure) failure.reject(error)
    loaded.reject(error)
    for (const { reject, timer } of pending.values()) {
      clearTimeout(timer)
      reject(error)
    }
    pending.clear()
  }

  function take(id: number): Pending | undefined {
    const found = pending.get(id)
    clearTimeout(found?.timer)
    pending.delete(id)
    if (isBackground && pending.size === 0) worker.unref()
    return found
  }

  worker.on('message', (message: FromThread) => {
    if (message.kind === 'event') onEvent?.(message.event as Event)
    else if (message.kind === 'reply') take(message.id)?.resolve(message.value)
    else if (message.kind === 'refused') take(message.id)?.reject(receivedError(message.error))
    else if (message.kind === 'failed') failure.reject(receivedError(message.error))
    else {
      if (state === 'loading') state = 'loaded'
      loaded.resolve()
      if (isBackground && pending.size === 0) worker.unref()
    }
  })
  worker.on('error', (error) => end(error, true))
  worker.on('exit', (code) => {
    const error = new AppError('internal', `the thread ${name} ended with code ${code}`)
    end(error, !isEndExpected)
    exited.resolve()
  })

  async function terminate(): Promise<void> {
    isEndExpected = true
    await loaded.promise.catch(() => {})
    state = 'ended'
    await worker.terminate()
  }

  async function limit(id: number, timeLimitMs: number): Promise<void> {
    await loaded.promise
    const limited = pending.get(id)
    if (limited === undefined) return
    const late = new AppError('took-too-long', `no answer within ${timeLimitMs} ms`)
    limited.timer = setTimeout(() => {
      const found = take(id)
      if (found === undefined) return
      state = 'ended'
      void terminate()
      found.reject(late)
    }, timeLimitMs)
    limited.timer.unref()
  }

  return {
    failed: failure.promise,
    exited: exited.promise,
    hasEnded: () => state === 'ended',
    async memoryBytes() {
      const { used_heap_size: heap, external_memory: external } = await worker.getHeapStatistics()
      return heap + external
    },
    post: (message, transfer = []) => worker.postMessage({ id: 0, message } satisfies ToThread, transfer),
    request<T>(message: Request, { timeLimitMs, transfer = [] }: RequestOptions = {}) {
      const id = ++lastId
      return new Promise<T>((resolve, reject) => {
        if (state === 'ended') return reject(new AppError('internal', 'the thread has ended'))
        if (isBackground) worker.ref()
        pending.set(id, { resolve: resolve as (value: unknown) => void, reject, timer: undefined })
        worker.postMessage({ id, message } satisfies ToThread, transfer)
        if (timeLimitMs !== undefined) limit(id, timeLimitMs).catch(() => {})
      })
    },
    expectEnd() {
      isEndExpected = true
    },
    terminate,
  }
}

/** The same thread, seen from inside. */
export type ThreadPort<Event> = {
  send(event: Event): void
  /** Reports an error that the thread can't continue after. */
  fail(error: unknown): void
  /** Lets the thread exit once nothing else keeps it alive. */
  close(): void
}

/** Answers the requests of the parent thread. Call it when everything is loaded. */
export function serveThread<Request, Event = never>(
  port: MessagePort,
  answer: (message: Request) => unknown,
  transferOf: (value: unknown) => Transferable[] = () => [],
): ThreadPort<Event> {
  const post = (message: FromThread, transfer: Transferable[] = []): void => port.postMessage(message, transfer)
  const fail = (error: unknown): void => post({ kind: 'failed', error: sentError(error) })
  port.on('message', async ({ id, message }: ToThread) => {
    try {
      const value = await answer(message as Request)
      if (id > 0) post({ kind: 'reply', id, value }, transferOf(value))
    } catch (error) {
      if (id > 0) post({ kind: 'refused', id, error: sentError(error) })
      else fail(error)
    }
  })
  post({ kind: 'loaded' })
  return { send: (event) => post({ kind: 'event', event }), fail, close: () => port.close() }
}

/** Errors lose their class when sent to another thread. Unexpected ones include their stack. */
function sentError(error: unknown): SentError {
  if (isAppError(error)) return { code: error.code, message: error.message, retry: error.retry }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { code: 'internal', message, retry: 'never' }
}

function receivedError({ code, message, retry }: SentError): AppError {
  return new AppError(code, message, { retry })
}
