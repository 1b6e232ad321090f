import { setFlagsFromString } from 'node:v8'
import { MessageChannel, type MessagePort, type ResourceLimits, type Transferable } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { CheckResult } from '../../core/check-order.ts'
import type { Retries } from '../../core/work/retries.ts'
import { startThread, type ThreadHost } from '../../core/work/thread-host.ts'
import {
  createShardThread,
  type ShardCall,
  type ShardEvent,
  type ShardThread,
  type ThreadFacts,
} from '../../crawl/worker/shard-thread.ts'

/** How much the old generation may grow before it is collected, relative to its live objects. By default, V8 lets it grow to four times as much. */
const HEAP_GROWING_PERCENT = 100
/**
 * V8's last compiler is for the hottest functions only: compiling what is called a few times for each page costs a short crawl more
 * than it gains (decision 042).
 */
const CALLS_BEFORE_TURBOFAN = 60_000

export type ShardThreadEvents = {
  log: Logger
  retries: Retries
  onFileClosed?(): void
  onResults?(results: readonly CheckResult[]): void
}

/** Number of shards started in this process, to give each its own name. */
let shardsStarted = 0

export type OpenedShard = { thread: ThreadHost<ShardCall>; shard: ShardThread }

/** A thread that loads its modules and waits to be told which shard to open. */
export type StartedShard<Data> = {
  open(data: Data, events: ShardThreadEvents, transfer?: Transferable[]): OpenedShard
  end(): Promise<void>
}

/** One shard in a thread of its own. */
export function startShardThread<Data>(entry: URL, resourceLimits: ResourceLimits = {}): StartedShard<Data> {
  // Bodies live outside of the heap; with a small heap, they make V8 collect all of it every 70 ms.
  setFlagsFromString('--initial-old-space-size=64')
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`)
  setFlagsFromString(`--invocation-count-for-turbofan=${CALLS_BEFORE_TURBOFAN}`)
  let onEvent = (_: ShardEvent): void => {}
  const thread = startThread<ShardCall, ShardEvent>(entry, {
    data: undefined,
    resourceLimits,
    onEvent: (event) => onEvent(event),
  })
  return {
    open(data, { log, retries, onFileClosed, onResults }, transfer = []) {
      const source = `shard ${shardsStarted++}`
      onEvent = (event) => {
        if (event.kind === 'log') log[event.level](event.fields, event.message)
        else if (event.kind === 'file-closed') onFileClosed?.()
        else if (event.kind === 'waiting') retries.adopt(source, event.waiting)
        else onResults?.(event.results)
      }
      void thread.exited.then(() => retries.adopt(source, []))
      const facts: ThreadFacts = { logsDebug: log.isLevelEnabled('debug') }
      return { thread, shard: createShardThread(thread, { ...data, ...facts }, transfer) }
    },
    end: () => thread.terminate(),
  }
}

/** A channel between every two shards: row n holds the ports of shard n, none to itself. */
export function connectShards(shards: number): (MessagePort | null)[][] {
  const ports: (MessagePort | null)[][] = Array.from({ length: shards }, () => new Array(shards).fill(null))
  for (let a = 0; a < shards; a++) {
    for (let b = a + 1; b < shards; b++) {
      const { port1, port2 } = new MessageChannel()
      ports[a]![b] = port1
      ports[b]![a] = port2
    }
  }
  return ports
}
