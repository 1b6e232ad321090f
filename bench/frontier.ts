import { createHash } from 'node:crypto'
import { systemClock } from '../src/core/clock.ts'
import { noCheck, type Offer, type QueuedRequest, UNLIMITED_DEPTH } from '../src/core/request.ts'
import { createFrontier, type Frontier } from '../src/crawl/frontier/frontier.ts'
import type { HostQueue } from '../src/crawl/frontier/host-queue.ts'
import {
  createPermanentLease,
  createPermanentLeases,
  type PartitionLease,
} from '../src/crawl/frontier/partition-lease.ts'
import type { FrontierStore } from '../src/store/contracts/frontier.ts'
import { openFolder, paths } from '../src/store/sqlite/folder/folder.ts'
import { createExchange } from '../src/store/sqlite/frontier/exchange.ts'
import { createSqliteFrontier } from '../src/store/sqlite/frontier/frontier.ts'
import { folderBytes, memoryAfterGc, withFolder } from './measure.ts'
import { type Benchmark, type BenchTable, numbersOf } from './table.ts'

export const optionNames = ['urls']

const HOSTS = 1_000
const BATCH = 5_000
const IN_FLIGHT = 64
const HEAP_GOAL_MB = 27
const REOPEN_GOAL_MS = 1_000

/** The frontier as in a crawl: the store on disk and the heads of the queues in memory. */
type Opened = { store: FrontierStore; frontier: Frontier; lease: PartitionLease }

function openFrontier(folder: string): Opened {
  const path = paths.frontier(folder, 0)
  const exchange = createExchange([null])
  const store = createSqliteFrontier({ path, run: 1, shard: 0, ownerOf: () => 0, exchange, maxUrlsPerHost: 1e9 })
  const lease = createPermanentLease()
  const rules = { delayMs: 0, delayFactor: 0, failuresToRest: 5, restMs: 1, restMaxMs: 1, maxRests: 1 }
  const onError = (error: unknown): never => {
    throw error
  }
  const limits = { perHost: 1, bufferRows: 20_000, maxHostQueues: 4_096 }
  const leases = createPermanentLeases(lease)
  const frontier = createFrontier({ store, leases, clock: systemClock, rules, ...limits, onError })
  store.onArrival((arrivals) => frontier.arrive(arrivals))
  return { store, frontier, lease }
}

/** The nth URL, always the same, with hosts in the mixed order of a crawl's links. */
function offerAt(n: number): Offer {
  const digest = createHash('md5').update(String(n)).digest()
  const host = `www.site-${digest.readUInt32LE(8) % HOSTS}.example`
  const url = `https://${host}/section-${digest[12]! % 40}/page-${n}.html`
  const parent = `https://${host}/section-${digest[13]! % 40}/`
  const fp = digest.readBigInt64LE(0)
  return { url, host, fp, parent, depth: UNLIMITED_DEPTH, hops: 3, redirects: 0, priority: 3, check: noCheck }
}

function offerAll(store: FrontierStore, from: number, to: number): Promise<number> {
  return timed(async (pause) => {
    for (let at = from; at < to; at += BATCH) {
      const startedAt = performance.now()
      const offers = Array.from({ length: Math.min(BATCH, to - at) }, (_, n) => offerAt(at + n))
      pause(performance.now() - startedAt)
      await store.offer(offers)
    }
  })
}

/** Milliseconds that `work` took, excluding the generation of its input. */
async function timed(work: (pause: (ms: number) => void) => Promise<void>): Promise<number> {
  let paused = 0
  const startedAt = performance.now()
  await work((ms) => {
    paused += ms
  })
  return performance.now() - startedAt - paused
}

async function takeFirst(frontier: Frontier): Promise<number> {
  return timed(async () => {
    await frontier.wake()
    for (let taken = frontier.take(); ; taken = frontier.take()) {
      if (taken !== null) return frontier.putBack(taken.hostQueue, taken.request)
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
}

function takeSome(frontier: Frontier): { hostQueue: HostQueue; request: QueuedRequest }[] {
  const taken: { hostQueue: HostQueue; request: QueuedRequest }[] = []
  while (taken.length < IN_FLIGHT) {
    const next = frontier.take()
    if (next === null) break
    taken.push(next)
  }
  return taken
}

async function takeAndCommit(opened: Opened, count: number): Promise<number> {
  const { store, frontier, lease } = opened
  return timed(async () => {
    for (let done = 0; done < count; ) {
      const taken = takeSome(frontier)
      for (const { hostQueue } of taken) frontier.release(hostQueue, { kind: 'answered', totalMs: 5 })
      const requests = taken.map(({ request }) => request)
      await store.settle({ offers: [], done: requests, again: [], hosts: frontier.changedClocks(lease) })
      for (const { hostQueue, request } of taken) frontier.completed(hostQueue, request)
      done += taken.length
      if (taken.length === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  })
}

const megabytes = (bytes: number): number => bytes / 1e6

export const run: Benchmark = async ({ values }) => {
  const urls = numbersOf(values)('urls', 2_000_000)
  return withFolder((folder) => measure(folder, urls))
}

async function measure(folder: string, urls: number): Promise<BenchTable> {
  const opened = openFolder({ folder, holder: 'bench', shards: 1 })
  try {
    const first = openFrontier(folder)
    await offerAll(first.store, -2 * BATCH, -BATCH) // warm up: compile code, prepare statements
    const empty = memoryAfterGc()
    const queuedMs = await offerAll(first.store, 0, urls)
    const full = memoryAfterGc()
    const checks = Math.min(urls, 500_000)
    const knownMs = await offerAll(first.store, 0, checks)
    const diskBytes = folderBytes(folder)
    await first.store.close()

    const startedAt = performance.now()
    const second = openFrontier(folder)
    const openMs = performance.now() - startedAt
    const takeMs = await takeFirst(second.frontier)
    const operations = Math.min(urls, 100_000)
    const completedMs = await takeAndCommit(second, operations)
    await second.store.close()

    const heapMb = megabytes(full.heapUsed + full.external - empty.heapUsed - empty.external)
    const rssMb = megabytes(full.rss - empty.rss)
    const reopenMs = openMs + takeMs
    return {
      name: 'frontier',
      columns: ['what', 'value', 'unit', 'goal'],
      rows: [
        ['URLs queued', urls, '', ''],
        ['queued', urls / (queuedMs / 1000), 'rows/s', ''],
        ['known URLs offered again', checks / (knownMs / 1000), 'checks/s', ''],
        ['heap above an empty frontier', heapMb, 'MB', `${HEAP_GOAL_MB}`],
        ['resident memory above an empty frontier', rssMb, 'MB', ''],
        ['on disk', megabytes(diskBytes), 'MB', ''],
        ['reopened, first request taken', reopenMs, 'ms', `${REOPEN_GOAL_MS}`],
        ['taken and completed', operations / (completedMs / 1000), 'requests/s', ''],
      ],
      stats: {
        heapOfGoal: heapMb / HEAP_GOAL_MB,
        reopenOfGoal: reopenMs / REOPEN_GOAL_MS,
        queuedPerSecond: urls / (queuedMs / 1000),
        checkedPerSecond: checks / (knownMs / 1000),
        settledPerSecond: operations / (completedMs / 1000),
        heapMb,
        rssMb,
        reopenMs,
      },
      notes: [
        `${HOSTS} hosts, batches of ${BATCH} links; generating the links is not timed.`,
        'Heap is JavaScript memory including buffers; the page cache of SQLite (8 MiB) is only in resident memory.',
      ],
    }
  } finally {
    await opened.close()
  }
}
