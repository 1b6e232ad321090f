import type { MessagePort, Transferable } from 'node:worker_threads'
import type { CheckResult } from '../../core/check-order.ts'
import { AppError } from '../../core/errors.ts'
import type { Waiting } from '../../core/work/retries.ts'
import { serveThread, type ThreadHost, type ThreadPort } from '../../core/work/thread-host.ts'
import type { ShardHandle } from '../crawl.ts'
import type { ShardStats } from './shared-counters.ts'

const shardMethods = ['queued', 'start', 'crawlScope', 'checks', 'forget', 'seed', 'drain', 'stop', 'close'] as const

type ShardMethods = Pick<ShardThread, (typeof shardMethods)[number]>

/** A method call to a shard in another thread, or, before the first one, what it is to be opened with. */
export type ShardCall = { method: keyof ShardMethods; args: unknown[] } | { method: 'open'; args: [data: unknown] }

export type ShardEvent =
  | { kind: 'check-results'; results: readonly CheckResult[] }
  | { kind: 'log'; level: 'debug' | 'info' | 'warn'; message: string; fields: Record<string, unknown> }
  /** Operations that the shard is retrying. */
  | { kind: 'waiting'; waiting: readonly Waiting[] }
  /** An archive file is full and may be compressed. */
  | { kind: 'file-closed' }

/** A shard in a worker thread, seen from the thread that started it. */
export type ShardThread = ShardHandle & {
  /** True hands over all partitions and takes none; false takes them again. */
  drain(draining: boolean): Promise<void>
}

/** Tells the thread, which may still be loading its modules, what to open. */
export function createShardThread<Data extends ThreadFacts>(
  thread: ThreadHost<ShardCall>,
  data: Data,
  transfer: Transferable[],
): ShardThread {
  thread.post({ method: 'open', args: [data] }, transfer)
  const methods = Object.fromEntries(
    shardMethods.map((method) => [method, (...args: unknown[]) => thread.request({ method, args })]),
  ) as unknown as ShardMethods
  return {
    ...methods,
    failed: thread.failed,
    close() {
      thread.expectEnd()
      return methods.close()
    },
  }
}

/** A shard as served by its thread. Some methods exist only for one kind of store. */
export type ServedShard = Partial<ShardMethods> & Pick<ShardMethods, 'close'>

export type ShardPort = ThreadPort<ShardEvent> & {
  log(level: 'debug' | 'info' | 'warn', message: string, fields?: Record<string, unknown>): void
}

const MEASURE_EVERY_MS = 100

/** What the thread of every shard gets in addition to its own data. */
export type ThreadFacts = { logsDebug: boolean }

/** Answers calls of the parent thread; the first call after `open` opens the shard. */
export function serveShard<Data>(
  port: MessagePort,
  open: (thread: ShardPort, data: Data) => Promise<ServedShard>,
): void {
  let given: (Data & ThreadFacts) | null = null
  let opened: Promise<ServedShard> | null = null
  const shardPort = ({ logsDebug }: ThreadFacts): ShardPort => ({
    ...thread,
    log(level, message, fields = {}) {
      // Most messages are for debugging, and sending one costs more than writing it.
      if (level !== 'debug' || logsDebug) thread.send({ kind: 'log', level, message, fields })
    },
  })
  const thread = serveThread<ShardCall, ShardEvent>(port, async ({ method, args }) => {
    if (method === 'open') {
      given = args[0] as Data & ThreadFacts
      return
    }
    opened ??= open(shardPort(given!), given!)
    const shard = await opened
    if (!Object.hasOwn(shard, method)) throw new AppError('internal', `this shard has no "${method}"`)
    const value = await (shard[method] as (...args: unknown[]) => Promise<unknown>)(...args)
    if (method === 'close') setImmediate(thread.close)
    return value
  })
}

/** Publishes the event-loop utilisation of the thread. */
export function measureBusyness(stats: ShardStats): void {
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    stats.set('busy', performance.eventLoopUtilization(now, before).utilization)
    before = now
  }, MEASURE_EVERY_MS)
  timer.unref()
}
