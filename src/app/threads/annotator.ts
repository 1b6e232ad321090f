import type { MessagePort } from 'node:worker_threads'
import type { Config } from '../../config/config.ts'
import { firstFailure } from '../../core/work/race.ts'
import { serveThread, startThread } from '../../core/work/thread-host.ts'
import { createWorkLoop, type WorkLoop } from '../../core/work/work-loop.ts'
import { createNearDuplicateMemory, type NearDuplicateMemory } from '../../services/annotating/near-duplicate-log.ts'
import type { Processor, ProcessorEvents } from '../../services/annotating/processor.ts'
import type { EpochMemory } from '../../store/contracts/cluster/held-epochs.ts'

/** Index of the order in shared memory. */
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
}

export const mustEnd = (orders: AnnotatorOrders): boolean => Atomics.load(orders, END) === 1

/** The annotation engine's filtering processors on a data folder, in threads independent of the crawl. */
export function startAnnotator(folder: string, config: Config, events: AnnotatorEvents): Annotator {
  const nearDuplicateMemory = createNearDuplicateMemory()
  const parts = config.annotate.processors
  const entry = new URL('./sqlite-annotator-thread.ts', import.meta.url)
  return startProcessors<AnnotatorData>(entry, parts, events, (part, orders) => ({
    ...{ folder, config, orders, part, parts, nearDuplicateMemory },
  }))
}

export type PostgresAnnotatorOptions = {
  address: string
  config: Config
  /** Seen in pg_stat_activity. */
  name: string
  seed: readonly [number, number]
  /** Under which the shards of this process hold their partitions: whose tasks are taken. */
  epochs: EpochMemory
  /** How far the database's clock is ahead, as one number that the main thread keeps up to date. */
  clockOffsetMs: SharedArrayBuffer
}

export type PostgresAnnotatorData = PostgresAnnotatorOptions & Pick<AnnotatorData, 'orders' | 'part' | 'parts'>

/** The filtering processors of one process of a cluster. */
export function startPostgresAnnotator(options: PostgresAnnotatorOptions, events: AnnotatorEvents): Annotator {
  const parts = options.config.annotate.processors
  const entry = new URL('./postgres-annotator-thread.ts', import.meta.url)
  return startProcessors<PostgresAnnotatorData>(entry, parts, events, (part, orders) => ({
    ...{ ...options, orders, part, parts },
  }))
}

function startProcessors<Data>(
  entry: URL,
  parts: number,
  events: AnnotatorEvents,
  dataOf: (part: number, orders: AnnotatorOrders) => Data,
): Annotator {
  const orders = new Int32Array(new SharedArrayBuffer(4))
  const processors = Array.from({ length: parts }, (_, part) =>
    startThread<'wake', FromAnnotator, Data>(entry, {
      data: dataOf(part, orders),
      onEvent: (event) => hear(event, events),
    }),
  )
  const failed = firstFailure(processors.map((thread) => thread.failed))
  const wake = (): void => {
    for (const thread of processors) thread.post('wake')
  }
  return {
    failed,
    wake,
    async end() {
      for (const thread of processors) thread.expectEnd()
      Atomics.store(orders, END, 1)
      wake()
      await Promise.all(processors.map(({ exited }) => exited))
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

/** The work of a thread on either store, until its end. */
export async function runAnnotatorThread(port: MessagePort, { mustEnd, create }: AnnotatorThread): Promise<void> {
  let loop: WorkLoop | null = null
  const { send, fail, close } = serveThread<'wake', FromAnnotator>(port, () => loop?.wake())
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
      onWaiting(reason) {
        const message = reason === null ? 'the annotation engine goes on' : 'the annotation engine waits'
        send({ kind: 'problem', message, fields: reason === null ? {} : { error: reason } })
      },
    })
    await loop.run()
  } catch (error) {
    fail(error)
  }
  close()
}
