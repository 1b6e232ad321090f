import assert from 'node:assert/strict'
import { createManualClock, type ManualClock } from '../../core/clock.ts'
import type { Offer, QueuedRequest } from '../../core/request.ts'
import type { OpenShard } from '../../store/conformance/engine.testkit.ts'
import { openOne } from '../../store/conformance/engine.testkit.ts'
import { batchOf } from '../../store/conformance/samples.testkit.ts'
import type { FrontierStore } from '../../store/contracts/frontier.ts'
import { createSqliteSystem, type SqliteSystem } from '../../store/sqlite/testkit/store.testkit.ts'
import { createFrontier, type Frontier, type FrontierOptions } from './frontier.ts'
import type { HostQueue } from './host-queue.ts'
import { createPermanentLease, createPermanentLeases } from './partition-lease.ts'
import type { HostSignal, PolitenessRules } from './politeness.ts'

export const quickRules: PolitenessRules = {
  delayMs: 0,
  delayFactor: 0,
  failuresToRest: 5,
  restMs: 5_000,
  restMaxMs: 3_600_000,
  maxRests: 3,
}

export const answered: HostSignal = { kind: 'answered', totalMs: 0 }

export type Taken = { hostQueue: HostQueue; request: QueuedRequest }

export type FieldOptions = Partial<Pick<FrontierOptions, 'leases' | 'wait' | 'rises' | 'keptConnections'>> & {
  rules: Partial<PolitenessRules>
  perHost: number
  bufferRows: number
  maxHostQueues: number
  /** Wraps the store that the frontier gets, for example to slow it down. */
  through(store: FrontierStore): FrontierStore
}

export type Field = Awaited<ReturnType<typeof openField>>

/** Lets everything that waits for the store continue. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A frontier on a real store, with a manual clock; it can be closed and killed. */
export async function openField(parts: Partial<FieldOptions> = {}) {
  const options: FieldOptions = {
    rules: {},
    perHost: 1,
    bufferRows: 1_000,
    maxHostQueues: 100,
    through: (store) => store,
    ...parts,
  }
  const lease = createPermanentLease()
  const leases = createPermanentLeases(lease)
  const clock: ManualClock = createManualClock()
  const system: SqliteSystem = createSqliteSystem()
  let store: FrontierStore
  let documents: OpenShard['documents']
  let frontier: Frontier | null = null

  async function start(run = 1): Promise<void> {
    const shard = await openOne(system, run)
    documents = shard.documents
    store = options.through(shard.frontier)
    const rules = { ...quickRules, ...options.rules }
    const mine = createFrontier({ leases, ...options, store, clock, rules, onError })
    // An earlier frontier, whose store was closed or killed, may still be waiting for an answer.
    function onError(error: unknown): void {
      if (mine === frontier) assert.fail(String(error))
    }
    frontier = mine
    store.onArrival((arrivals) => mine.arrive(arrivals))
    await mine.wake()
    await nextTurn()
  }

  function current(): Frontier {
    assert.ok(frontier)
    return frontier
  }

  await start()
  return {
    clock,
    /** The lease of all hosts, unless the test passes its own leases. */
    lease,
    hostOf: (n: number) => system.hostOf(0, n),
    get store() {
      return store
    },
    get documents() {
      return documents
    },
    get frontier() {
      return current()
    },
    offer: (offers: readonly Offer[]) => store.offer(offers),
    /** Takes all requests that are ready now. */
    takeAll(): Taken[] {
      const taken: Taken[] = []
      for (let next = current().take(); next !== null; next = current().take()) taken.push(next)
      return taken
    },
    /** Releases requests and settles them as done, with the links found. */
    async finish(taken: readonly Taken[], offers: readonly Offer[] = [], signal: HostSignal = answered): Promise<void> {
      const frontier = current()
      for (const { hostQueue } of taken) frontier.release(hostQueue, signal)
      await store.settle(
        batchOf({ offers, done: taken.map(({ request }) => request), hosts: frontier.changedClocks(lease) }),
      )
      for (const { hostQueue, request } of taken) frontier.completed(hostQueue, request)
      await nextTurn()
    },
    async restart(how: 'close' | 'kill', run = 1): Promise<void> {
      frontier = null
      await system[how]()
      await start(run)
    },
    async destroy(): Promise<void> {
      frontier = null
      await system.destroy()
    },
  }
}

export function withField(parts: Partial<FieldOptions>, work: (field: Field) => Promise<void>): () => Promise<void> {
  return async () => {
    const field = await openField(parts)
    try {
      await work(field)
    } finally {
      await field.destroy()
    }
  }
}

export function pathsOf(taken: readonly Taken[]): string[] {
  return taken.map(({ request }) => new URL(request.url).pathname)
}
