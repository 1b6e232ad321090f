import { AppError, isAppError } from '../../core/errors.ts'
import type { ThreadHost } from '../../core/work/thread-host.ts'
import { type ArchiveReader, archiveMethods } from './archive-reader.ts'
import type { ToArchive } from './archive-thread.ts'

/**
 * The archive, asked from a thread that has no time to read it itself. Requests are answered one after the other by a thread
 * of their own, in turn by owner, so that no owner waits for all requests of another.
 *
 * A request is waiting, under way, or over. Under way it has its time: then the thread is ended with it, and the next
 * request starts another. So does a thread that died. When too many wait, further ones are rejected at once, and so are those that waited too long.
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

export type ArchiveServiceDeps = { start(): ThreadHost<ToArchive>; limits?: Partial<ArchiveLimits> }

type Waiting = {
  method: keyof ArchiveReader
  asked: { owner: string }
  since: number
  resolve(value: unknown): void
  reject(error: AppError): void
}

export function createArchiveService({ start, limits: given }: ArchiveServiceDeps): ArchiveService {
  const limits = { ...usualLimits, ...given }
  /** By owner; the one whose turn it is comes first. */
  const waiting = new Map<string, Waiting[]>()
  let count = 0
  let thread: ThreadHost<ToArchive> | null = null
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
    idle()
  }

  async function run({ method, asked, since, resolve, reject }: Waiting): Promise<void> {
    if (isEnded) return reject(closed())
    if (performance.now() - since > limits.maxWaitMs) return reject(busy())
    if (thread === null || thread.hasEnded()) thread = start()
    const asking = thread
    try {
      resolve(await asking.request({ method, asked }, { timeLimitMs: limits.timeLimitMs }))
    } catch (error) {
      if (!asking.hasEnded()) return reject(readableError(error as AppError))
      reject(isEnded ? closed() : isAppError(error, 'took-too-long') ? late(limits.timeLimitMs) : died(error))
    }
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
      const last = thread
      thread = null
      const { promise, resolve } = Promise.withResolvers<void>()
      idle = resolve
      if (!isBusy) await last?.request('end').catch(() => {})
      await last?.terminate()
      if (isBusy) await promise
    },
  }
}

/** The message of the store names its files; that is for the log. */
function readableError(error: AppError): AppError {
  const { code, message, retry } = error
  if (!code.startsWith('store-')) return error
  return new AppError(code, 'the archive could not be read', { retry, cause: message })
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
