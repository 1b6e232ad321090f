import { type ErrorCode, isAppError } from '../../core/errors.ts'
import type { Offer, QueuedRequest } from '../../core/request.ts'
import type { SkipReason } from '../../core/skip-reason.ts'
import type { Capture, CaptureOutcome, DocumentStore } from '../../store/documents.ts'
import type { FrontierStore, SettleCounts } from '../../store/frontier.ts'
import type { Frontier } from '../frontier/frontier.ts'
import type { Lane } from '../frontier/lane.ts'

/**
 * What came of one request, ready to be kept. The order of keeping is the promise of the whole crawl: body, version, new links
 * accepted by their owners, request done. Whatever dies in between leaves the request queued, and its repetition
 * finds the same fingerprint.
 */
export type Finished = {
  lane: Lane
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
  size(): number
  /** A write that waits for room as those of the batch do. */
  persist<T>(write: () => Promise<T>): Promise<T>
  /** Requests of the lane that are to be tried again, which is not yet noted. */
  againOf(lane: Lane): number
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
  /** Told of the links that are handed to the store. */
  onOffered(offers: readonly Offer[]): void
  onOutcome(finished: Finished, outcome: CaptureOutcome | null): void
  onKept(count: number, counts: SettleCounts): void
  /** The store can't take anything now: the crawl pauses until it can. `null` when it goes on. */
  onPause(reason: string | null): void
  onError(error: unknown): void
  /** Waits before a write is tried again. */
  retryAfter(ms: number): Promise<void>
  /** Whether the crawl is to end: then nobody waits for room, since that may never come. */
  isStopping?(): boolean
}

const RETRY_MS = 1000

export function createBatch(options: BatchOptions): Batch {
  const { documents, frontier, store, maxItems, maxBytes, maxWaitMs } = options
  let waiting: Finished[] = []
  let waitingBytes = 0
  let keeping: Finished[] = []
  let timer: NodeJS.Timeout | null = null
  let flushing: Promise<void> | null = null

  async function persist<T>(write: () => Promise<T>): Promise<T> {
    for (let paused = false; ; paused = true) {
      try {
        const result = await write()
        if (paused) options.onPause(null)
        return result
      } catch (error) {
        if (!isAppError(error) || error.retry === 'never' || (paused && options.isStopping?.() === true)) throw error
        options.onPause(error.message)
        await options.retryAfter(RETRY_MS)
      }
    }
  }

  async function keep(items: Finished[]): Promise<void> {
    const captured = items.filter((item) => item.capture !== null)
    const outcomes =
      captured.length === 0 ? [] : await persist(() => documents.record(captured.map((item) => item.capture!)))
    const offers: Offer[] = []
    let next = 0
    for (const item of items) {
      const outcome = item.capture === null ? null : outcomes[next++]!
      const { parent, errand } = item.request
      if (parent === '' || errand.watch > 0 || !isRepetition(outcome))
        for (const offer of item.offers) offers.push(offer)
      options.onOutcome(item, outcome)
    }
    options.onOffered(offers)
    const done = items.filter((item) => !item.again).map((item) => item.request)
    const again = items.filter((item) => item.again).map((item) => item.request)
    const hosts = frontier.changedClocks()
    const counts = await persist(() => store.settle({ offers, done, again, hosts }))
    keeping = []
    for (const { lane } of items) frontier.settled(lane, 1)
    options.onKept(items.length, counts)
  }

  function schedule(): void {
    if (flushing !== null || waiting.length === 0) return
    if (waiting.length >= maxItems || waitingBytes >= maxBytes) void start()
    else timer ??= setTimeout(() => void start(), maxWaitMs)
  }

  function start(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const items = waiting
    waiting = []
    waitingBytes = 0
    keeping = items
    flushing = keep(items)
      .catch(options.onError)
      .finally(() => {
        flushing = null
        schedule()
      })
    return flushing
  }

  return {
    add(finished) {
      waiting.push(finished)
      if (finished.capture?.kind === 'body') waitingBytes += finished.capture.size
      schedule()
    },
    async flush() {
      while (flushing !== null || waiting.length > 0) await (flushing ?? start())
    },
    size: () => waiting.length,
    persist,
    againOf(lane) {
      const comesAgain = (item: Finished): boolean => item.lane === lane && item.again
      return waiting.filter(comesAgain).length + keeping.filter(comesAgain).length
    },
  }
}

/** The page was met under another URL in this run: its links were offered there. Whoever names a seed means that one. */
function isRepetition(outcome: CaptureOutcome | null): boolean {
  if (outcome?.kind === 'duplicate') return outcome.linksOffered
  return outcome?.kind === 'unchanged' && outcome.duplicate
}
