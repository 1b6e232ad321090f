import type { Worker } from 'node:worker_threads'
import { AppError } from '../../core/errors.ts'
import { type ArchiveReader, archiveMethods } from './archive-reader.ts'
import type { FromArchive, ToArchive } from './archive-thread.ts'

/**
 * The archive, asked from a thread that has no time to read it itself. Requests are answered one after the other by a thread
 * of their own, in turn among those who ask, so that nobody waits for all that somebody else has asked.
 *
 * A request is waiting, under way, or over. Under way it has its time: then the thread is ended with it, and the next
 * request starts another. So does a thread that died. When too many wait, further ones are refused at once; who waited too long is told so.
 */
export type ArchiveService = ArchiveReader & {
  /** What is under way or waits is refused. */
  end(): Promise<void>
}

export type ArchiveLimits = {
  timeLimitMs: number
  maxWaiting: number
  maxWaitMs: number
}

const usualLimits: ArchiveLimits = { timeLimitMs: 15_000, maxWaiting: 200, maxWaitMs: 30_000 }

export type ArchiveServiceDeps = { start(): Worker; limits?: Partial<ArchiveLimits> }

type Waiting = {
  method: keyof ArchiveReader
  asked: { owner: string }
  since: number
  resolve(value: unknown): void
  reject(error: AppError): void
}

export function createArchiveService({ start, limits: given }: ArchiveServiceDeps): ArchiveService {
  const limits = { ...usualLimits, ...given }
  /** By who asks; whose turn it is stands first. */
  const waiting = new Map<string, Waiting[]>()
  let count = 0
  let worker: Worker | null = null
  let isBusy = false
  let isEnded = false
  let idle: () => void = () => {}

  function take(): Waiting | undefined {
    for (const [owner, queue] of waiting) {
      waiting.delete(owner)
      const next = queue.shift()!
      if (queue.length > 0) waiting.set(owner, queue)
      count--
      return next
    }
    return undefined
  }

  async function work(): Promise<void> {
    if (isBusy) return
    isBusy = true
    for (let next = take(); next !== undefined; next = take()) await run(next)
    isBusy = false
    worker?.unref()
    idle()
  }

  async function run({ method, asked, since, resolve, reject }: Waiting): Promise<void> {
    if (isEnded) return reject(closed())
    if (performance.now() - since > limits.maxWaitMs) return reject(busy())
    worker ??= startWorker()
    const asking = worker
    asking.ref()
    const answer = await answerOf(asking, { method, asked }, limits.timeLimitMs)
    if (answer.kind === 'done') return resolve(answer.value)
    if (answer.kind === 'failed') return reject(failureOf(answer))
    reject(answer.kind === 'late' ? late(limits.timeLimitMs) : isEnded ? closed() : died(answer.error))
    if (worker === asking) worker = null
    await asking.terminate()
  }

  function startWorker(): Worker {
    const started = start()
    const forget = (): void => {
      if (worker === started) worker = null
    }
    started.on('error', forget)
    started.on('exit', forget)
    return started
  }

  function ask(method: keyof ArchiveReader, asked: { owner: string }): Promise<unknown> {
    if (isEnded) return Promise.reject(closed())
    if (count >= limits.maxWaiting) return Promise.reject(busy())
    return new Promise((resolve, reject) => {
      const queue = waiting.get(asked.owner)
      const entry = { method, asked, since: performance.now(), resolve, reject }
      if (queue === undefined) waiting.set(asked.owner, [entry])
      else queue.push(entry)
      count++
      void work()
    })
  }

  const methods = Object.fromEntries(
    archiveMethods.map((method) => [method, (asked: { owner: string }) => ask(method, asked)]),
  ) as unknown as ArchiveReader

  return {
    ...methods,
    async end() {
      isEnded = true
      const last = worker
      worker = null
      if (isBusy) {
        const { promise, resolve } = Promise.withResolvers<void>()
        idle = resolve
        await last?.terminate()
        return promise
      }
      if (last === null) return
      last.ref()
      const exited = new Promise<void>((resolve) => last.once('exit', () => resolve()))
      last.postMessage('end' satisfies ToArchive)
      await exited
    },
  }
}

type Answer = FromArchive | { kind: 'late' } | { kind: 'died'; error: unknown }

function answerOf(worker: Worker, message: ToArchive, timeLimitMs: number): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer): void => {
      clearTimeout(timer)
      worker.off('message', settle)
      worker.off('error', fail)
      worker.off('exit', fail)
      resolve(answer)
    }
    const fail = (error: unknown): void => settle({ kind: 'died', error })
    const timer = setTimeout(() => settle({ kind: 'late' }), timeLimitMs)
    worker.on('message', settle)
    worker.on('error', fail)
    worker.on('exit', fail)
    worker.postMessage(message)
  })
}

/** What the store says names its files; that is for the log. */
function failureOf({ code, message, retry }: FromArchive & { kind: 'failed' }): AppError {
  if (!code.startsWith('store-')) return new AppError(code, message, { retry })
  return new AppError(code, 'could not read the archive', { retry, cause: message })
}

function busy(): AppError {
  return new AppError('archive-busy', 'the archive is busy; try again in a moment')
}

function late(timeLimitMs: number): AppError {
  return new AppError('took-too-long', `this took longer than ${timeLimitMs / 1000} seconds and was cancelled`)
}

function closed(): AppError {
  return new AppError('archive-busy', 'the archive is closing')
}

function died(cause: unknown): AppError {
  return new AppError('archive-busy', 'could not read the archive completely; try again', { cause })
}
