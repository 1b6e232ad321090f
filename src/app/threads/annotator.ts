import { type MessagePort, Worker } from 'node:worker_threads'
import type { Config } from '../../config/config.ts'
import { createWorkLoop } from '../../core/work-loop.ts'
import { createNearDuplicateMemory, type NearDuplicateMemory } from '../../services/annotating/near-duplicate-log.ts'
import type { Processor, ProcessorEvents } from '../../services/annotating/processor.ts'

/** Places of the orders in shared memory. */
const END = 0
const REST_MS = 500

export type AnnotatorOrders = Int32Array<SharedArrayBuffer>

export type AnnotatorData = {
  folder: string
  config: Config
  orders: AnnotatorOrders
  /** Which of how many processors. */
  part: number
  parts: number
  nearDuplicateMemory: NearDuplicateMemory
}

export type FromAnnotator =
  | { kind: 'settled'; ids: readonly number[] }
  | { kind: 'refused' }
  | { kind: 'problem'; message: string; fields: Record<string, unknown> }

export type Annotator = {
  /** There may be tasks. */
  wake(): void
  /** Finishes the task in hand. */
  end(): Promise<void>
  /** Rejects when it can't go on. */
  readonly failed: Promise<never>
}

export type AnnotatorEvents = {
  onAnnotated(ids: readonly number[]): void
  onProblem(message: string, fields: Record<string, unknown>): void
  onSettled?(): void
  onRefused?(): void
}

export const mustEnd = (orders: AnnotatorOrders): boolean => Atomics.load(orders, END) === 1

/** The annotation engine's filtering processors on a data folder, in threads independent of the crawl. */
export function startAnnotator(folder: string, config: Config, events: AnnotatorEvents): Annotator {
  const nearDuplicateMemory = createNearDuplicateMemory()
  const parts = config.annotate.processors
  return startProcessors(parts, events, (part, orders) => {
    const data: AnnotatorData = { folder, config, orders, part, parts, nearDuplicateMemory }
    return new Worker(new URL('./sqlite-annotator-thread.ts', import.meta.url), { workerData: data })
  })
}

/** So many threads, and what they tell. */
export function startProcessors(
  parts: number,
  events: AnnotatorEvents,
  startThread: (part: number, orders: AnnotatorOrders) => Worker,
): Annotator {
  const orders = new Int32Array(new SharedArrayBuffer(4))
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => {}) // observed by whoever runs the service
  const processors = Array.from({ length: parts }, (_, part) => {
    const worker = startThread(part, orders)
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    worker.on('error', reject)
    worker.on('message', (message: FromAnnotator) => hear(message, events))
    return { worker, ended }
  })
  const wake = (): void => {
    for (const { worker } of processors) worker.postMessage('wake')
  }
  return {
    failed,
    wake,
    async end() {
      Atomics.store(orders, END, 1)
      wake()
      await Promise.all(processors.map(({ ended }) => ended))
    },
  }
}

function hear(message: FromAnnotator, events: AnnotatorEvents): void {
  if (message.kind === 'problem') events.onProblem(message.message, message.fields)
  else if (message.kind === 'refused') events.onRefused?.()
  else {
    events.onSettled?.()
    if (message.ids.length > 0) events.onAnnotated(message.ids)
  }
}

export type AnnotatorThread = {
  mustEnd(): boolean
  create(events: ProcessorEvents): Promise<Processor>
}

/** What a thread of either store does, until its end. */
export async function runAnnotatorThread(port: MessagePort, { mustEnd, create }: AnnotatorThread): Promise<void> {
  const tell = (message: FromAnnotator): void => port.postMessage(message)
  const processor = await create({
    onSettled: (ids) => tell({ kind: 'settled', ids }),
    onRefused: () => tell({ kind: 'refused' }),
    onProblem: (message, fields) => tell({ kind: 'problem', message, fields }),
  })
  const loop = createWorkLoop({
    work: () => processor.work(mustEnd),
    restMs: REST_MS,
    mustEnd,
    onWaiting(reason) {
      const message = reason === null ? 'the annotation engine goes on' : 'the annotation engine waits'
      tell({ kind: 'problem', message, fields: reason === null ? {} : { error: reason } })
    },
  })
  port.on('message', loop.wake)
  await loop.run()
  port.close()
}
