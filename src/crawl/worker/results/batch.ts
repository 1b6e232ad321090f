import { AppError, type ErrorCode, isAppError } from '../../../core/errors.ts'
import type { SkipReason } from '../../../core/reports/crawl-report.ts'
import type { Offer, QueuedRequest } from '../../../core/request.ts'
import type { Track } from '../../../core/work/retries.ts'
import { isTemporary, retry, type Wait } from '../../../core/work/retry.ts'
import type { Capture, CaptureOutcome, DocumentStore, KnownDocument } from '../../../store/contracts/documents.ts'
import { type DroppedLinks, maxDroppedExamples } from '../../../store/contracts/dropped-links.ts'
import type { CompletedRequests, CompletionCounts, FrontierStore } from '../../../store/contracts/frontier.ts'
import type { Frontier } from '../../frontier/frontier.ts'
import type { HostQueue } from '../../frontier/host-queue.ts'
import type { PartitionLease } from '../../frontier/partition-lease.ts'
import type { DocumentSet } from '../../parts/set-types.ts'
import type { RepeatedPages } from '../links/repeated-pages.ts'
import type { RecordedPage } from '../reading/recorded-page.ts'
import { createWriteBuffers } from './write-buffers.ts'

/**
 * The result of one request, ready to be committed. The whole crawl relies on the order of writes: body, version, new links
 * accepted by their owners, request done. A crash in between leaves the request queued, and its repetition finds the same
 * fingerprint.
 */
export type Finished = {
  hostQueue: HostQueue
  request: QueuedRequest
  capture: Capture | null
  /** Set if the shard that read the page has already stored body and version. */
  recorded?: RecordedPage | undefined
  /** Captures of documents that came with it, such as the messages of a mailbox. */
  parts?: readonly Capture[] | undefined
  offers: readonly Offer[]
  /** The kept version, if the page is unchanged. */
  kept?: Pick<KnownDocument, 'digest' | 'isCopy' | 'versionId' | 'checkedAt'> | null | undefined
  /** Links of the page that the trap limits dropped. */
  traps?: readonly DroppedLinks[] | undefined
  /** The request is retried later instead of done. */
  again: boolean
  /** Why it was not fetched or not read. */
  skipped?: SkipReason | undefined
  failure?: Failure | undefined
}

/** `status` is 0 if there was no answer. */
export type Failure = { code: ErrorCode; status: number }

export type Batch = {
  add(finished: Finished): void
  /** Commits everything added so far, immediately. */
  flush(): Promise<void>
  /** Commits the results of this lease without waiting for more. */
  hurry(lease: PartitionLease): void
  /** Writes the host clocks of a lease that have moved since the last commit. */
  commitClocks(lease: PartitionLease): Promise<void>
  size(): number
  /** Total bytes of bodies not written yet. */
  bytes(): number
  /** Runs a write with the same retries as the batch's own. */
  persist<T>(write: () => Promise<T>, lease?: PartitionLease): Promise<T>
  /** Number of requests of the host queue whose retry is not committed yet. */
  againOf(hostQueue: HostQueue): number
}

export type BatchOptions = {
  documents: DocumentStore
  frontier: Frontier
  store: FrontierStore
  /** Commits when this many requests wait, … */
  maxItems: number
  /** … or this many bytes, … */
  maxBytes: number
  /** … or the first has waited this long, … */
  maxWaitMs: number
  /** … plus this for each other lease with waiting results. */
  waitMsForEach?: number
  /** Number of leases written concurrently; 1 by default. */
  parallel?: number
  repeatedPages: RepeatedPages
  /** Whether the content of a page was met before; by default, whether it was stored before. */
  isCopy?: DocumentSet['isCopy']
  /** Called with the number of links dropped from a page that repeats itself. */
  onTrap(links: number): void
  /** Called with the links handed to the store. */
  onOffered(offers: readonly Offer[]): void
  onOutcome(finished: Finished, outcome: CaptureOutcome | null, partOutcomes: readonly CaptureOutcome[]): void
  /** Called before the requests are marked done. */
  beforeCommit(): Promise<void>
  onCommitted(count: number, counts: CompletionCounts, lease: PartitionLease): void
  /** Called when fewer bytes wait than before. */
  onWritten?(): void
  /** Called with results that are discarded because their partition belongs to another worker or can't be reached. */
  onRefused(items: readonly Finished[], lease: PartitionLease): void
  /** Called when the store can't accept writes and the crawl pauses; with null when it continues. */
  onPause(reason: string | null): void
  onError(error: unknown): void
  wait: Wait
  /** Shows that a write is waiting. */
  trackWrite?(): Track
  /** While the crawl is stopping, a write is not retried for long: the disk may stay full. */
  isStopping(): boolean
}

const RETRY = { firstMs: 100, lastMs: 1000 }

export function createBatch(options: BatchOptions): Batch {
  const { documents, frontier, store } = options
  const writeBuffers = createWriteBuffers<Finished>({ ...options, bytesOf, write: commitOrRefuse })
  /** Number of writes waiting for the store to accept them. */
  let pausedWrites = 0

  async function persist<T>(write: () => Promise<T>, lease?: PartitionLease): Promise<T> {
    let isWaiting = false
    try {
      return await retry(
        (attempt) => {
          if (attempt > 1 && lease?.state === 'ended')
            throw new AppError('lease-lost', 'the partition was lost before this could be written')
          return write()
        },
        {
          ...RETRY,
          wait: options.wait,
          track: options.trackWrite?.(),
          shouldRetry: (error) => isTemporary(error) && !(isWaiting && options.isStopping()),
          onWait(error) {
            if (!isWaiting) pausedWrites++
            isWaiting = true
            options.onPause((error as AppError).message)
          },
        },
      )
    } finally {
      // The crawl continues when no write waits any more, even if the last one failed.
      if (isWaiting && --pausedWrites === 0) options.onPause(null)
    }
  }

  const complete = createCommitTogether((batch) => persist(() => store.settle(batch)))

  async function commitOrRefuse(items: Finished[], lease: PartitionLease): Promise<void> {
    try {
      if (lease.state !== 'ended') return await commit(items, lease)
    } catch (error) {
      // Nothing is lost if another worker can take over: the requests are still queued, and it fetches them again.
      const canRefuse = isAppError(error, 'lease-lost') || isTemporary(error)
      if (lease.isPermanent || !canRefuse) return options.onError(error)
    }
    for (const { recorded } of items) recorded?.settled(false)
    options.onRefused(items, lease)
  }

  async function commit(items: Finished[], lease: PartitionLease): Promise<void> {
    const captures = items.flatMap(({ capture, parts = [] }) => (capture === null ? parts : [capture, ...parts]))
    const outcomes = captures.length === 0 ? [] : await persist(() => documents.record(captures), lease)
    for (const capture of captures) if (capture.kind === 'body') capture.release?.()
    const offers: Offer[] = []
    const traps: DroppedLinks[] = []
    let next = 0
    for (const item of items) {
      const outcome = item.capture === null ? (item.recorded?.outcome ?? null) : outcomes[next++]!
      const partOutcomes = item.parts === undefined ? noOutcomes : outcomes.slice(next, next + item.parts.length)
      next += partOutcomes.length
      if (item.traps !== undefined) traps.push(...item.traps)
      if (leadsOn(item, outcome)) for (const offer of item.offers) offers.push(offer)
      else traps.push(droppedOf(item))
      options.onOutcome(item, outcome, partOutcomes)
    }
    options.onOffered(offers)
    if (traps.length > 0) await persist(() => store.noteDropped(traps), lease)
    await options.beforeCommit()
    const done = items.filter((item) => !item.again).map((item) => item.request)
    const again = items.filter((item) => item.again).map((item) => item.request)
    const hosts = frontier.changedClocks(lease)
    const counts = await complete({ offers, done, again, hosts })
    if (counts.lost?.includes(lease.partition) === true)
      throw new AppError('lease-lost', 'the partition is not held any more')
    writeBuffers.written(lease)
    for (const { hostQueue, request, recorded } of items) {
      frontier.completed(hostQueue, request)
      recorded?.settled(true)
    }
    options.onCommitted(items.length, counts, lease)
  }

  /** False if the page is part of a tree that repeats itself. Only duplicates can be. */
  function leadsOn({ request, capture, recorded, offers, kept }: Finished, outcome: CaptureOutcome | null): boolean {
    if (offers.length === 0 || request.parent === '') return true
    const isStored = kept?.isCopy === true || isDuplicate(outcome)
    const digest = capture?.kind === 'body' ? capture.digest : (recorded?.digest ?? kept?.digest)
    const isCopy = digest !== undefined && (options.isCopy?.({ url: request.url, digest }, isStored) ?? isStored)
    if (!isCopy || options.repeatedPages.admits(request, digest, offers.length)) return true
    options.onTrap(offers.length)
    return false
  }

  return {
    add: (finished) => writeBuffers.add(finished.hostQueue.lease, finished),
    flush: writeBuffers.flush,
    hurry: writeBuffers.hurry,
    async commitClocks(lease) {
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

const noOutcomes: readonly CaptureOutcome[] = []

function bytesOf({ capture, parts = [] }: Finished): number {
  return sizeOf(capture) + parts.reduce((sum, part) => sum + sizeOf(part), 0)
}

const sizeOf = (capture: Capture | null): number => (capture?.kind === 'body' ? capture.size : 0)

const isDuplicate = (outcome: CaptureOutcome | null): boolean =>
  outcome?.kind === 'duplicate' || (outcome?.kind === 'unchanged' && outcome.duplicate)

function droppedOf({ request: { host, url: parent }, offers, capture, recorded }: Finished): DroppedLinks {
  const at = capture?.at ?? recorded?.at ?? 0
  const examples = offers.slice(0, maxDroppedExamples).map(({ url }) => ({ url, parent, at }))
  return { host, rule: 'repeated-pages', count: offers.length, examples }
}

type Waiting = { batch: CompletedRequests; resolve(counts: CompletionCounts): void; reject(error: unknown): void }

/**
 * Completes the requests of several partitions in one call, so that links to the same host are sent together, no matter which pages they
 * are on. Batches that arrive during a call wait for the next one. Of the batches in one call, the first gets all counts and the others
 * zero; `lost` goes to all.
 */
function createCommitTogether(complete: (batch: CompletedRequests) => Promise<CompletionCounts>) {
  let waiting: Waiting[] = []
  let isBusy = false

  async function completeAll(): Promise<void> {
    isBusy = true
    while (waiting.length > 0) {
      const together = waiting
      waiting = []
      try {
        const counts = await complete(merge(together.map(({ batch }) => batch)))
        const none = { accepted: 0, known: 0, limited: 0, removed: 0, watches: new Map<number, number>() }
        const others = counts.lost === undefined ? none : { ...none, lost: counts.lost }
        for (const [at, { resolve }] of together.entries()) resolve(at === 0 ? counts : others)
      } catch (error) {
        for (const { reject } of together) reject(error)
      }
    }
    isBusy = false
  }

  return (batch: CompletedRequests): Promise<CompletionCounts> =>
    new Promise((resolve, reject) => {
      waiting.push({ batch, resolve, reject })
      if (!isBusy) void completeAll()
    })
}

function merge(batches: readonly CompletedRequests[]): CompletedRequests {
  if (batches.length === 1) return batches[0]!
  return {
    offers: batches.flatMap(({ offers }) => offers),
    done: batches.flatMap(({ done }) => done),
    again: batches.flatMap(({ again }) => again),
    hosts: batches.flatMap(({ hosts }) => hosts),
  }
}
