import { AppError, type ErrorCode, isAppError } from '../../core/errors.ts'
import type { SkipReason } from '../../core/reports/crawl-report.ts'
import type { Offer, QueuedRequest } from '../../core/request.ts'
import { isTemporary, retry, type Wait } from '../../core/retry.ts'
import type { Capture, CaptureOutcome, DocumentStore } from '../../store/contracts/documents.ts'
import type { CompletedRequests, CompletionCounts, FrontierStore } from '../../store/contracts/frontier.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { HostQueue } from '../frontier/host-queue.ts'
import type { PartitionLease } from '../frontier/partition-lease.ts'
import { createCommitTogether } from './commit-together.ts'
import { createWriteBuffers } from './write-buffers.ts'

/**
 * What came of one request, ready to be kept. The order of keeping is the promise of the whole crawl: body, version, new links
 * accepted by their owners, request done. Whatever dies in between leaves the request queued, and its repetition
 * finds the same fingerprint.
 */
export type Finished = {
  hostQueue: HostQueue
  request: QueuedRequest
  capture: Capture | null
  offers: readonly Offer[]
  /** Tried again later instead of done. */
  again: boolean
  /** Why it was not fetched or not read. */
  skipped?: SkipReason | undefined
  failure?: Failure | undefined
}

/** `status` is 0 where nothing was answered. */
export type Failure = { code: ErrorCode; status: number }

export type Batch = {
  add(finished: Finished): void
  /** Keeps everything that was added, now. */
  flush(): Promise<void>
  /** Nothing of this tenure waits for more any longer. */
  hurry(lease: PartitionLease): void
  /** Keeps the clocks of a tenure's hosts that have moved since they were kept. */
  keepClocks(lease: PartitionLease): Promise<void>
  size(): number
  /** Bytes of all bodies that are not kept yet. */
  bytes(): number
  /** A write that waits for room as those of the batch do. */
  persist<T>(write: () => Promise<T>, lease?: PartitionLease): Promise<T>
  /** Requests of the lane that are to be tried again, which is not yet noted. */
  againOf(hostQueue: HostQueue): number
}

export type BatchOptions = {
  documents: DocumentStore
  frontier: Frontier
  store: FrontierStore
  /** Flush when so many requests wait, … */
  maxItems: number
  /** … or so many bytes, … */
  maxBytes: number
  /** … or the first has waited so long. */
  maxWaitMs: number
  /** … and longer by so much for each other tenure of which something waits. */
  waitMsForEach?: number
  /** So many tenures are written for at a time; 1 unless told. */
  parallel?: number
  /** Told of the links that are handed to the store. */
  onOffered(offers: readonly Offer[]): void
  onOutcome(finished: Finished, outcome: CaptureOutcome | null): void
  /** What must be known to others before the requests are done. */
  beforeCommit?(): Promise<void>
  onKept(count: number, counts: CompletionCounts, lease: PartitionLease): void
  /** Results that are thrown away, since their partition is not held any more. Left out where that can't be. */
  onRefused?(items: readonly Finished[], lease: PartitionLease): void
  /** The store can't take anything now: the crawl pauses until it can. `null` when it goes on. */
  onPause(reason: string | null): void
  onError(error: unknown): void
  /** Waits before a write is tried again. */
  wait: Wait
  /** Whether the crawl is to end: then nobody waits for room, since that may never come. */
  isStopping?(): boolean
}

const RETRY = { firstMs: 100, lastMs: 1000 }

export function createBatch(options: BatchOptions): Batch {
  const { documents, frontier, store } = options
  const writeBuffers = createWriteBuffers<Finished>({ ...options, bytesOf, keep: keepOrRefuse })
  /** Writes that wait until the store takes them. */
  let pausedWrites = 0

  async function persist<T>(write: () => Promise<T>, lease?: PartitionLease): Promise<T> {
    let isWaiting = false
    try {
      return await retry(
        (attempt) => {
          if (attempt > 1 && lease?.state === 'over')
            throw new AppError('lease-lost', 'the partition was lost before this could be written')
          return write()
        },
        {
          ...RETRY,
          wait: options.wait,
          shouldRetry: (error) => isTemporary(error) && !(isWaiting && options.isStopping?.() === true),
          onWait(error) {
            if (!isWaiting) pausedWrites++
            isWaiting = true
            options.onPause((error as AppError).message)
          },
        },
      )
    } finally {
      // The crawl continues when the last write has stopped waiting, even if it failed.
      if (isWaiting && --pausedWrites === 0) options.onPause(null)
    }
  }

  const commitTogether = createCommitTogether((batch) => persist(() => store.settle(batch)))

  function settle(batch: CompletedRequests, lease: PartitionLease): Promise<CompletionCounts> {
    return (options.parallel ?? 1) > 1 ? commitTogether(batch) : persist(() => store.settle(batch), lease)
  }

  async function keepOrRefuse(items: Finished[], lease: PartitionLease): Promise<void> {
    const { onRefused } = options
    try {
      if (lease.state !== 'over') return await keep(items, lease)
      onRefused?.(items, lease)
    } catch (error) {
      // Of what could not be written until the end nothing is lost: it is still queued, and others fetch it.
      const isRefused = isAppError(error, 'lease-lost') || (isAppError(error) && error.retry === 'later')
      if (onRefused === undefined || !isRefused) return options.onError(error)
      onRefused(items, lease)
    }
  }

  async function keep(items: Finished[], lease: PartitionLease): Promise<void> {
    const captured = items.filter((item) => item.capture !== null)
    const outcomes =
      captured.length === 0 ? [] : await persist(() => documents.record(captured.map((item) => item.capture!)), lease)
    const offers: Offer[] = []
    let next = 0
    for (const item of items) {
      const outcome = item.capture === null ? null : outcomes[next++]!
      const { parent, check } = item.request
      if (parent === '' || check.watch > 0 || !isRepetition(outcome))
        for (const offer of item.offers) offers.push(offer)
      options.onOutcome(item, outcome)
    }
    options.onOffered(offers)
    if (options.beforeCommit !== undefined) await options.beforeCommit()
    const done = items.filter((item) => !item.again).map((item) => item.request)
    const again = items.filter((item) => item.again).map((item) => item.request)
    const hosts = frontier.changedClocks(lease)
    const counts = await settle({ offers, done, again, hosts }, lease)
    if (counts.lost?.includes(lease.partition) === true)
      throw new AppError('lease-lost', 'the partition is not held any more')
    writeBuffers.kept(lease)
    for (const { hostQueue } of items) frontier.settled(hostQueue, 1)
    options.onKept(items.length, counts, lease)
  }

  return {
    add: (finished) => writeBuffers.add(finished.hostQueue.lease, finished),
    flush: writeBuffers.flush,
    hurry: writeBuffers.hurry,
    async keepClocks(lease) {
      const hosts = frontier.changedClocks(lease)
      if (hosts.length > 0) await persist(() => store.settle({ offers: [], done: [], again: [], hosts }), lease)
    },
    size: writeBuffers.size,
    bytes: writeBuffers.bytes,
    persist,
    againOf(hostQueue) {
      const comesAgain = (item: Finished): boolean => item.hostQueue === hostQueue && item.again
      return writeBuffers.all(hostQueue.lease).filter(comesAgain).length
    },
  }
}

function bytesOf({ capture }: Finished): number {
  return capture?.kind === 'body' ? capture.size : 0
}

/** The page was met under another URL in this run: its links were offered there. Whoever names a seed means that one. */
function isRepetition(outcome: CaptureOutcome | null): boolean {
  if (outcome?.kind === 'duplicate') return outcome.linksOffered
  return outcome?.kind === 'unchanged' && outcome.duplicate
}
