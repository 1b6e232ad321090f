import { Worker } from 'node:worker_threads'
import type { Config } from './config/config.ts'
import { createStoryLogMemory, type StoryLogMemory } from './services/annotating/story-log.ts'

/** Places of the orders in shared memory. */
export const annotatorOrders = { end: 0 } as const

export type AnnotatorData = {
  folder: string
  config: Config
  orders: Int32Array<SharedArrayBuffer>
  /** Which of how many processors. */
  part: number
  parts: number
  storyMemory: StoryLogMemory
}

export type FromAnnotator =
  | { kind: 'annotated'; ids: readonly number[] }
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
}

/** The annotation engine's filtering processors, in threads independent of the crawl. */
export function startAnnotator(folder: string, config: Config, events: AnnotatorEvents): Annotator {
  const orders = new Int32Array(new SharedArrayBuffer(4))
  const storyMemory = createStoryLogMemory()
  const parts = config.annotate.processors
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => {}) // observed by whoever runs the service
  const processors = Array.from({ length: parts }, (_, part) => {
    const data: AnnotatorData = { folder, config, orders, part, parts, storyMemory }
    const worker = new Worker(new URL('./main-annotate.ts', import.meta.url), { workerData: data })
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    worker.on('error', reject)
    worker.on('message', (message: FromAnnotator) => {
      if (message.kind === 'annotated') events.onAnnotated(message.ids)
      else events.onProblem(message.message, message.fields)
    })
    return { worker, ended }
  })
  const wake = (): void => {
    for (const { worker } of processors) worker.postMessage('wake')
  }
  return {
    failed,
    wake,
    async end() {
      Atomics.store(orders, annotatorOrders.end, 1)
      wake()
      await Promise.all(processors.map(({ ended }) => ended))
    },
  }
}
