import { AppError, isAppError } from '../../core/errors.ts'
import type { ThreadHost } from '../../core/work/thread-host.ts'
import { type ArchiveReader, archiveMethods } from './archive-reader.ts'
import type { ToArchive } from './archive-thread.ts'

/**
 * The archive, read in worker threads so that the calling thread is never blocked. Owners take turns. Each owner has one request in
 * progress at a time, and there is more than one thread: an owner with slow requests keeps one of them busy, and the others are served
 * by the rest.
 *
 * A request is waiting, in progress, or over. If it exceeds its time limit the thread is terminated with it, and the next request
 * starts another, as it does when a thread died. When too many requests of one owner wait, further ones of that owner are rejected at
 * once; so are all when too many wait altogether, and those that waited too long.
 */
export type ArchiveService = ArchiveReader & {
  /** Rejects all requests in progress or waiting. */
  end(): Promise<void>
}

export type ArchiveLimits = {
  timeLimitMs: number
  threads: number
  maxWaiting: number
  maxWaitingOfOwner: number
  maxWaitMs: number
}

const usualLimits: ArchiveLimits = {
  timeLimitMs: 15_000,
  threads: 2,
  maxWaiting: 400,
  maxWaitingOfOwner: 30,
  maxWaitMs: 30_000,
}

export type ArchiveServiceDeps = { start(): ThreadHost<ToArchive>; limits?: Partial<ArchiveLimits> }

type Waiting = {
  method: keyof ArchiveReader
  asked: { owner: string }
  since: number
  resolve(value: unknown): void
  reject(error: AppError): void
}

/** A slot for a thread. All threads are started with the first request, to be ready when needed. */
type Place = { thread: ThreadHost<ToArchive> | null; isBusy: boolean }

export function createArchiveService({ start, limits: given }: ArchiveServiceDeps): ArchiveService {
  const limits = { ...usualLimits, ...given }
  const places: Place[] = Array.from({ length: limits.threads }, () => ({ thread: null, isBusy: false }))
  /** By owner; the one whose turn is next comes first. */
  const waiting = new Map<string, Waiting[]>()
  const underWay = new Set<string>()
  let count = 0
  let isEnded = false
  let idle: () => void = () => {}

  const isBusy = (): boolean => places.some((place) => place.isBusy)

  /** The next request of the first owner with none in progress. */
  function take(): Waiting | undefined {
    for (const [owner, queue] of waiting) {
      if (underWay.has(owner)) continue
      waiting.delete(owner)
      const next = queue.shift()!
      if (queue.length > 0) waiting.set(owner, queue)
      count--
      return next
    }
    return undefined
  }

  async function work(): Promise<void> {
    const place = places.find((each) => !each.isBusy)
    if (place === undefined) return
    place.isBusy = true
    for (let next = take(); next !== undefined; next = take()) {
      underWay.add(next.asked.owner)
      await run(place, next)
      underWay.delete(next.asked.owner)
    }
    place.isBusy = false
    if (!isBusy()) idle()
  }

  function threadOf(place: Place): ThreadHost<ToArchive> {
    if (place.thread === null || place.thread.hasEnded()) place.thread = start()
    return place.thread
  }

  /** Starts a thread ahead of time. An error here is ignored: it recurs with a request, which then reports it. */
  function prepare(place: Place): void {
    if (place.isBusy || (place.thread !== null && !place.thread.hasEnded())) return
    threadOf(place)
      .request('open')
      .catch(() => {})
  }

  async function run(place: Place, { method, asked, since, resolve, reject }: Waiting): Promise<void> {
    if (isEnded) return reject(closed())
    if (performance.now() - since > limits.maxWaitMs) return reject(busy())
    const asking = threadOf(place)
    for (const other of places) prepare(other)
    try {
      resolve(await asking.request({ method, asked }, { timeLimitMs: limits.timeLimitMs }))
    } catch (error) {
      if (!asking.hasEnded()) return reject(readableError(error as AppError))
      reject(isEnded ? closed() : isAppError(error, 'took-too-long') ? late(limits.timeLimitMs) : died(error))
    }
  }

  function ask(method: keyof ArchiveReader, asked: { owner: string }): Promise<unknown> {
    if (isEnded) return Promise.reject(closed())
    const queue = waiting.get(asked.owner)
    if (queue !== undefined && queue.length >= limits.maxWaitingOfOwner) return Promise.reject(tooMany())
    if (count >= limits.maxWaiting) return Promise.reject(busy())
    return new Promise((resolve, reject) => {
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
      const { promise, resolve } = Promise.withResolvers<void>()
      idle = resolve
      const wasBusy = isBusy()
      await Promise.all(places.map(endPlace))
      if (wasBusy && isBusy()) await promise
    },
  }
}

async function endPlace(place: Place): Promise<void> {
  const last = place.thread
  place.thread = null
  if (!place.isBusy) await last?.request('end').catch(() => {})
  await last?.terminate()
}

/** Hides the message of the store, which names its files, from users; the cause is for the log. */
function readableError(error: AppError): AppError {
  const { code, message, retry } = error
  if (!code.startsWith('store-')) return error
  return new AppError(code, 'the archive could not be read', { retry, cause: message })
}

function busy(): AppError {
  return new AppError('archive-busy', 'the archive is busy; try again in a moment')
}

function tooMany(): AppError {
  return new AppError('too-many-reads', 'too many of your requests to the archive are waiting; try again in a moment')
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
